// DirectoryToolbox: the file tools on directories of this machine, for whoever started the program.
// There is no store and nobody else: nothing is audited, and the rights are those of the process.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/random.h"
#include "data/workspace/directory_workspace.h"
#include "tools/workspace/file_toolbox.h"

namespace cairn::work {

struct DirectoryOptions {
  // Empty: the client's own roots, or else `fallback`, which is made when it is not there.
  std::vector<std::string> directories = {};
  std::string fallback = {};
  std::string home = {};
  std::int64_t answer_bytes = Work::kAnswerBytes;
  bool read_only = false;
};

// Threads  every function may be called from any thread.
class DirectoryToolbox final : public FileToolbox {
 public:
  // Fails as DirectoryWorkspace::open does for directories that were named, and with
  // INVALID_ARGUMENT for a selection that names what there is not.
  // REQUIRES: clock and random outlive it.
  static Result<std::shared_ptr<const DirectoryToolbox>> open(DirectoryOptions options,
                                                              const SelectionRequest& request,
                                                              const Clock& clock, Random& random);

  std::string introduction() const override;
  bool still_valid() const override { return true; }

  // The roots of the client are to be asked for, and given to use_roots() with this number;
  // nullopt: the directories are known.
  std::optional<std::uint64_t> wants_roots() const;
  // These directories, or the fallback when there is none among them that can be opened.
  // UNAVAILABLE when the roots changed since they were asked for.
  Result<void> use_roots(const std::vector<std::string>& directories, std::uint64_t asked) const;
  // The client has others now.
  void roots_changed() const;

  const std::string& fallback() const { return options_.fallback; }

 protected:
  Result<json::Object> work(const FileTool& file, Style style, json::Value arguments,
                            const std::stop_token& stop) const override;

 private:
  DirectoryToolbox(FileToolsPtr tools, Selection selection, DirectoryOptions options,
                   const Clock& clock, Random& random);

  using Files = std::shared_ptr<DirectoryWorkspace>;
  Result<Files> open_directories(const std::vector<std::string>& directories) const;
  Result<Files> open_fallback() const;

  DirectoryOptions options_;
  const Clock& clock_;
  Random& random_;
  // The generation goes up when the client has other roots: what was asked for before that is not
  // taken.
  struct Known {
    Files files;  // nothing: not known yet
    std::uint64_t generation = 0;
  };
  mutable Guarded<Known> known_;
};

}  // namespace cairn::work
