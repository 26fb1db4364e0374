// Origin: what a root grew from at a place, so that its commit can be merged with what others did
// since. Keys are made of content, so the same root may arise more than once, on different bases:
// an origin keeps them all, and whoever commits the root can say which is meant.
//
// Threads  a value.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "data/cas/node_key.h"
#include "data/realm/place.h"

namespace cairn {

struct Origin {
  static constexpr std::size_t kMaxOthers = 4;

  Place place;
  NodeKey base;  // the newest: what stood at the place when the root was made last
  Millis time = 0;
  // Further ones: the root itself, first, when it was committed; then the newer before the older.
  std::vector<NodeKey> others = {};

  bool grew_from(const NodeKey& root) const;
  // The origin of what is made on `from`, of which this is the origin: of a root that was
  // committed, that root and what it was made on when it was made anew; of a draft, all that it
  // grew from.
  Origin of_what_is_made_on(const NodeKey& from) &&;
  // Adds what was known of `root` before this was noted of it.
  void add(const Origin& known, const NodeKey& root);
  // The base for a commit of `root`: the caller's word decides among those there are, then where
  // the place is now, else it is the newest. A root that was committed grew from itself, unless it
  // was made anew since.
  NodeKey base_for(const NodeKey& root, const std::optional<NodeKey>& expected,
                   const std::optional<NodeKey>& current) const;

  bool operator==(const Origin&) const = default;
};

}  // namespace cairn
