#include "base/quote.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/show.h"
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

// The code point of a valid character.
char32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return lead;
  char32_t out = lead & (0x7F >> character.size());
  for (const char c : character.substr(1))
    out = (out << 6) | (static_cast<unsigned char>(c) & 0x3F);
  return out;
}

// Commands to a terminal, and characters that make a text look like another: bidirectional
// controls, line separators, annotations.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x206F) ||
         (c >= 0xFFF9 && c <= 0xFFFB);
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
    bool printable = length > 0 && !is_control(code_point(text.substr(0, length)));
    std::string_view next = printable ? text.substr(0, length) : "\uFFFD";
    if (out.size() + next.size() > max_bytes) return out + "…";
    out += next;
    text.remove_prefix(length > 0 ? length : 1);
  }
  return out;
}

std::string shown_lines(std::string_view text) {
  // Not find_first_of(): clang 19 makes of it, at -O1, a search that misses 0xFF.
  const auto passes = [](char c) { return c == '\t' || c == '\n' || c == '\xFF'; };
  std::string out;
  while (!text.empty()) {
    const auto end = static_cast<std::size_t>(std::ranges::find_if(text, passes) - text.begin());
    out += shown(text.substr(0, end), std::string::npos);
    text.remove_prefix(end);
    const std::size_t kept = text.starts_with('\xFF') ? 2 : 1;
    out += text.substr(0, kept);
    text.remove_prefix(std::min(kept, text.size()));
  }
  return out;
}

std::string shown_json(std::string json) {
  const auto ascii = [](char c) { return static_cast<signed char>(c) >= 0 && c != 0x7F; };
  if (std::ranges::all_of(json, ascii)) return json;
  std::string out;
  for (std::string_view rest = json; !rest.empty();) {
    const auto length = std::max<std::size_t>(character(rest), 1);
    const auto next = rest.substr(0, length);
    const bool escaped = length > 1 || next.front() == 0x7F;
    const auto code = escaped ? static_cast<unsigned>(code_point(next)) : 0U;
    if (escaped && is_control(code)) {
      out += fmt::format("\\u{:04x}", code);
    } else {
      out += next;
    }
    rest.remove_prefix(length);
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
