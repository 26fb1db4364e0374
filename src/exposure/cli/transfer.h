// Import and export through a session's tools, for when the store is not in this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/realm/import.h"
#include "exposure/cli/address.h"
#include "exposure/cli/local_tree.h"
#include "exposure/cli/session.h"

namespace cairn::cli {

struct StoredEntry {
  EntryKind kind = EntryKind::kFile;
  std::string key;
  std::uint64_t size = 0;
};
using VisitStored = std::function<Result<void>(const std::string& path, const StoredEntry& entry)>;

// Everything below the directory `base` of a tree, what holds before what is held.
Result<void> walk_stored(Session& session, const std::string& node, const std::string& base,
                         const VisitStored& visit);
// The tree as it is now, whatever others commit meanwhile.
Result<std::string> pin(Session& session, const Tree& tree);
// `directory/name`; the directory may be empty.
std::string join(const std::string& directory, std::string_view name);

struct Imported {
  std::string root;  // of the depot after the commit; of a node, the new root
  bool changed = false;
  bool merged = false;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t unchanged = 0;       // files that were there already
  std::vector<std::string> skipped;  // path and why
};

// Makes the tree that of the directory: sends what differs, removes what is not there, and commits
// once when it is a depot. Fails before the commit: then the depot stays as it was.
Result<Imported> import_tree(Session& session, const Tree& tree,
                             const std::filesystem::path& source, const std::string& message,
                             Progress& progress);

// Writes a directory of a tree into one that is new or empty.
Result<ExportResult> export_tree(Session& session, const Resolved& from,
                                 const std::filesystem::path& target, Progress& progress);

}  // namespace cairn::cli
