// A directory of this machine that is kept in step with a depot: what is in it, and changes of it.
//
// Everything is reached name by name from one handle, and no link is followed: nothing outside the
// directory is read, written or removed, whatever others put in the way meanwhile.
//
// Files are replaced, never written into: a temporary file beside them takes their place, and only
// if they are still what was seen. What is swapped out is looked at once more before it goes, and
// swapped back if it was written to in between. The mode stays.
//
// Threads     one at a time.
// Fails with  NOT_FOUND and NOT_A_DIRECTORY for the directory itself; CONFLICT when something is
//             not as it was seen; IO_ERROR.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/clock.h"
#include "base/os/stamp.h"
#include "base/random.h"
#include "data/text/glob.h"
#include "exposure/client/client.h"
#include "exposure/mirror/plan.h"
#include "exposure/mirror/state.h"

namespace cairn::mirror {

using client::Client;

// The entries that are not looked at, besides links and devices.
struct MirrorFilter {
  std::vector<Glob> exclude = {};
  // Paths from the directory, and why: the data directory, say.
  ByPath<std::string> left_out = {};

  // Nullopt: it is looked at. An empty reason: excluded.
  std::optional<std::string> why_not(std::string_view path) const;
};

// Why a depot cannot hold a name at the end of a path; empty: it can.
std::string why_no_entry(std::string_view path, std::string_view name);

// `.cairn-mirror-` and 26 characters: a file that is being written, or was when the program was
// killed.
bool is_temporary(std::string_view name);

struct MirrorScan {
  MirrorTree tree;
  ByPath<os::Stamp> files;
  // Files that need not be read the next time, if they have not changed until then.
  ByPath<SeenFile> seen;
  // Files that were written to as often as they were read.
  std::vector<std::string> unstable;
};

class MirrorDirectory final {
 public:
  struct Tools {
    const Clock& clock;
    Random& random;
    mode_t mask = 022;  // of new files and directories
    os::Kernel kernel = {};
  };
  static Result<MirrorDirectory> open(const std::filesystem::path& path, const Tools& tools);

  // Called with each directory before it is listed.
  using OnDirectory = std::function<void(int directory)>;
  enum class Leftovers { kKeep, kRemove };
  // Reads files that are not as they were seen. `leftovers` are temporary files of one that was
  // killed.
  Result<MirrorScan> scan(const MirrorFilter& filter, const ByPath<SeenFile>& seen,
                          Leftovers leftovers, const OnDirectory& on_directory) const;

  // The file's bytes, as long as the source is kept.
  Result<Client::Source> read(const std::string& path) const;

  // The file that is there, as it was seen; nullopt: there is nothing.
  using Expected = std::optional<os::Stamp>;
  // Hands out where the bytes go.
  using Fill = std::function<Result<void>(const Client::Sink& sink)>;
  // Makes the directories above it when there are none. Gives the key that the bytes have under the
  // file's name.
  Result<std::string> write(const std::string& path, const Expected& expected,
                            const Fill& fill) const;
  Result<void> remove(const std::string& path, const os::Stamp& expected) const;
  Result<void> make_directory(const std::string& path) const;
  // CONFLICT when it is not empty.
  Result<void> remove_directory(const std::string& path) const;
  // Makes sure that all that was written and removed is so on the disk: before that, it may not be
  // after a loss of power.
  Result<void> sync() const;

 private:
  MirrorDirectory(std::filesystem::path path, os::Handle root, const Tools& tools)
      : path_(std::move(path)), root_(std::move(root)), tools_(tools) {}

  enum class Missing { kFail, kMake };
  os::Outcome<os::Handle> step(const os::Handle& at, const std::string& name,
                               Missing missing) const;
  Result<os::Handle> enter(std::string_view path, Missing missing) const;
  // The directory a path is in.
  Result<os::Handle> parent_of(const std::string& path, Missing missing) const;
  std::string temporary_name() const;
  std::string named(std::string_view path) const;
  template <typename T>
  Result<T> checked(os::Outcome<T> outcome, std::string_view doing, std::string_view path) const;
  // CONFLICT where something is not as it was seen.
  Result<void> unless_changed(const os::Outcome<void>& outcome, std::string_view doing,
                              std::string_view path) const;

  std::filesystem::path path_;
  os::Handle root_;
  Tools tools_;
};

}  // namespace cairn::mirror
