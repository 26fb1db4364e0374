#include "data/json/schema_case.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/json/compare.h"
#include "data/json/schema_cycle.h"

namespace cairn::json {
namespace {

constexpr std::int64_t kFewIntegers = 64;

void drop(Case& values, std::uint8_t kinds) {
  values.kinds = static_cast<std::uint8_t>(values.kinds & ~kinds);
}

bool contradict(const Rule::Count& min, const Rule::Count& max) {
  return min && max && *min > *max;
}

bool contradict(const std::optional<Bound>& low, const std::optional<Bound>& high) {
  if (!low || !high) return false;
  const auto order = compare_numbers(low->value, high->value);
  return order > 0 || (order == 0 && (low->exclusive || high->exclusive));
}

void drop_contradicting_kinds(Case& values) {
  for (const auto& node : values.all) {
    const auto& rule = node.rule();
    if (rule.always == false) values.kinds = 0;
    if (rule.types != 0) values.kinds &= kinds_of_types(rule.types);
    if (rule.multiple_of && is_integer(*rule.multiple_of)) drop(values, kFractions);
  }
  if (contradict(least(values, &Rule::min_length), most(values, &Rule::max_length))) {
    drop(values, kStrings);
  }
  if (contradict(least(values, &Rule::min_items), most(values, &Rule::max_items))) {
    drop(values, kArrays);
  }
  if (contradict(least(values, &Rule::min_properties), most(values, &Rule::max_properties))) {
    drop(values, kObjects);
  }
  if (contradict(lower(values), upper(values))) drop(values, kNumbers);
}

// Between integers, `more than 2.5` is `at least 3`.
Bound whole(Bound bound, int direction) {
  if (auto* number = bound.value.if_double()) {
    if (!(std::abs(*number) < 0x1p62)) return bound;
    const auto inside = direction > 0 ? std::ceil(*number) : std::floor(*number);
    bound.exclusive = bound.exclusive && inside == *number;
    bound.value = static_cast<std::int64_t>(inside);
  }
  const auto* number = bound.value.if_int64();
  if (!bound.exclusive || number == nullptr) return bound;
  const auto last = direction > 0 ? std::numeric_limits<std::int64_t>::max()
                                  : std::numeric_limits<std::int64_t>::min();
  if (*number == last) return bound;
  return {Value(*number + direction), false};
}

// The strictest limit; direction is 1 for lower ones, -1 for upper ones.
std::optional<Bound> limit(const Case& values, Rule::Number Rule::* inclusive,
                           Rule::Number Rule::* exclusive, int direction) {
  std::optional<Bound> strictest;
  const auto consider = [&](const Rule::Number& number, bool open) {
    if (!number) return;
    Bound bound{*number, open};
    if (values.kinds == kIntegers) bound = whole(bound, direction);
    const auto order = strictest ? compare_numbers(bound.value, strictest->value)
                                 : std::partial_ordering::unordered;
    const bool beyond = direction > 0 ? order > 0 : order < 0;
    if (!strictest || beyond || (order == 0 && bound.exclusive)) strictest = bound;
  };
  for (const auto& node : values.all) {
    consider(node.rule().*inclusive, false);
    consider(node.rule().*exclusive, true);
  }
  return strictest;
}

std::optional<Array> few_integers(const Case& values) {
  if (values.kinds != kIntegers) return std::nullopt;
  const auto low = lower(values);
  const auto high = upper(values);
  if (!low || !high || low->exclusive || high->exclusive) return std::nullopt;
  const auto* first = low->value.if_int64();
  const auto* last = high->value.if_int64();
  if (first == nullptr || last == nullptr) return std::nullopt;
  if (static_cast<std::uint64_t>(*last) - static_cast<std::uint64_t>(*first) > kFewIntegers) {
    return std::nullopt;
  }
  Array out;
  for (auto i = *first; i <= *last; ++i) out.emplace_back(i);
  return out;
}

void add_dependents(std::vector<Node>& out, const Case& values, Node node) {
  if (values.kinds != kObjects) return;
  const auto& rule = node.rule();
  for (const auto& [name, id] : rule.dependent_schemas) {
    const bool given = values.present.contains(name) ||
                       std::ranges::find(rule.required, name) != rule.required.end();
    if (given) out.push_back(node.other(id));
  }
}

bool expand_once(Case& values, std::size_t& steps) {
  std::set<Node> known;
  std::set<Node> none(values.none.begin(), values.none.end());
  auto left = values.all;
  while (!left.empty()) {
    const auto node = left.back();
    left.pop_back();
    if (steps == 0) return false;
    steps -= 1;
    if (!known.insert(node).second) continue;
    const auto& rule = node.rule();
    for (const auto id : rule.refs) left.push_back(node.other(id));
    for (const auto id : rule.all_of) left.push_back(node.other(id));
    if (rule.negated) none.insert(node.other(*rule.negated));
    add_dependents(left, values, node);
  }
  values.all.assign(known.begin(), known.end());
  values.none.assign(none.begin(), none.end());
  drop_contradicting_kinds(values);
  return true;
}

}  // namespace

std::uint8_t kinds_of_types(std::uint8_t types) {
  std::uint8_t kinds = 0;
  if ((types & kNullBit) != 0) kinds |= kNulls;
  if ((types & kBooleanBit) != 0) kinds |= kBooleans;
  if ((types & kIntegerBit) != 0) kinds |= kIntegers;
  if ((types & kNumberBit) != 0) kinds |= kNumbers;
  if ((types & kStringBit) != 0) kinds |= kStrings;
  if ((types & kArrayBit) != 0) kinds |= kArrays;
  if ((types & kObjectBit) != 0) kinds |= kObjects;
  return kinds;
}

std::uint8_t kind_of(const Value& value) {
  switch (value.kind()) {
    case Kind::null:
      return kNulls;
    case Kind::bool_:
      return kBooleans;
    case Kind::int64:
    case Kind::uint64:
    case Kind::double_:
      return is_integer(value) ? kIntegers : kFractions;
    case Kind::string:
      return kStrings;
    case Kind::array:
      return kArrays;
    case Kind::object:
      return kObjects;
  }
  return 0;
}

std::strong_ordering Case::compare(const Case& other) const {
  if (const auto order = kinds <=> other.kinds; order != 0) return order;
  if (const auto order = all <=> other.all; order != 0) return order;
  if (const auto order = none <=> other.none; order != 0) return order;
  if (const auto order = present <=> other.present; order != 0) return order;
  return chosen <=> other.chosen;
}

Case Case::with(Node node) const {
  auto out = *this;
  out.all.push_back(node);
  return out;
}

Case Case::without(Node node) const {
  auto out = *this;
  out.none.push_back(node);
  return out;
}

Case Case::of_kind(std::uint8_t bits) const {
  auto out = *this;
  out.kinds &= bits;
  return out;
}

bool expand(Case& values, std::size_t& steps) {
  if (!expand_once(values, steps)) return false;
  // Only now it may be known that all values are objects.
  return values.kinds != kObjects || expand_once(values, steps);
}

Rule::Count least(const Case& values, Rule::Count Rule::* field) {
  Rule::Count strictest;
  for (const auto& node : values.all) {
    const auto& count = node.rule().*field;
    if (count && (!strictest || *count > *strictest)) strictest = count;
  }
  return strictest;
}

Rule::Count most(const Case& values, Rule::Count Rule::* field) {
  Rule::Count strictest;
  for (const auto& node : values.all) {
    const auto& count = node.rule().*field;
    if (count && (!strictest || *count < *strictest)) strictest = count;
  }
  return strictest;
}

std::optional<Bound> lower(const Case& values) {
  return limit(values, &Rule::minimum, &Rule::exclusive_minimum, 1);
}

std::optional<Bound> upper(const Case& values) {
  return limit(values, &Rule::maximum, &Rule::exclusive_maximum, -1);
}

std::set<std::string, std::less<>> required(const Case& values) {
  auto names = values.present;
  for (const auto& node : values.all) {
    names.insert(node.rule().required.begin(), node.rule().required.end());
  }
  for (std::size_t before = 0; before != names.size();) {
    before = names.size();
    for (const auto& node : values.all) {
      for (const auto& [when, then] : node.rule().dependent_required) {
        if (names.contains(when)) names.insert(then.begin(), then.end());
      }
    }
  }
  return names;
}

std::optional<Array> listed(const Case& values) {
  std::optional<Array> shortest;
  for (const auto& node : values.all) {
    const auto& rule = node.rule();
    if (rule.constant) return Array(1, *rule.constant);
    if (rule.one_of_values && (!shortest || rule.one_of_values->size() < shortest->size())) {
      shortest = rule.one_of_values;
    }
  }
  return shortest ? shortest : few_integers(values);
}

Case element(const Case& values, std::size_t i) {
  Case out{.all = {}, .at = values.at};
  for (const auto& node : values.all) {
    const auto& rule = node.rule();
    if (i < rule.prefix_items.size()) {
      out.all.push_back(node.other(rule.prefix_items[i]));
    } else if (rule.items) {
      out.all.push_back(node.other(*rule.items));
    } else if (rule.unevaluated_items && !rule.contains && in_place(rule).empty()) {
      out.all.push_back(node.other(*rule.unevaluated_items));
    }
  }
  return out;
}

std::size_t prefix_size(const Case& values) {
  std::size_t longest = 0;
  for (const auto& node : values.all) {
    longest = std::max(longest, node.rule().prefix_items.size());
  }
  return longest;
}

}  // namespace cairn::json
