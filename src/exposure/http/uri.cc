#include "exposure/http/uri.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/quote.h"

namespace cairn::http {
namespace {

constexpr std::size_t kMaxEntries = 256;

bool unreserved(char c) {
  return is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

Result<std::string> decode_form(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '+', ' ');
  return percent_decode(spaced);
}

// Cuts what stands before the separator, or all, off `text`.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

}  // namespace

Result<std::string> percent_decode(std::string_view text) {
  if (text.find('%') == std::string_view::npos) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return fail(Code::kBadRequest, "'{}' has a '%' without two hex digits", shown(text));
    }
    if (high == 0 && low == 0) return fail(Code::kBadRequest, "'{}' has a NUL", shown(text));
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

Result<std::vector<std::string>> split_path(std::string_view encoded_path) {
  std::vector<std::string> segments;
  if (encoded_path.starts_with('/')) encoded_path.remove_prefix(1);
  if (encoded_path.empty()) return segments;
  for (;;) {
    const bool last = encoded_path.find('/') == std::string_view::npos;
    segments.push_back(TRY(percent_decode(take_until(encoded_path, '/'))));
    if (last) return segments;
  }
}

Result<Query> Query::parse(std::string_view text) {
  Query query;
  while (!text.empty()) {
    std::string_view value = take_until(text, '&');
    if (value.empty()) continue;
    std::string name = TRY(decode_form(take_until(value, '=')));
    if (query.get(name)) {
      return fail(Code::kBadRequest, "the query names '{}' twice", shown(name));
    }
    if (query.entries_.size() == kMaxEntries) {
      return fail(Code::kBadRequest, "the query has more than {} names", kMaxEntries);
    }
    query.entries_.emplace_back(std::move(name), TRY(decode_form(value)));
  }
  return query;
}

std::optional<std::string_view> Query::get(std::string_view name) const {
  for (const auto& [key, value] : entries_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

}  // namespace cairn::http
