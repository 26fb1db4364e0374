// From a directory as it was read to a commit. An import brings in what the directory itself has
// changed since it was last imported to the same place: the depot's own merge decides, with what
// that import read as the base. So what others put into the depot stays, what the directory lost is
// removed, and what both changed is merged, or is a CONFLICT and nothing happens.
//
// A first import only adds. A file of the depot that has another content under the same name is a
// CONFLICT then, unless the import is to overwrite: also when what others put there is to go.
//
// Threads     every function may be called from any thread.
// Fails with  CONFLICT with `paths` and `pathCount`; NOT_A_DIRECTORY when the place is a file, or
//             below one; and as Realm::commit() does.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/realm/import_index.h"
#include "data/realm/realm.h"

namespace cairn {

struct ImportRequest {
  // What the importer may see of the depot, and where in it the directory goes.
  Place within = {};
  Path path = {};
  std::string source = {};  // tells apart directories that are imported to the same place
  NodeKey root = {};        // of the directory as it was read; stored
  // The base, when the directory was imported before.
  std::optional<NodeKey> last = std::nullopt;
  // Makes the place that of the directory: what others put there goes.
  bool remove_others = false;
  // Takes the directory's side where both have changed the same.
  bool overwrite = false;
  // Commits nothing. Then the root need not be stored, if it can be read here.
  bool dry_run = false;
  const NodeReader* nodes = nullptr;
  std::string message = {};
  std::optional<DelegateId> author = std::nullopt;
  std::vector<DelegateId> owners = {};
};

// Paths in the depot: `notes/` for a directory as a whole.
struct PathList {
  static constexpr std::size_t kMost = 1000;

  std::uint64_t files = 0;         // all of them
  std::vector<std::string> paths;  // the first of them, in order

  bool operator==(const PathList&) const = default;
};

struct ImportChanges {
  PathList added;
  PathList changed;
  PathList removed;
  PathList kept;         // of others, which the directory has not, or has otherwise
  PathList absent;       // removed by others, which the directory still has
  PathList overwritten;  // of others, which have the directory's content now
  PathList conflicts;    // of a dry run: why it would be refused
};

struct ImportOutcome {
  CommitResult commit;  // of a dry run: the depot as it is
  ImportChanges changes;
};

// What was last imported to a place from a source; nothing when that was never.
Result<std::optional<NodeKey>> last_import(Realm& realm, const Place& place,
                                           std::string_view source);
// For the next one to begin with.
Result<void> remember_import(Realm& realm, const Place& place, std::string_view source,
                             const NodeKey& root);

Result<ImportOutcome> commit_import(Realm& realm, const ImportRequest& request);

// What an import remembers is in use as long as its depot is: for the garbage collector.
Result<void> for_each_import(Realm& realm, const DepotId& depot,
                             const std::function<Result<void>(const ImportRecord& record)>& visit);

}  // namespace cairn
