// How near two names are, for messages that ask "did you mean".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cairn {

// Insertions, deletions and replacements between two texts, without regard to the case of ASCII
// letters; stops counting above `limit`. Costs the product of the two sizes.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

// How far a name may be from the one that was meant.
std::size_t similar_limit(std::string_view name);

// The candidate nearest to `name`, the first of equals; empty when none is near.
std::string_view most_similar(std::string_view name, std::span<const std::string> candidates);

// "; did you mean 'path'?" for a message that ends with the name; `otherwise` when none is near.
std::string hint_for(std::string_view name, std::span<const std::string> candidates,
                     std::string_view otherwise = "");

}  // namespace cairn
