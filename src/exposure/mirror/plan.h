// The plan that keeps a directory and a depot in step. For each path it goes by what both sides
// last agreed on, what the directory has now and what the depot has now.
//
//   changed on one side only        goes to the other, deletions too
//   changed on both, to the same    is agreed on
//   changed on both, differently    a conflict: both sides stay as they are
//   changed here, deleted there     a conflict
//   a file here, a directory there  goes with all below it: to the other side when only one side
//                                   changed any of it, else a conflict
//
// Directories are there or not, nothing else. One that was deleted on a side goes on the other too,
// once nothing is left in it.
//
// Invariants  without `keep`, what differs on a side from what was agreed on stays there as it is;
//             what was never agreed on is never removed.
// Threads     plain functions of their arguments.
// Costs       the three trees' entries, times the logarithm of their number and the paths' depth.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "exposure/client/local_tree.h"

namespace cairn::mirror {

using client::EntryKind;

template <typename T>
using ByPath = std::map<std::string, T, std::less<>>;
using Paths = std::set<std::string, std::less<>>;

struct MirrorEntry {
  EntryKind kind = EntryKind::kFile;
  std::string key = {};  // of a file
  std::uint64_t size = 0;
};

// One side as it is now, by the path from its root.
struct MirrorTree {
  ByPath<MirrorEntry> entries;
  // Entries that are there and not looked at, and why: neither they nor anything below them is
  // touched on either side. An empty reason: it was asked for.
  ByPath<std::string> left_out;
};

// The keys that both sides had. Those of one content differ when the depot says it is of another
// type than its name does.
struct MirrorAgreed {
  EntryKind kind = EntryKind::kFile;
  std::string directory_key = {};
  std::string depot_key = {};

  bool operator==(const MirrorAgreed&) const = default;
};
using MirrorBase = ByPath<MirrorAgreed>;

enum class MirrorSide { kDirectory, kDepot };
MirrorSide other(MirrorSide side);

struct MirrorStep {
  MirrorSide to = MirrorSide::kDepot;
  std::string path;
  EntryKind kind = EntryKind::kFile;  // of what is written or removed
  bool remove = false;

  bool operator==(const MirrorStep&) const = default;
};

struct MirrorConflict {
  std::string path;
  std::string what;  // `changed in the directory and in the depot`
};

// A change on a side from which nothing is taken.
struct MirrorLeft {
  std::string path;
  MirrorSide on = MirrorSide::kDepot;
  std::string what;  // `changed`
};

struct MirrorPlan {
  // Removals first, what is held before what holds it; then writes, the other way round.
  std::vector<MirrorStep> steps;
  std::vector<MirrorConflict> conflicts;
  std::vector<MirrorLeft> not_taken;
  // Where both sides are equal, and that was not yet known.
  std::vector<std::string> agreed;
  // Paths that were agreed on and that neither side has any more.
  std::vector<std::string> forgotten;
};

struct MirrorRules {
  // Nullopt: both are.
  std::optional<MirrorSide> only_to = {};
  // The winner of a conflict; nullopt: nobody.
  std::function<std::optional<MirrorSide>(std::string_view path)> keep = {};
  // Files with the same bytes under different keys.
  Paths same = {};
};

MirrorPlan plan_mirror(const MirrorBase& base, const MirrorTree& directory, const MirrorTree& depot,
                       const MirrorRules& rules);

// Whether one of the paths is above this one.
bool is_below(std::string_view path, const Paths& above);
// Whether it, or one above it, is left out.
bool is_left_out(std::string_view path, const MirrorTree& tree);

}  // namespace cairn::mirror
