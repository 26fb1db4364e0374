// The file tools on directories of the server's machine, for callers over HTTP.
//
// A directory is served under a name (`cairn serve --root notes=/srv/notes`). Where it is, is known
// to the process alone; who may use it, for reading or for writing, is in the store
// (data/access/directory_grant.h). Every call runs through the executor, which checks that, writes
// the audit log and counts, as for every other tool. A directory that a caller may not use does not
// exist for it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/executor/executor.h"
#include "tools/workspace/file_toolbox.h"

namespace cairn::work {

struct ServedDirectory {
  std::string name;
  std::string path;
  bool read_only = false;  // whatever a caller may

  // `notes=/srv/notes`.
  static Result<ServedDirectory> parse(std::string_view text);
};

// One directory for one caller.
//
// Threads  immutable.
class ServedDirectoryToolbox final : public FileToolbox {
 public:
  // REQUIRES: the executor outlives it.
  ServedDirectoryToolbox(FileToolsPtr tools, Selection selection, Executor& executor,
                         const Caller& caller, const ServedDirectory& directory);

  // The same id: the same delegate at the same directory.
  const std::string& id() const { return id_; }
  const ServedDirectory& directory() const { return directory_; }
  std::string introduction() const override;
  // Without what the caller may not do here.
  std::vector<const Tool*> offered() const override;
  Share share() const override { return share_of(caller_); }
  Result<void> take_turn() const override { return executor_.take_turn(caller_); }
  bool still_valid() const override;
  bool may_write() const;

 protected:
  Result<json::Object> work(const FileTool& file, Style style, json::Value arguments,
                            const std::stop_token& stop) const override;

 private:
  Executor& executor_;
  ServedDirectory directory_;
  Caller caller_;
  std::string id_;
};

// The tool `filesystem` on all directories that a caller may use; where there are several, the
// argument `directory` names one.
//
// Threads  immutable.
class FilesystemToolbox final : public Toolbox {
 public:
  using Boxes = std::map<std::string, std::shared_ptr<const ServedDirectoryToolbox>>;
  // REQUIRES: there is at least one, and each has the one tool.
  explicit FilesystemToolbox(Boxes boxes);

  std::string introduction() const override;
  std::vector<const Tool*> offered() const override { return {&tool_}; }
  Result<const Tool*> find(std::string_view name) const override;
  Result<Reply> run(const Tool& tool, json::Object arguments,
                    const std::stop_token& stop) const override;
  Share share() const override { return boxes_.begin()->second->share(); }
  Result<void> take_turn() const override { return boxes_.begin()->second->take_turn(); }
  bool still_valid() const override;

 private:
  std::string names() const;
  // Of all, for want of a name.
  Result<Reply> list_all(const std::stop_token& stop) const;

  Boxes boxes_;
  Tool tool_;
};

// All directories of a server.
//
// Threads  every function may be called from any thread.
class ServedDirectories final {
 public:
  // Fails as DirectoryWorkspace::open() does, and with INVALID_ARGUMENT for a name that cannot be
  // or is there twice. REQUIRES: executor and random outlive it.
  static Result<std::unique_ptr<ServedDirectories>> open(
      Executor& executor, const std::vector<ServedDirectory>& directories, Random& random);

  // NOT_FOUND for a name that there is not, or that the caller may not use; INVALID_ARGUMENT for a
  // selection that names what there is not.
  Result<std::shared_ptr<const ServedDirectoryToolbox>> open(const Caller& caller,
                                                             std::string_view name,
                                                             const SelectionRequest& request) const;
  // NOT_FOUND when there is none that the caller may use.
  Result<ToolboxPtr> filesystem(const Caller& caller, bool read_only) const;

 private:
  explicit ServedDirectories(Executor& executor);

  struct Open {
    ServedDirectory directory;
    std::shared_ptr<DirectoryWorkspace> files;
  };

  Executor& executor_;
  std::map<std::string, Open, std::less<>> open_;
  FileToolsPtr tools_;
};

}  // namespace cairn::work
