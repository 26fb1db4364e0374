// JSON as a value: the one place where texts become Boost.JSON values and values become texts.
//
// Boost's own parser reads three doubles in ten one bit off and lets the last of two equal keys
// win; its serialiser spells 100.0 as 1E2. Nothing else in Cairn calls them.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/kind.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include "base/result.h"

namespace cairn::json {

using Value = boost::json::value;
using Object = boost::json::object;
using Array = boost::json::array;
using String = boost::json::string;
using Kind = boost::json::kind;

struct ParseLimits {
  // How many arrays and objects may be open at once; at most 1000 whatever is asked.
  std::size_t max_depth = 100;
  // How many values there may be in all. A small one takes thirty times the room of its text.
  std::size_t max_values = std::numeric_limits<std::size_t>::max();
};

// For what a server is sent: large texts are welcome, millions of values are not.
inline constexpr ParseLimits kFromClients{.max_depth = 100, .max_values = 200'000};

// The whole text as one value (RFC 8259), strictly: no comments, trailing commas, byte order mark,
// equal keys in one object, invalid UTF-8, lone surrogates, or numbers too large for a double.
// Integers that fit in 64 bits stay integers; every other number is the nearest double. Members
// keep their order.
//
// Fails with  INVALID_JSON: what is wrong where; details `line` and `column` from 1 (in
//             characters), `offset` from 0 (in bytes).
// Costs       linear time.
Result<Value> parse(std::string_view text, const ParseLimits& limits = {});

// Numbers as parse() would give them: those that fit are signed, whatever they were made from.
void use_signed_numbers(Value& value);

// Without white space; what parse() gives back is the same value. A double is spelled shortest and
// as a double (`1.0`); one that JSON cannot say (infinite, not a number) becomes null.
// REQUIRES: strings are UTF-8.
std::string write(const Value& value);
void write(std::string& out, const Value& value);

// For people: one member or element a line, two spaces a level.
std::string write_pretty(const Value& value);

// The member of that name, or nullptr.
const Value* find(const Object& object, std::string_view key);

// The characters of a string; empty when the value is not a string.
std::string_view text(const Value& value);

}  // namespace cairn::json
