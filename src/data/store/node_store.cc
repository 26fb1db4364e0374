#include "data/store/node_store.h"

#include <algorithm>

namespace cairn {
namespace {

// The characters all keys with the prefix begin with.
std::string text_of(const KeyPrefix& prefix) {
  std::string low = prefix.low().render();
  const std::string high = prefix.high().render();
  low.erase(std::ranges::mismatch(low, high).in1, low.end());
  return low;
}

}  // namespace

Result<NodeKey> resolve(const NodeStore& store, const KeyPrefix& prefix) {
  constexpr std::size_t kShown = 8;
  const auto keys = TRY(store.find(prefix.low(), prefix.high(), kShown));
  if (keys.size() == 1) return keys.front();
  if (keys.empty()) {
    return fail(Code::kNodeNotFound, "no stored node has a key that begins with {}",
                text_of(prefix));
  }
  std::vector<std::string> candidates;
  for (const auto& key : keys) candidates.push_back(key.render());
  std::string message =
      fmt::format("several nodes have a key that begins with {}: {}; give more characters",
                  text_of(prefix), fmt::join(candidates, ", "));
  return Failure(
      Error(Code::kAmbiguousKey, std::move(message)).with("candidates", std::move(candidates)));
}

}  // namespace cairn
