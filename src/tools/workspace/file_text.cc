#include "tools/workspace/file_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include "base/quote.h"
#include "base/utf8.h"
#include "data/cas/content_type.h"

namespace cairn::work {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// How many bytes of a character begin here, and whether that is all of it: a broken one counts as
// far as it could have been one.
struct Piece {
  std::size_t size = 1;
  bool whole = false;
};

Piece piece_at(ByteView bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const auto first = byte(at);
  if (first < 0x80) return {1, true};
  std::size_t length = 0;
  unsigned char least = 0x80;
  unsigned char most = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) length = 2;
  if (first >= 0xE0 && first <= 0xEF) length = 3;
  if (first >= 0xF0 && first <= 0xF4) length = 4;
  if (length == 0) return {};
  if (first == 0xE0) least = 0xA0;
  if (first == 0xED) most = 0x9F;
  if (first == 0xF0) least = 0x90;
  if (first == 0xF4) most = 0x8F;
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= bytes.size() || byte(at + i) < least || byte(at + i) > most) return {i, false};
    least = 0x80;
    most = 0xBF;
  }
  return {length, true};
}

// A text in an old encoding has no control characters; compressed data has many.
bool mostly_not_text(ByteView start) {
  if (valid_utf8(start)) return false;
  const auto odd = std::ranges::count_if(start, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r' &&
           c != '\f' && c != '\x1B';
  });
  return static_cast<std::size_t>(odd) * 50 > start.size();
}

// Signs, digits and letters in the order of Unicode's root collation; 0 for what does not count.
constexpr std::string_view kOrder =
    "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz";

constexpr std::array<unsigned char, 128> weights() {
  std::array<unsigned char, 128> out{};
  for (std::size_t i = 0; i < kOrder.size(); ++i) {
    const auto c = static_cast<unsigned char>(kOrder[i]);
    out[c] = static_cast<unsigned char>(i + 1);
    if (c >= 'a' && c <= 'z') out[c - 'a' + 'A'] = static_cast<unsigned char>(i + 1);
  }
  return out;
}

constexpr auto kWeights = weights();

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

std::tm utc(Millis time) {
  const std::time_t seconds =
      static_cast<std::time_t>(time >= 0 ? time / 1000 : (time - 999) / 1000);
  std::tm out{};
  ::gmtime_r(&seconds, &out);
  return out;
}

}  // namespace

std::string as_text(ByteView bytes) {
  std::string out;
  if (valid_utf8(bytes)) {
    out.assign(bytes.data(), bytes.size());
    return out;
  }
  for (std::size_t at = 0; at < bytes.size();) {
    const auto piece = piece_at(bytes, at);
    out += piece.whole ? std::string_view(bytes.data() + at, piece.size) : kReplacement;
    at += piece.size;
  }
  return out;
}

Result<Bytes> read_all(const WorkFile& file, std::uint64_t most) {
  Bytes out;
  const auto expected = std::min<std::uint64_t>(file.info().size, most) + 1;
  for (;;) {
    const auto at = out.size();
    out.resize(std::max<std::size_t>(expected, at + 65536));
    const auto got = TRY(file.read(at, std::span(out.data() + at, out.size() - at)));
    out.resize(at + got);
    if (got == 0) return out;
    if (out.size() > most) {
      return fail(Code::kFileTooLarge,
                  "'{}' has {} bytes, more than the {} that can be read at once; read a part of it "
                  "with read_text_file and offset, limit, head or tail",
                  shown(file.place(), 300), file.info().size, most);
    }
  }
}

Result<void> check_text(const WorkFile& file, ByteView start) {
  return check_text(file.place(), file.info().size, start);
}

Result<void> check_text(const std::string& place, std::uint64_t size, ByteView start) {
  start = start.substr(0, kContentTypeSample);
  const bool binary = start.find('\0') != ByteView::npos;
  if (!binary && !mostly_not_text(start)) return {};
  const auto type = content_type(name_of(place), start);
  const bool told = !is_text_type(type);
  return fail(Code::kNotText,
              "'{}' is not text: it is {}, {} bytes; use read_media_file, which gives it as base64",
              shown(place, 300), told ? type : "application/octet-stream", size);
}

std::string_view name_of(std::string_view place) {
  const auto slash = place.rfind('/');
  return slash == std::string_view::npos ? place : place.substr(slash + 1);
}

std::string file_size(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 5> kUnits = {"B", "KB", "MB", "GB", "TB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  const auto size = static_cast<double>(bytes);
  const auto step =
      std::min(static_cast<std::size_t>(std::log(size) / std::log(1024.0)), kUnits.size() - 1);
  return fmt::format("{:.2f} {}", size / std::pow(1024.0, static_cast<double>(step)), kUnits[step]);
}

std::string long_time(Millis time) {
  static constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                            "Thu", "Fri", "Sat"};
  static constexpr std::array<std::string_view, 12> kMonths = {
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto at = utc(time);
  return fmt::format("{} {} {:02} {} {:02}:{:02}:{:02} GMT+0000 (Coordinated Universal Time)",
                     kDays[static_cast<std::size_t>(at.tm_wday)],
                     kMonths[static_cast<std::size_t>(at.tm_mon)], at.tm_mday, at.tm_year + 1900,
                     at.tm_hour, at.tm_min, at.tm_sec);
}

std::string iso_time(Millis time) {
  const auto at = utc(time);
  const auto millis = ((time % 1000) + 1000) % 1000;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", at.tm_year + 1900, at.tm_mon + 1,
                     at.tm_mday, at.tm_hour, at.tm_min, at.tm_sec, millis);
}

std::string file_uri(std::string_view place) {
  static constexpr std::string_view kEscaped = " \"#%<>?[\\]^`{|}~";
  std::string out = "file://";
  for (const char c : place) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7F || kEscaped.contains(c)) {
      out += fmt::format("%{:02X}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

// Characters beyond ASCII come after the letters, in the order of their code points.
std::string reading_key(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 128) out += c;
    if (byte < 128 && kWeights[byte] != 0) out += static_cast<char>(kWeights[byte]);
  }
  return out;
}

bool lower_before(std::string_view a, std::string_view b) {
  const auto [left, right] = std::ranges::mismatch(a, b);
  if (left == a.end() || right == b.end()) return false;
  return is_lower(*left) && !is_lower(*right);
}

std::size_t utf16_units(std::string_view text) {
  std::size_t out = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) != 0x80U) ++out;  // the first byte of a character
    if (byte >= 0xF0) ++out;
  }
  return out;
}

}  // namespace cairn::work
