// Import and export: in this process when the store is here, else through its tools.
//
// Threads     one at a time; the progress may be read from any.
// Fails with  what import_directory, export_directory and the tools fail with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/realm/import.h"
#include "exposure/client/address.h"
#include "exposure/client/client.h"
#include "exposure/client/local_tree.h"
#include "exposure/client/room.h"

namespace cairn::client {

struct StoredEntry {
  EntryKind kind = EntryKind::kFile;
  std::string key;
  std::uint64_t size = 0;
};
using VisitStored = std::function<Result<void>(const std::string& path, const StoredEntry& entry)>;

// Everything below the directory `base` of a tree, what holds before what is held. It goes on
// behind a directory that cannot be listed, or not to its end, when `cannot_list` is there and says
// so.
using CannotList = std::function<Result<void>(const std::string& path, const Error& error)>;
Result<void> walk_stored(Client& client, const std::string& node, const std::string& base,
                         const VisitStored& visit, const CannotList& cannot_list = nullptr);
// The tree as it is now, whatever others commit meanwhile.
Result<std::string> pin(Client& client, const Tree& tree);
// `directory/name`; the directory may be empty.
std::string join(const std::string& directory, std::string_view name);

struct Imported {
  std::string root;  // of the depot after the commit; of a node, the new root
  bool changed = false;
  bool merged = false;  // others committed meanwhile
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t unchanged = 0;       // files that were there already
  std::vector<std::string> skipped;  // path and why
  ImportChanges changes;             // of a depot
};

// The place to import to.
struct ImportTarget {
  std::optional<Tree> tree;  // nothing: there is no depot of that title yet
  std::string title;         // as it was given
  std::string path;
};
// `DEPOT` or `DEPOT:PATH`.
Result<ImportTarget> import_target(Client& client, const std::string& where);

struct ImportHow {
  std::string message = {};
  bool remove_others = false;
  bool overwrite = false;
  bool dry_run = false;
};

// Brings what a directory has changed since its last import to the place, and commits once when it
// is in a depot (import_commit.h); a tree that is a node becomes that of the directory. A depot
// that is not there is made, unless it is a dry run, and removed again when the import fails. Fails
// before the commit: then the depot stays as it was.
Result<Imported> import_tree(Client& client, ImportTarget& target,
                             const std::filesystem::path& source, const ImportHow& how,
                             Progress& progress);

// Writes a directory of a tree into one that is new or empty, as export_directory does.
// STORAGE_FULL before anything is written when it does not fit. A server that sends more than it
// said is UNAVAILABLE.
Result<ExportResult> export_tree(Client& client, const Resolved& from,
                                 const std::filesystem::path& target, Progress& progress,
                                 const RoomLimits& limits = {});

// What a directory of a tree has below it, as the store counts it.
Result<Amount> amount_of(Client& client, const std::string& node, const std::string& path);

}  // namespace cairn::client
