// Checks everything stored in a realm: every node's hash, every reference, every entry against
// what it names, every depot and history root, and the usage counts. Changes nothing, and goes on
// past what it finds. Given a store that others write to, it takes what they change meanwhile for
// damage: give it a realm of a snapshot (Store::snapshot).
//
// It can be ended at any time, and another check go on from there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
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

// How far a check came: all nodes up to a key, and those among them that are bad. It is written
// `nod_…`, with the bad ones behind it, after commas.
struct FsckPosition {
  // So many bad ones are looked at again when a check goes on; the others were told of before.
  static constexpr std::size_t kMostBad = 1000;

  NodeKey reached;
  std::vector<NodeKey> bad = {};

  static Result<FsckPosition> parse(std::string_view text);
  std::string render() const;
};

struct FsckProgress {
  std::uint64_t nodes = 0;  // looked at, by earlier checks too
  std::uint64_t total = 0;
  NodeKey reached;
  std::span<const NodeKey> bad;
};

struct FsckOptions {
  std::stop_token stop = {};
  std::optional<FsckPosition> resume = std::nullopt;
  // Called after each node, by the thread that checks.
  std::function<void(const FsckProgress&)> tell = nullptr;
};

struct FsckReport {
  std::uint64_t nodes = 0;  // looked at, without those of earlier checks
  std::uint64_t bytes = 0;
  std::uint64_t roots = 0;
  std::vector<FsckProblem>
      problems;  // those of earlier checks too, as far as the position has them
  // Where it was ended; nothing: it came to its end. Before that, paths are not all known.
  std::optional<FsckPosition> ended_at = std::nullopt;

  bool clean() const { return problems.empty() && !ended_at; }
};

// Fails only when the store cannot be read at all. Ends soon after `stop` is requested.
Result<FsckReport> fsck(Realm& realm, const FsckOptions& options = {});

}  // namespace cairn
