// The built-in functions: their names and what they take; private to the module's own sources.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cairn::jmespath {

enum class Function : std::uint8_t {
  kAbs,
  kAvg,
  kCeil,
  kContains,
  kEndsWith,
  kFloor,
  kJoin,
  kKeys,
  kLength,
  kMap,
  kMax,
  kMaxBy,
  kMerge,
  kMin,
  kMinBy,
  kNotNull,
  kReverse,
  kSort,
  kSortBy,
  kStartsWith,
  kSum,
  kToArray,
  kToNumber,
  kToString,
  kType,
  kValues,
};

// Bits of what an argument may be.
enum TypeBit : std::uint8_t {
  kNullBit = 1,
  kBooleanBit = 2,
  kNumberBit = 4,
  kStringBit = 8,
  kArrayBit = 16,
  kObjectBit = 32,
  kAnyBits = 63,
  kExpressionBit = 64,  // &expression
};

struct Signature {
  Function function;
  std::string_view name;
  std::uint8_t arguments[2];  // the bits of each; 0 when there is no second
  bool variadic = false;      // as many of the first as one likes, but one

  unsigned count() const { return arguments[1] == 0 ? 1 : 2; }
  std::uint8_t expected(unsigned argument) const { return arguments[variadic ? 0 : argument]; }
};

const Signature& signature(Function function);
// nullptr when there is none of that name.
const Signature* find_function(std::string_view name);
std::span<const Signature> all_functions();

}  // namespace cairn::jmespath
