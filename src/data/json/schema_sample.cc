// Values to show what a schema lets through: guessed, and checked by whoever uses them.
#include <algorithm>

#include "data/json/schema_proof.h"

namespace cairn::json {
namespace {

constexpr int kMaxDepth = 6;
constexpr std::uint64_t kLongest = 50;

Value number(const Case& values) {
  const auto low = lower(values);
  const auto high = upper(values);
  const bool fraction = values.kinds == kFractions;
  if (low && !low->exclusive) return low->value;
  if (low) return low->value.to_number<double>() + (fraction ? 0.5 : 1.0);
  if (high) return high->exclusive ? Value(high->value.to_number<double>() - 1.0) : high->value;
  return fraction ? Value(0.5) : Value(0);
}

}  // namespace

std::optional<Value> Proof::sample(const Case& every, int depth) {
  auto values = every;
  if (depth > kMaxDepth || !step() || !expand(values, steps_)) return std::nullopt;
  if (const auto list = listed(values)) {
    for (const auto& value : *list) {
      if ((kind_of(value) & values.kinds) != 0 && !excludes(values, value)) return value;
    }
    return std::nullopt;
  }
  for (const auto& node : values.all) {
    const auto& forms = node.rule().any_of.empty() ? node.rule().one_of : node.rule().any_of;
    if (forms.empty() || values.chosen.contains({node, Choice::kAnyOf})) continue;
    values.chosen.insert({node, Choice::kAnyOf});
    for (const auto id : forms) {
      if (auto value = sample(values.with(node.other(id)), depth + 1)) return value;
    }
    return std::nullopt;
  }
  if ((values.kinds & ~(kArrays | kObjects)) != 0) return sample_scalar(values);
  if ((values.kinds & kObjects) != 0) return sample_object(values, depth);
  const auto fewest = least(values, &Rule::min_items).value_or(0);
  if ((values.kinds & kArrays) == 0 || fewest > kLongest) return std::nullopt;
  return sample_array(values, fewest, depth);
}

std::optional<Value> Proof::sample_scalar(const Case& values) {
  if ((values.kinds & kStrings) != 0) {
    const auto length = std::min(least(values, &Rule::min_length).value_or(0), kLongest);
    return Value(std::string(length, 'a'));
  }
  if ((values.kinds & kNumbers) != 0) return number(values.of_kind(kNumbers));
  if ((values.kinds & kBooleans) != 0) return Value(true);
  return Value(nullptr);
}

std::optional<Value> Proof::sample_array(const Case& values, std::size_t count, int depth) {
  Array out;
  for (std::size_t i = 0; i < count; ++i) {
    auto value = sample(element(values, i), depth + 1);
    if (!value) return std::nullopt;
    out.push_back(std::move(*value));
  }
  return Value(std::move(out));
}

std::optional<Value> Proof::sample_object(const Case& values, int depth) {
  Object out;
  for (const auto& name : required(values)) {
    auto value = sample(member(values, name), depth + 1);
    if (!value) return std::nullopt;
    out.insert_or_assign(name, std::move(*value));
  }
  return Value(std::move(out));
}

}  // namespace cairn::json
