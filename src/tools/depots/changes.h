// The commits of a place as its caller is told of them: the messages it may read, the paths they
// touched, which of them were taken back, and which is the caller's own latest.
//
// Threads  one at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/executor/call.h"

namespace cairn::depots {

// A number that people write: `14` or `#14`. INVALID_ARGUMENT.
Result<std::uint64_t> change_number(std::string_view text);

class Changes final {
 public:
  // REQUIRES: the call outlives it, and sees the place.
  Changes(Call& call, Place place) : call_(call), place_(std::move(place)) {}

  // The paths that differ between two roots of the place, as many as `most`.
  Result<std::vector<std::string>> touched(const NodeKey& before, const NodeKey& after,
                                           std::size_t most) const;
  // What commits touched at the place. Empty when what they did is not known any more.
  Result<std::vector<std::string>> touched(const ChangeRange& changes, std::size_t most) const;

  // Whether the caller may read what is said of a commit. One that sees only a part of a depot is
  // not told what others said about the rest.
  bool may_read(const HistoryEntry& entry) const;
  // The message, or what takes its place for a caller that may not read it.
  Result<std::string> message(const HistoryEntry& entry) const;

  // What was taken back and is not there again, of the commits from this one on.
  Result<std::vector<ChangeRange>> undone_since(std::uint64_t sequence) const;
  // The caller's own latest commit that is no undo and was not taken back. HISTORY_NOT_FOUND.
  Result<std::uint64_t> own_latest() const;

 private:
  Result<bool> took_back(const HistoryEntry& entry, const ChangeRange& changes) const;

  Call& call_;
  Place place_;
};

bool contains(const std::vector<ChangeRange>& ranges, std::uint64_t sequence);

}  // namespace cairn::depots
