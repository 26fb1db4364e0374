// A workspace in directories of this machine, confined by the kernel.
//
// Every access begins at the handle of a root and is resolved by openat2 with RESOLVE_BENEATH and
// RESOLVE_NO_MAGICLINKS, or name by name through handles; no path is checked first and used later.
// Links that stay inside work, absolute ones too; those that leave are PATH_OUTSIDE.
//
// Files are replaced, never written into: a temporary file beside them, renamed over them. So a
// reader sees the old or the new, another hard link keeps the old, and nothing is ever written into
// a device or pipe. The mode stays. Bytes are not forced to the disk (fsync): a change is safe from
// the end of the process, not from a loss of power.
//
// Changes made through one workspace come one after the other; a Rewrite that calls the workspace
// waits for itself. Other processes are seen: an edit of a file that they change meanwhile is done
// again, fifty times at most, then it is CONFLICT.
//
// Fails with  what Workspace says. What comes from the operating system has the detail `errno`
//             (`ENOENT`); what is missing has `missing`, the first place on the way that is.
// Cost        five or six calls into the kernel to open a file, two for each directory that is
//             entered, none for an entry but where info() is asked.
#pragma once

#include "base/os/system.h"
#include "base/random.h"
#include "data/workspace/workspace.h"

namespace cairn {

class DirectoryWorkspace final : public Workspace {
 public:
  struct Options {
    // `~` of clients; empty: they have none.
    std::string home = {};
    bool read_only = false;
    // The features of the kernel to use; all of them, but in tests.
    os::Kernel kernel = {};
  };

  // IO_ERROR, PATH_NOT_FOUND or NOT_A_DIRECTORY when a directory cannot be opened.
  // REQUIRES: at least one directory; random outlives it.
  static Result<std::shared_ptr<DirectoryWorkspace>> open(std::span<const std::string> directories,
                                                          Random& random, Options options);
  ~DirectoryWorkspace() override;

  // The same directories, where every change is looked into and none is made: it fails as the
  // change would, as far as that can be known before. What lies deep in a directory that would be
  // copied or deleted is not looked at.
  std::shared_ptr<DirectoryWorkspace> rehearsal() const;

  std::vector<std::string> roots() const override;
  std::string relative(std::string_view place) const override;
  Result<WorkFilePtr> open_file(std::string_view path) const override;
  Result<WorkDirectoryPtr> open_directory(std::string_view path) const override;
  Result<WorkPlace> info(std::string_view path) const override;
  Result<std::string> write(std::string_view path, ByteView content,
                            Parents parents = Parents::kMustExist) override;
  Result<std::string> edit(std::string_view path, const Rewrite& rewrite) override;
  Result<std::string> make_directory(std::string_view path) override;
  Result<std::string> move(std::string_view source, std::string_view destination) override;
  Result<std::string> copy(std::string_view source, std::string_view destination) override;
  Result<std::string> remove(std::string_view path, bool recursive) override;
  std::vector<std::string> notes() const override;

 private:
  struct State;
  enum class Deed : std::uint8_t { kDone, kRehearsed };
  DirectoryWorkspace(std::shared_ptr<State> state, Deed deed);
  bool rehearsed() const { return deed_ == Deed::kRehearsed; }

  std::shared_ptr<State> state_;
  Deed deed_;
};

}  // namespace cairn
