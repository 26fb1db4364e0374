#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "data/json/json.h"

namespace cairn::json {
namespace {

// For each byte of a string: 0 as it is, 'u' as \u00XX, otherwise the letter after the backslash.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> escapes{};
  for (std::size_t c = 0; c < 0x20; ++c) escapes[c] = 'u';
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  return escapes;
}();

template <typename T>
void write_number(std::string& out, T number) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  out.append(buffer, end);
}

void write_double(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  const auto begin = out.size();
  write_number(out, number);
  if (out.find_first_of(".e", begin) == out.npos) out += ".0";
}

// Whether one of eight bytes is below a space, a quote or a backslash, all at once.
bool has_escape(const char* eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, eight, sizeof bytes);
  const std::uint64_t quote = bytes ^ (kOnes * '"');
  const std::uint64_t backslash = bytes ^ (kOnes * '\\');
  const std::uint64_t found = ((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash) |
                              ((bytes - kOnes * ' ') & ~bytes);
  return (found & (kOnes * 0x80)) != 0;
}

// The bytes with their escapes; where they end.
char* escape(char* to, std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at != end) {
    if (end - at >= 8 && !has_escape(at)) {
      std::memcpy(to, at, 8);
      at += 8;
      to += 8;
      continue;
    }
    const auto byte = static_cast<unsigned char>(*at++);
    const char name = kEscapes[byte];
    if (name == 0) {
      *to++ = static_cast<char>(byte);
      continue;
    }
    *to++ = '\\';
    *to++ = name;
    if (name != 'u') continue;
    *to++ = '0';
    *to++ = '0';
    *to++ = kDigits[byte >> 4];
    *to++ = kDigits[byte & 15];
  }
  return to;
}

// In pieces, each with room for the worst.
void write_string(std::string& out, std::string_view string) {
  constexpr std::size_t kPiece = 4096;
  constexpr std::size_t kLongest = 6;  // \u001f
  out += '"';
  while (!string.empty()) {
    const auto piece = string.substr(0, kPiece);
    string.remove_prefix(piece.size());
    const auto begin = out.size();
    const auto room = begin + (kLongest * piece.size());
    if (out.capacity() < room) out.reserve(std::max(room, 2 * out.capacity()));
    out.resize_and_overwrite(room, [&](char* data, std::size_t) {
      return static_cast<std::size_t>(escape(data + begin, piece) - data);
    });
  }
  out += '"';
}

// Recurses as deep as the value does.
class Writer {
 public:
  enum class Style { kCompact, kPretty };

  Writer(std::string& out, Style style) : out_(out), pretty_(style == Style::kPretty) {}

  void write(const Value& value) {
    switch (value.kind()) {
      case Kind::null:
        out_ += "null";
        return;
      case Kind::bool_:
        out_ += value.get_bool() ? "true" : "false";
        return;
      case Kind::int64:
        return write_number(out_, value.get_int64());
      case Kind::uint64:
        return write_number(out_, value.get_uint64());
      case Kind::double_:
        return write_double(out_, value.get_double());
      case Kind::string:
        return write_string(out_, value.get_string());
      case Kind::array:
        return write_array(value.get_array());
      case Kind::object:
        return write_object(value.get_object());
    }
  }

 private:
  void write_array(const Array& array) {
    open('[');
    bool first = true;
    for (const auto& value : array) {
      separate(first);
      write(value);
    }
    close(']', array.empty());
  }

  void write_object(const Object& object) {
    open('{');
    bool first = true;
    for (const auto& [key, value] : object) {
      separate(first);
      write_string(out_, key);
      out_ += pretty_ ? ": " : ":";
      write(value);
    }
    close('}', object.empty());
  }

  void open(char bracket) {
    out_ += bracket;
    depth_ += 1;
  }

  void separate(bool& first) {
    if (!first) out_ += ',';
    first = false;
    new_line();
  }

  void close(char bracket, bool empty) {
    depth_ -= 1;
    if (!empty) new_line();
    out_ += bracket;
  }

  void new_line() {
    if (!pretty_) return;
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }

  std::string& out_;
  const bool pretty_;
  std::size_t depth_ = 0;
};

}  // namespace

void write(std::string& out, const Value& value) {
  Writer(out, Writer::Style::kCompact).write(value);
}

std::string write(const Value& value) {
  std::string out;
  write(out, value);
  return out;
}

std::string write_pretty(const Value& value) {
  std::string out;
  Writer(out, Writer::Style::kPretty).write(value);
  return out;
}

}  // namespace cairn::json
