#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/quote.h"
#include "data/json/compare.h"
#include "data/json/schema_message.h"
#include "data/json/schema_proof.h"

namespace cairn::json {
namespace {

constexpr std::uint64_t kLongestExample = 2000;

std::string_view phrase(std::uint8_t kind) {
  switch (kind) {
    case kIntegers:
      return "integers";
    case kFractions:
      return "numbers with a fraction";
    case kStrings:
      return "strings";
    case kArrays:
      return "arrays";
    default:
      return "objects";
  }
}

std::optional<Case> lowest_kind(const Case& values, int kinds) {
  const auto stray = values.kinds & kinds;
  if (stray == 0) return std::nullopt;
  return values.of_kind(static_cast<std::uint8_t>(stray & -stray));
}

bool at_least(const std::optional<Bound>& have, const Value& want, bool exclusive) {
  if (!have) return false;
  const auto order = compare_numbers(have->value, want);
  return order > 0 || (order == 0 && (have->exclusive || !exclusive));
}

bool at_most(const std::optional<Bound>& have, const Value& want, bool exclusive) {
  if (!have) return false;
  const auto order = compare_numbers(have->value, want);
  return order < 0 || (order == 0 && (have->exclusive || !exclusive));
}

// Numbers near a limit, one of which may be beyond it.
Array near(const Value& limit, const std::optional<Bound>& own, int direction) {
  Array out;
  if (own && !own->exclusive) out.push_back(own->value);
  out.push_back(limit);
  const auto number = limit.to_number<double>();
  for (const double distance : {1.0, 2.0, 0.5, 10.0}) {
    const auto beyond = number + distance * direction;
    if (std::abs(beyond) < 0x1p53 && std::trunc(beyond) == beyond) {
      out.emplace_back(static_cast<std::int64_t>(beyond));
    } else {
      out.emplace_back(beyond);
    }
  }
  return out;
}

}  // namespace

MaybeGap Proof::show_types(const Case& values, Node rule) {
  const auto& wanted = rule.rule();
  if (wanted.types == 0) return std::nullopt;
  const auto stray = lowest_kind(values, kEveryKind & ~kinds_of_types(wanted.types));
  if (!stray) return std::nullopt;
  auto type = expected_types(wanted.types).substr(3);
  return Gap{place_of(values, "type", &Rule::types),
             fmt::format("lets {} through", phrase(stray->kinds)),
             fmt::format("give a \"type\" for {} only", type), sample(*stray)};
}

MaybeGap Proof::show_scalars(const Case& values, Node rule) {
  const auto& wanted = rule.rule();
  if (wanted.one_of_values || wanted.constant) {
    const auto list = wanted.constant ? Array(1, *wanted.constant) : *wanted.one_of_values;
    const auto first = *lowest_kind(values, kEveryKind);
    return Gap{values.at, fmt::format("lets {} through that are not listed", phrase(first.kinds)),
               fmt::format("give an \"enum\" of {}", expected_values(list, nullptr).substr(3)),
               pick(values, rule, Array{sample(first).value_or(0)})};
  }
  if ((values.kinds & kNumbers) != 0) {
    if (auto gap = show_numbers(values.of_kind(kNumbers), rule)) return gap;
  }
  if ((values.kinds & kStrings) != 0) return show_strings(values.of_kind(kStrings), rule);
  return std::nullopt;
}

MaybeGap Proof::show_numbers(const Case& values, Node rule) {
  const auto& wanted = rule.rule();
  const auto low = lower(values);
  const auto high = upper(values);
  const auto gap = [&](Rule::Number Rule::* field, std::string_view keyword, std::string_view fact,
                       int direction) {
    const auto& limit = *(wanted.*field);
    auto at = place_of(values, keyword, field);
    if (at == values.at && direction > 0) {
      at = place_of(values, "maximum", &Rule::maximum);
    } else if (at == values.at) {
      at = place_of(values, "minimum", &Rule::minimum);
    }
    return Gap{at, fmt::format("lets numbers {} {} through", fact, write(limit)),
               fmt::format("give a \"{}\" of {} or {}", keyword, write(limit),
                           direction > 0 ? "less" : "more"),
               pick(values, rule, near(limit, direction > 0 ? high : low, direction))};
  };
  if (wanted.minimum && !at_least(low, *wanted.minimum, false)) {
    return gap(&Rule::minimum, "minimum", "below", -1);
  }
  if (wanted.maximum && !at_most(high, *wanted.maximum, false)) {
    return gap(&Rule::maximum, "maximum", "above", 1);
  }
  if (wanted.exclusive_minimum && !at_least(low, *wanted.exclusive_minimum, true)) {
    return gap(&Rule::exclusive_minimum, "exclusiveMinimum", "not above", -1);
  }
  if (wanted.exclusive_maximum && !at_most(high, *wanted.exclusive_maximum, true)) {
    return gap(&Rule::exclusive_maximum, "exclusiveMaximum", "not below", 1);
  }
  if (!wanted.multiple_of) return std::nullopt;
  const auto& unit = *wanted.multiple_of;
  const bool multiples = std::ranges::any_of(values.all, [&](Node node) {
    const auto& own = node.rule().multiple_of;
    return own && is_multiple(*own, unit);
  });
  if (multiples || (values.kinds == kIntegers && is_multiple(Value(1), unit))) return std::nullopt;
  return Gap{place_of(values, "multipleOf", &Rule::multiple_of),
             fmt::format("lets numbers through that are no multiple of {}", write(unit)),
             fmt::format("give a \"multipleOf\" of {}", write(unit)),
             pick(values, rule, near(unit, low, 1))};
}

MaybeGap Proof::show_strings(const Case& values, Node rule) {
  const auto& wanted = rule.rule();
  const auto of_length = [&](std::uint64_t length) {
    return pick(values, rule, {Value(std::string(std::min(length, kLongestExample), 'a'))});
  };
  if (wanted.min_length.value_or(0) > least(values, &Rule::min_length).value_or(0)) {
    const auto limit = *wanted.min_length;
    return Gap{place_of(values, "minLength", &Rule::min_length),
               fmt::format("lets strings of fewer than {} characters through", limit),
               fmt::format("give a \"minLength\" of {} or more", limit), of_length(limit - 1)};
  }
  const auto longest = most(values, &Rule::max_length);
  if (wanted.max_length && !(longest && *longest <= *wanted.max_length)) {
    const auto limit = *wanted.max_length;
    return Gap{place_of(values, "maxLength", &Rule::max_length),
               fmt::format("lets strings of more than {} characters through", limit),
               fmt::format("give a \"maxLength\" of {} or less", limit),
               limit < kLongestExample ? of_length(limit + 1) : std::nullopt};
  }
  if (!wanted.pattern) return std::nullopt;
  const auto& pattern = wanted.pattern->pattern();
  const bool same_pattern = std::ranges::any_of(values.all, [&](Node node) {
    return node.rule().pattern && node.rule().pattern->pattern() == pattern;
  });
  if (same_pattern) return std::nullopt;
  return Gap{place_of(values, "pattern", &Rule::pattern),
             fmt::format("lets strings through that do not match '{}'", shown(pattern)),
             fmt::format("give the same \"pattern\", with another in an \"allOf\" beside it"),
             pick(values, rule, Array{sample(values).value_or(0), "", "a", "?"})};
}

}  // namespace cairn::json
