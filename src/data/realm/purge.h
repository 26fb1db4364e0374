// Purge: files and directories removed for good, from every version that is kept too.
//
// The histories of depots are written anew: where a version had the content, its record points to a
// root without it, and says so; number, time, author and message stay. Then the garbage is
// collected, with no grace time for what was purged, and the space is given back to the disk.
//
// Nodes to be removed are noted in the store in the same step that makes them garbage. So a purge
// that was broken off is finished by the next one, or by the next collection of garbage.
//
// While it runs others may write. What they commit with the content in it is written anew as well;
// a change that was begun on a root with the content can be committed only if that root is still
// there, and is refused otherwise. What holds the content in the end is reported.
// Threads     from any thread; one at a time for each realm (CONFLICT).
// Fails with  PATH_NOT_FOUND, NODE_NOT_FOUND, INVALID_ARGUMENT for what cannot be purged.
// Cost        reads every directory of the realm once, as the garbage collector does.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "data/realm/frozen_scope.h"
#include "data/realm/realm.h"

namespace cairn {

// Whatever stands at a path of a depot, and did in any version that is kept; or a file or directory
// wherever it is.
using PurgeTarget = std::variant<Place, NodeKey>;

struct PurgeOptions {
  // The same content also at other paths, in other depots and deleted ones, and in roots that are
  // not committed. A node is purged everywhere in any case.
  bool everywhere = false;
  bool dry_run = false;
  std::span<const FrozenScope> frozen = {};
};

// What still has the content, or a part of it.
struct PurgeHolder {
  enum class Kind { kDepot, kDeletedDepot, kDraft, kScope, kImport, kUpload };

  Kind kind = Kind::kDepot;
  std::optional<DepotId> depot = std::nullopt;
  std::string title = {};
  std::string path = {};
  // The newest version of the depot that has it there; nothing: the depot as it is now.
  std::optional<std::uint64_t> version = std::nullopt;
  std::optional<NodeKey> root = std::nullopt;         // of a draft, or of a scope
  std::optional<DelegateId> delegate = std::nullopt;  // whose scope it is
  std::string delegate_name = {};
  std::optional<Millis> until = std::nullopt;  // when it ends by itself
};
std::string_view name(PurgeHolder::Kind kind);

struct PurgeReport {
  static constexpr std::size_t kMaxHolders = 100;

  std::vector<NodeKey> content;      // the files and directories that were named
  std::uint64_t versions = 0;        // written anew
  std::uint64_t depots = 0;          // whose versions these are
  std::uint64_t imports = 0;         // memories of what a directory had, which are forgotten
  std::uint64_t drafts = 0;          // roots that were not committed and are given up
  std::uint64_t removed = 0;         // nodes
  std::uint64_t freed_bytes = 0;     // physical
  std::uint64_t kept = 0;            // files and directories of the content that are still stored
  std::vector<PurgeHolder> holders;  // why; the first kMaxHolders
  bool more_holders = false;
};

Result<PurgeReport> purge(Realm& realm, const PurgeTarget& target, const PurgeOptions& options);

}  // namespace cairn
