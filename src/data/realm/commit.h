// What a realm is asked for when a depot changes, and what comes of it.
//
// Threads  values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/realm/place.h"
#include "data/realm/records.h"

namespace cairn {

// At a place, `root` and `expected_root` are roots of that place.
struct CommitRequest {
  DepotId depot;
  NodeKey root;
  // Where the caller says it began. Callers are mistaken: what the root is known to have grown from
  // goes before it.
  std::optional<NodeKey> expected_root = std::nullopt;
  // The root that the change was made on, from code that made it there itself.
  std::optional<NodeKey> made_on = std::nullopt;
  std::string message;
  bool force = false;
  std::optional<DelegateId> author;
  Path place = {};
  // Never merge: PRECONDITION_FAILED unless the place is at expected_root, and the root is not
  // known to have grown from another.
  bool exact = false;
  // Become owners of the place's new root, and of the nodes in also_owned.
  std::vector<DelegateId> owners = {};
  std::vector<NodeKey> also_owned = {};
  // Everything is looked at and nothing is stored: the result is what it would be, but for its
  // depot, which is as it stands. Whether there is room is not known before.
  bool dry_run = false;
  // On a CONFLICT, a root is stored in which everything that fits is merged: `mergedRoot`.
  bool keep_merged = false;
  // What it takes back, for the history.
  std::optional<ChangeRange> undid = std::nullopt;
};

struct CommitResult {
  Depot depot;                           // the whole of it
  bool changed = true;                   // false: the depot already had this root
  bool merged = false;                   // others had committed at the place since the base
  std::vector<std::string> from_others;  // paths whose change came from them, the first 1,000
  NodeKey root = {};                     // of the place, now
  // Paths where others had made the same change already, the first 1,000.
  std::vector<std::string> same_as_others = {};
  // Nobody knew what the root grew from, so it took the place of what was there.
  bool base_unknown = false;
};

// A root that a delegate made and did not commit.
struct Uncommitted {
  NodeKey root;
  std::vector<std::string> paths;  // its changes that the depot does not have, the first of them
  bool more = false;               // there are others
};

// Commits to be taken back, as seen from a place.
struct UndoRequest {
  Place place;
  ChangeRange changes;
  std::string message;
  std::optional<DelegateId> author = std::nullopt;
  std::vector<DelegateId> owners = {};
  bool dry_run = false;  // as in CommitRequest
};

// What some commits did to a place.
struct Replaced {
  HistoryEntry last;  // the last of them; its root is of the place
  NodeKey before;     // what stood at the place before the first
};

struct SaveOptions {
  // Where the change began: the depot, or a place in it. Nullopt: at some root.
  std::optional<Place> place = std::nullopt;
  // Become owners of the new root, and of the nodes in also_owned.
  std::vector<DelegateId> owners = {};
  std::vector<NodeKey> also_owned = {};
  // Whose change it is: until it is committed, it is among the author's leaves.
  std::optional<DelegateId> author = std::nullopt;
};

}  // namespace cairn
