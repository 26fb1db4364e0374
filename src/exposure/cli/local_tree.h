// Directories of this machine, for imports and exports over a server. Links are never followed,
// and nothing is written outside the directory that was named.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exposure/cli/session.h"

namespace cairn::cli {

enum class EntryKind { kFile, kDirectory };

// What is below a directory, by its path from there. Paths come before what is below them.
struct LocalTree {
  std::map<std::string, EntryKind> entries;
  std::vector<std::string> skipped;  // path and why, as import_directory has it
};
Result<LocalTree> scan(const std::filesystem::path& directory);

// The file's bytes, in portions, as long as the source is kept.
Result<Session::Source> open_source(const std::filesystem::path& file);
// The key the file would have in a tree.
Result<std::string> key_of(const std::filesystem::path& file);

// A directory that is new or empty, to be filled.
class NewDirectory final {
 public:
  // TARGET_EXISTS when there is something in it.
  static Result<NewDirectory> make(const std::filesystem::path& target);

  // REQUIRES: every name on the path is a valid one (check_name).
  Result<void> add_directory(const std::string& path) const;
  // Creates a file and hands out where its bytes go.
  using Fill = std::function<Result<void>(const Session::Sink& sink)>;
  Result<void> add_file(const std::string& path, const Fill& fill) const;

 private:
  explicit NewDirectory(std::filesystem::path target) : target_(std::move(target)) {}
  std::filesystem::path target_;
};

}  // namespace cairn::cli
