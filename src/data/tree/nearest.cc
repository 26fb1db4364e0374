#include "data/tree/nearest.h"

#include "base/similar.h"
#include "data/cas/dict.h"

namespace cairn {
namespace {

constexpr std::uint64_t kLookedAt = 1000;

}  // namespace

Result<std::string> nearest_name(const NodeReader& nodes, const NodePtr& dict,
                                 std::string_view name) {
  std::string best;
  auto limit = similar_limit(name);
  auto rank = TRY(dict_rank(nodes, dict, name));
  DictCursor cursor(nodes, dict);
  TRY(cursor.seek_index(rank > kLookedAt / 2 ? rank - kLookedAt / 2 : 0));
  for (std::uint64_t looked = 0; looked < kLookedAt && cursor.entry() != nullptr; ++looked) {
    auto distance = edit_distance(name, cursor.entry()->name, limit);
    if (distance <= limit) {
      best = cursor.entry()->name;
      if (distance == 0) break;
      limit = distance - 1;
    }
    TRY(cursor.next());
  }
  return best;
}

}  // namespace cairn
