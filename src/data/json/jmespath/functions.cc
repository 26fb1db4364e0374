#include "data/json/jmespath/functions.h"

#include <algorithm>
#include <cstddef>

namespace cairn::jmespath {
namespace {

constexpr std::uint8_t kMeasurable = kStringBit | kArrayBit | kObjectBit;
constexpr std::uint8_t kSequence = kStringBit | kArrayBit;

// In the order of Function, which is that of the names.
constexpr Signature kSignatures[] = {
    {Function::kAbs, "abs", {kNumberBit}},
    {Function::kAvg, "avg", {kArrayBit}},
    {Function::kCeil, "ceil", {kNumberBit}},
    {Function::kContains, "contains", {kSequence, kAnyBits}},
    {Function::kEndsWith, "ends_with", {kStringBit, kStringBit}},
    {Function::kFloor, "floor", {kNumberBit}},
    {Function::kJoin, "join", {kStringBit, kArrayBit}},
    {Function::kKeys, "keys", {kObjectBit}},
    {Function::kLength, "length", {kMeasurable}},
    {Function::kMap, "map", {kExpressionBit, kArrayBit}},
    {Function::kMax, "max", {kArrayBit}},
    {Function::kMaxBy, "max_by", {kArrayBit, kExpressionBit}},
    {Function::kMerge, "merge", {kObjectBit}, true},
    {Function::kMin, "min", {kArrayBit}},
    {Function::kMinBy, "min_by", {kArrayBit, kExpressionBit}},
    {Function::kNotNull, "not_null", {kAnyBits}, true},
    {Function::kReverse, "reverse", {kSequence}},
    {Function::kSort, "sort", {kArrayBit}},
    {Function::kSortBy, "sort_by", {kArrayBit, kExpressionBit}},
    {Function::kStartsWith, "starts_with", {kStringBit, kStringBit}},
    {Function::kSum, "sum", {kArrayBit}},
    {Function::kToArray, "to_array", {kAnyBits}},
    {Function::kToNumber, "to_number", {kAnyBits}},
    {Function::kToString, "to_string", {kAnyBits}},
    {Function::kType, "type", {kAnyBits}},
    {Function::kValues, "values", {kObjectBit}},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kSignatures); ++i) {
    if (static_cast<std::size_t>(kSignatures[i].function) != i) return false;
  }
  return std::ranges::is_sorted(kSignatures, {}, &Signature::name);
}
static_assert(in_order());

}  // namespace

const Signature& signature(Function function) {
  return kSignatures[static_cast<std::size_t>(function)];
}

const Signature* find_function(std::string_view name) {
  const auto* found = std::ranges::lower_bound(kSignatures, name, {}, &Signature::name);
  return found != std::end(kSignatures) && found->name == name ? found : nullptr;
}

std::span<const Signature> all_functions() { return kSignatures; }

}  // namespace cairn::jmespath
