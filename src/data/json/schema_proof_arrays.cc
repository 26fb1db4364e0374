#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "data/json/schema_proof.h"

namespace cairn::json {
namespace {

constexpr std::uint64_t kLongestExample = 50;

// The rules that always look at the same value: the rule, what it refers to, and its `allOf`.
Case unconditional(Node rule, std::size_t& steps) {
  Case speaker{.all = {rule}};
  expand(speaker, steps);
  return speaker;
}

}  // namespace

MaybeGap Proof::show_arrays(const Case& every, Node rule) {
  const auto values = every.of_kind(kArrays);
  const auto& wanted = rule.rule();
  const auto fewest = least(values, &Rule::min_items).value_or(0);
  const auto longest = most(values, &Rule::max_items);
  const auto of_size = [&](std::uint64_t count) {
    if (count > kLongestExample) return std::optional<Value>();
    return pick(values, rule, {sample_array(values, count, 0).value_or(nullptr)});
  };
  if (wanted.min_items && fewest < *wanted.min_items) {
    return Gap{place_of(values, "minItems", &Rule::min_items),
               fmt::format("lets arrays of fewer than {} items through", *wanted.min_items),
               fmt::format("give a \"minItems\" of {} or more", *wanted.min_items),
               of_size(fewest)};
  }
  if (wanted.max_items && !(longest && *longest <= *wanted.max_items)) {
    return Gap{place_of(values, "maxItems", &Rule::max_items),
               fmt::format("lets arrays of more than {} items through", *wanted.max_items),
               fmt::format("give a \"maxItems\" of {} or less", *wanted.max_items),
               of_size(*wanted.max_items + 1)};
  }
  const bool unique =
      std::ranges::any_of(values.all, [](Node node) { return node.rule().unique_items; });
  if (wanted.unique_items && !unique && !(longest && *longest <= 1)) {
    return Gap{values.at, "lets arrays through that have an item twice",
               "give \"uniqueItems\": true", of_size(std::max<std::uint64_t>(fewest, 2))};
  }
  for (std::size_t i = 0; i < wanted.prefix_items.size(); ++i) {
    if (auto gap = show_element(values, i, rule.other(wanted.prefix_items[i]))) return gap;
  }
  if (wanted.items) {
    if (auto gap = show_items(values, rule, wanted.prefix_items.size(), *wanted.items)) return gap;
  }
  return show_contains(values, rule);
}

// All elements from there on.
MaybeGap Proof::show_items(const Case& values, Node rule, std::size_t from, RuleId id) {
  const auto last = std::max(from, prefix_size(values));
  for (auto i = from; i <= last; ++i) {
    if (auto gap = show_element(values, i, rule.other(id))) return gap;
  }
  return std::nullopt;
}

MaybeGap Proof::show_element(const Case& values, std::size_t i, Node rule) {
  const auto longest = most(values, &Rule::max_items);
  if (longest && i >= *longest) return std::nullopt;
  auto gap = show_part(element(values, i), rule);
  if (!gap || !gap->example) return gap;
  const auto count = std::max<std::uint64_t>(i + 1, least(values, &Rule::min_items).value_or(0));
  auto whole = count > kLongestExample ? std::nullopt : sample_array(values, count, 0);
  if (whole && whole->is_array() && whole->get_array().size() > i) {
    whole->get_array()[i] = std::move(*gap->example);
  }
  gap->example = std::move(whole);
  return gap;
}

MaybeGap Proof::show_contains(const Case& values, Node rule) {
  const auto& wanted = rule.rule();
  if (!wanted.contains) return std::nullopt;
  const auto kind = rule.other(*wanted.contains);
  const auto fewest = wanted.min_contains.value_or(1);
  const bool enough =
      fewest == 0 ||
      std::ranges::any_of(
          values.all,
          [&](Node node) {
            const auto& own = node.rule();
            return own.contains && own.min_contains.value_or(1) >= fewest &&
                   shown_part(Case{.all = {node.other(*own.contains)}, .at = values.at}, kind);
          }) ||
      (least(values, &Rule::min_items).value_or(0) >= fewest &&
       !show_items(values, kind, 0, kind.id));
  const auto longest = most(values, &Rule::max_items);
  const bool few =
      !wanted.max_contains || (longest && *longest <= *wanted.max_contains) ||
      std::ranges::any_of(values.all, [&](Node node) {
        const auto& own = node.rule();
        return own.contains && own.max_contains && *own.max_contains <= *wanted.max_contains &&
               shown_part(Case{.all = {kind}, .at = values.at}, node.other(*own.contains));
      });
  if (enough && few) return std::nullopt;
  return Gap{place_of(values, "contains", &Rule::contains),
             fmt::format("lets arrays through that contain too {} items of a kind",
                         enough ? "many" : "few"),
             "give the same \"contains\", \"minContains\" and \"maxContains\"",
             pick(values, rule, {Value(Array())})};
}

// Elements that some alternative may have looked at count as not looked at.
MaybeGap Proof::show_unevaluated_items(const Case& values, Node rule) {
  const auto& wanted = rule.rule();
  if (!wanted.unevaluated_items || (values.kinds & kArrays) == 0) return std::nullopt;
  const auto speaker = unconditional(rule, steps_);
  for (const auto& node : speaker.all) {
    const bool own = node == rule;
    if (node.rule().items || (!own && node.rule().unevaluated_items)) return std::nullopt;
  }
  return show_items(values.of_kind(kArrays), rule, prefix_size(speaker), *wanted.unevaluated_items);
}

// Whether an array of the case would need an element that cannot be.
bool Proof::no_arrays(const Case& values) {
  const auto fewest = least(values, &Rule::min_items).value_or(0);
  const auto last = std::min<std::uint64_t>(fewest, prefix_size(values) + 1);
  for (std::size_t i = 0; i < last; ++i) {
    if (shown_part(element(values, i), nothing_)) return true;
  }
  return false;
}

}  // namespace cairn::json
