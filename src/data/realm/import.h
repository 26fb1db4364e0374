// Bringing a directory of the machine into a depot, and a tree of the store out to a directory.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/kernel.h"
#include "data/realm/import_commit.h"
#include "data/realm/realm.h"

namespace cairn {

// May be read from another thread while the work goes on, and ended.
struct Progress {
  std::atomic<std::uint64_t> files = 0;
  std::atomic<std::uint64_t> bytes = 0;
  // Asked to end: it fails with UNAVAILABLE soon, and nothing is committed.
  std::atomic<bool> stop = false;

  Result<void> go_on() const {
    if (!stop) return {};
    return fail(Code::kUnavailable, "it was interrupted");
  }
};

struct ImportOptions {
  unsigned threads = 2;
  std::string message = {};
  std::optional<DelegateId> author = std::nullopt;
  os::Kernel kernel = {};
  Path path = {};  // where in the depot the directory goes
  // As import_commit.h has them.
  bool remove_others = false;
  bool overwrite = false;
  bool dry_run = false;
};

struct ImportResult {
  CommitResult commit;
  ImportChanges changes;
  NodeKey root;  // of the directory as it was read
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t unchanged = 0;       // files not read, because nothing about them had changed
  std::vector<std::string> skipped;  // path and why: links, devices, names that are not UTF-8
};

// Why an entry of a directory is skipped, by its name and type (DT_…); empty: it is not.
std::string reason_to_skip(std::string_view name, unsigned char type);

// Brings what the directory changed since its last import into the depot (import_commit.h), and
// commits it, durably. Files are read by several threads; what another import of the same directory
// has seen unchanged is not read again. IO_ERROR with the path when something cannot be read,
// QUOTA_EXCEEDED when it does not fit: then the depot stays as it was. Nodes stored until then
// count towards the quota until the garbage collector takes them.
Result<ImportResult> import_directory(Realm& realm, const DepotId& depot,
                                      const std::filesystem::path& source,
                                      const ImportOptions& options, Progress& progress);

// What is damaged in a tree and was left out of an export.
struct LeftOut {
  std::string path;  // of a file, or of a directory of which something cannot be listed
  std::string why;
};

// Writes the tree below `root` into a directory that does not exist yet, or is empty. What cannot
// be read is left out and listed; the rest is written. TARGET_EXISTS when something is in it;
// IO_ERROR when it cannot be written, and UNAVAILABLE when it is stopped: then it is empty again.
struct ExportResult {
  static constexpr std::size_t kMostLeftOut = 10'000;  // listed; all are counted

  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t damaged = 0;
  std::vector<LeftOut> left_out = {};

  void leave_out(std::string path, const Error& why) {
    damaged += 1;
    if (left_out.size() < kMostLeftOut) left_out.push_back({std::move(path), why.message});
  }
};
Result<ExportResult> export_directory(const NodeReader& nodes, const NodeKey& root,
                                      const std::filesystem::path& target, Progress& progress,
                                      const os::Kernel& kernel = {});

}  // namespace cairn
