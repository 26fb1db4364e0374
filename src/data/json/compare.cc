#include "data/json/compare.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

namespace cairn::json {
namespace {

// Holds every integer of 64 bits and every double.
using Wide = long double;
static_assert(std::numeric_limits<Wide>::digits >= 64);

Wide wide(const Value& number) {
  if (const auto* signed_number = number.if_int64()) return static_cast<Wide>(*signed_number);
  if (const auto* unsigned_number = number.if_uint64()) return static_cast<Wide>(*unsigned_number);
  return static_cast<Wide>(number.get_double());
}

// The absolute value of a number: digits * 10^exponent.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

Decimal decimal(double number) {
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, std::abs(number), std::chars_format::scientific)
          .ptr;
  Decimal result;
  const auto* at = buffer;
  bool fraction = false;
  for (; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      fraction = true;
      continue;
    }
    result.digits = result.digits * 10 + static_cast<std::uint64_t>(*at - '0');
    result.exponent -= fraction ? 1 : 0;
  }
  int exponent = 0;
  if (at != end) std::from_chars(at + (at[1] == '+' ? 2 : 1), end, exponent);
  result.exponent += exponent;
  return result;
}

Decimal decimal(const Value& number) {
  if (const auto* unsigned_number = number.if_uint64()) return {*unsigned_number, 0};
  if (const auto* signed_number = number.if_int64()) {
    const auto bits = static_cast<std::uint64_t>(*signed_number);
    return {*signed_number < 0 ? 0 - bits : bits, 0};
  }
  return decimal(number.get_double());
}

// REQUIRES: a and b below m.
std::uint64_t add_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t m) {
  return a >= m - b ? a - (m - b) : a + b;
}

// a * 10^power modulo m. REQUIRES: a below m.
std::uint64_t shift_modulo(std::uint64_t a, int power, std::uint64_t m) {
  for (; power > 0 && a != 0; --power) {
    const auto twice = add_modulo(a, a, m);
    const auto four = add_modulo(twice, twice, m);
    const auto five = add_modulo(four, a, m);
    a = add_modulo(five, five, m);
  }
  return a;
}

bool same_objects(const Object& a, const Object& b) {
  return a.size() == b.size() && std::ranges::all_of(a, [&](const auto& member) {
           const auto* other = find(b, member.key());
           return other != nullptr && same(member.value(), *other);
         });
}

void write_canonical_number(std::string& out, double number) {
  if (number >= -0x1p63 && number < 0x1p63 && std::trunc(number) == number) {
    write(out, static_cast<std::int64_t>(number));
  } else if (number > 0 && number < 0x1p64 && std::trunc(number) == number) {
    write(out, static_cast<std::uint64_t>(number));
  } else {
    write(out, number);
  }
}

void write_canonical_object(std::string& out, const Object& object) {
  std::vector<const Object::value_type*> members;
  for (const auto& member : object) members.push_back(&member);
  std::ranges::sort(members, {},
                    [](const auto* member) { return std::string_view(member->key()); });
  out += '{';
  for (const auto* member : members) {
    write(out, member->key());
    out += ':';
    write_canonical(out, member->value());
    out += ',';
  }
  out += '}';
}

}  // namespace

bool is_integer(const Value& value) {
  if (value.is_int64() || value.is_uint64()) return true;
  const auto* number = value.if_double();
  return number != nullptr && std::isfinite(*number) && std::trunc(*number) == *number;
}

std::partial_ordering compare_numbers(const Value& a, const Value& b) {
  return wide(a) <=> wide(b);
}

bool is_multiple(const Value& value, const Value& of) {
  const auto number = decimal(value);
  auto unit = decimal(of);
  if (number.digits == 0) return true;
  if (number.exponent >= unit.exponent) {
    return shift_modulo(number.digits % unit.digits, number.exponent - unit.exponent,
                        unit.digits) == 0;
  }
  for (; unit.exponent > number.exponent; --unit.exponent) {
    if (unit.digits > number.digits / 10) return false;
    unit.digits *= 10;
  }
  return number.digits % unit.digits == 0;
}

bool same(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return compare_numbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  if (a.is_array()) return std::ranges::equal(a.get_array(), b.get_array(), same);
  if (a.is_object()) return same_objects(a.get_object(), b.get_object());
  if (a.is_string()) return a.get_string() == b.get_string();
  return a.is_null() || a.get_bool() == b.get_bool();
}

void write_canonical(std::string& out, const Value& value) {
  if (const auto* number = value.if_double()) return write_canonical_number(out, *number);
  if (const auto* object = value.if_object()) return write_canonical_object(out, *object);
  if (const auto* array = value.if_array()) {
    out += '[';
    for (const auto& element : *array) {
      write_canonical(out, element);
      out += ',';
    }
    out += ']';
    return;
  }
  write(out, value);
}

std::optional<std::pair<std::size_t, std::size_t>> equal_elements(const Array& array) {
  std::vector<std::pair<std::string, std::size_t>> spellings(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) {
    write_canonical(spellings[i].first, array[i]);
    spellings[i].second = i;
  }
  std::ranges::sort(spellings);
  const auto twice =
      std::ranges::adjacent_find(spellings, {}, &std::pair<std::string, std::size_t>::first);
  if (twice == spellings.end()) return std::nullopt;
  return std::pair(twice[0].second, twice[1].second);
}

}  // namespace cairn::json
