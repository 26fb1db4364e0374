#include "base/quote.h"

#include <algorithm>

#include "base/utf8.h"

namespace cairn {
namespace {

// The length of the character at the front, or 0 when it is not valid UTF-8.
std::size_t character(std::string_view text) {
  for (std::size_t length = 1; length <= 4 && length <= text.size(); ++length) {
    if (valid_utf8(text.substr(0, length))) return length;
  }
  return 0;
}

// The bytes that a character takes in a JSON string besides itself.
std::size_t escape_bytes(char c) {
  if (c == '"' || c == '\\' || (c >= '\b' && c <= '\r' && c != '\v')) return 1;
  return static_cast<unsigned char>(c) < 0x20 ? 5 : 0;
}

}  // namespace

std::string shown(std::string_view text, std::size_t max_bytes) {
  const bool plain = text.size() <= max_bytes &&
                     std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
  if (plain) return std::string(text);
  std::string out;
  while (!text.empty()) {
    auto length = character(text);
    auto lead = static_cast<unsigned char>(text.front());
    // U+0080 to U+009F are control characters too.
    bool control = lead < 0x20 || lead == 0x7f ||
                   (lead == 0xC2 && length == 2 && static_cast<unsigned char>(text[1]) < 0xA0);
    bool printable = length > 0 && !control;
    std::string_view next = printable ? text.substr(0, length) : "\uFFFD";
    if (out.size() + next.size() > max_bytes) return out + "…";
    out += next;
    text.remove_prefix(length > 0 ? length : 1);
  }
  return out;
}

std::size_t json_bytes(std::string_view text) {
  std::size_t bytes = text.size();
  for (const char c : text) bytes += escape_bytes(c);
  return bytes;
}

std::string_view json_prefix(std::string_view text, std::size_t max_bytes) {
  std::size_t end = 0;
  for (std::size_t bytes = 0; end < text.size(); ++end) {
    bytes += 1 + escape_bytes(text[end]);
    if (bytes > max_bytes) break;
  }
  const auto is_inside = [&] {
    return end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80;
  };
  while (end > 0 && is_inside()) --end;
  return text.substr(0, end);
}

}  // namespace cairn
