// Checks everything stored in a realm: every node's hash, every reference, every entry against
// what it names, every depot and history root, and the usage counts. Changes nothing, and goes on
// past what it finds. Given a store that others write to, it takes what they change meanwhile for
// damage: give it a realm of a snapshot (Store::snapshot).
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "data/realm/realm.h"

namespace cairn {

struct FsckProblem {
  enum class Kind {
    kCorrupt,     // the stored bytes are not the node
    kMissing,     // something refers to a node that is not there
    kWrongEntry,  // an entry or branch does not describe the node it names
    kUsage,       // the usage counts are off
    kRecord,      // a depot or history record is damaged
  };

  Kind kind;
  NodeKey key;  // of the bad or missing node
  std::string message;
  std::vector<std::string> paths;  // where it is seen: `my-project (dpt_…): src/a.ts`
};

std::string_view name(FsckProblem::Kind kind);

struct FsckReport {
  std::uint64_t nodes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t roots = 0;
  std::vector<FsckProblem> problems;

  bool clean() const { return problems.empty(); }
};

// Fails only when the store cannot be read at all; BUDGET_EXCEEDED soon after `stop` is requested.
Result<FsckReport> fsck(Realm& realm, const std::stop_token& stop = {});

}  // namespace cairn
