// Letters, digits and blanks of ASCII, whatever the locale is. Of bytes and of code points; what is
// beyond ASCII is neither.
//
// Threads     functions without state.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace cairn {

constexpr bool is_digit(auto c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(auto c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_alphanumeric(auto c) { return is_letter(c) || is_digit(c); }

// The value of a hexadecimal digit in either case, or -1.
constexpr int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

// Without blanks and tabs at either end.
constexpr std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

}  // namespace cairn
