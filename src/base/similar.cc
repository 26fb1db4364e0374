#include "base/similar.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/quote.h"

namespace cairn {
namespace {

// Nobody mistypes a name longer than this.
constexpr std::size_t kLongest = 255;

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

std::size_t similar_limit(std::string_view name) {
  return std::max<std::size_t>(1, name.size() / 3);
}

std::string_view most_similar(std::string_view name, std::span<const std::string> candidates) {
  std::string_view best;
  if (name.size() > kLongest) return best;
  auto limit = similar_limit(name);
  for (const auto& candidate : candidates) {
    auto distance = edit_distance(name, candidate, limit);
    if (distance > limit) continue;
    best = candidate;
    if (distance == 0) break;
    limit = distance - 1;
  }
  return best;
}

std::string hint_for(std::string_view name, std::span<const std::string> candidates,
                     std::string_view otherwise) {
  const auto near = most_similar(name, candidates);
  return near.empty() ? std::string(otherwise) : fmt::format("; did you mean '{}'?", shown(near));
}

}  // namespace cairn
