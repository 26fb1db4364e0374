#include "data/oauth/parameters.h"

#include <algorithm>
#include <set>

#include "base/ascii.h"

namespace cairn::oauth {
namespace {

constexpr std::size_t kMaxParameters = 100;

std::optional<std::string> decoded(std::string text) {
  std::ranges::replace(text, '+', ' ');
  return percent_decoded(text);
}
std::string_view cut_until(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const auto part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out.contains('\0') ? std::nullopt : std::optional(std::move(out));
}

std::optional<std::string_view> parameter(const Parameters& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Parameters::value_type::first);
  if (found == all.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::vector<std::string_view> every_parameter(const Parameters& all, std::string_view name) {
  std::vector<std::string_view> out;
  for (const auto& [key, value] : all) {
    if (key == name && !value.empty()) out.emplace_back(value);
  }
  return out;
}

std::optional<std::string_view> repeated(const Parameters& all, std::string_view but_for) {
  std::set<std::string_view> seen;
  for (const auto& [name, value] : all) {
    if (name != but_for && !seen.insert(name).second) return name;
  }
  return std::nullopt;
}

std::optional<Parameters> parse_form(std::string_view text) {
  Parameters out;
  while (!text.empty()) {
    auto entry = cut_until(text, '&');
    if (entry.empty()) continue;
    if (out.size() == kMaxParameters) return std::nullopt;
    auto name = decoded(std::string(cut_until(entry, '=')));
    auto value = decoded(std::string(entry));
    if (!name || !value) return std::nullopt;
    out.emplace_back(std::move(*name), std::move(*value));
  }
  return out;
}

std::string form_encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (is_alphanumeric(c) || std::string_view("-._~").contains(c)) {
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

std::string write_form(const Parameters& all) {
  std::string out;
  for (const auto& [name, value] : all) {
    if (!out.empty()) out += '&';
    out += form_encoded(name) + '=' + form_encoded(value);
  }
  return out;
}

}  // namespace cairn::oauth
