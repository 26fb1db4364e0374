#include "data/tree/nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "data/cas/dict.h"

namespace cairn {
namespace {

constexpr std::uint64_t kLookedAt = 1000;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  auto difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit) return limit + 1;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      auto cost = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, cost});
    }
    if (*std::ranges::min_element(row) > limit) return limit + 1;
  }
  return row.back();
}

Result<std::string> nearest_name(const NodeReader& nodes, const NodePtr& dict,
                                 std::string_view name) {
  std::string best;
  auto limit = std::max<std::size_t>(1, name.size() / 3);
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
