#include "data/realm/origin.h"

#include <algorithm>
#include <utility>

namespace cairn {

bool Origin::grew_from(const NodeKey& root) const {
  return base == root || std::ranges::find(others, root) != others.end();
}

Origin Origin::of_what_is_made_on(const NodeKey& from) && {
  if (base != from && grew_from(from)) others = {from};
  return std::move(*this);
}

void Origin::add(const Origin& known, const NodeKey& root) {
  if (known.grew_from(root) && !grew_from(root)) others.insert(others.begin(), root);
  auto before = known.others;
  before.insert(before.begin(), known.base);
  for (const auto& other : before) {
    if (!grew_from(other)) others.push_back(other);
  }
  if (others.size() > kMaxOthers) others.resize(kMaxOthers);
}

NodeKey Origin::base_for(const NodeKey& root, const std::optional<NodeKey>& expected,
                         const std::optional<NodeKey>& current) const {
  for (const auto& wanted : {expected, current}) {
    if (wanted && grew_from(*wanted)) return *wanted;
  }
  return base == root && !others.empty() ? others.front() : base;
}

}  // namespace cairn
