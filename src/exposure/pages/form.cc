#include "exposure/pages/form.h"

#include <algorithm>

#include "exposure/http/uri.h"

namespace cairn::pages {
namespace {

Result<std::string> decoded(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '+', ' ');
  return http::percent_decode(spaced);
}

}  // namespace

Result<Fields> Fields::parse(std::string_view text) {
  Fields out;
  while (!text.empty()) {
    const auto end = text.find('&');
    const auto pair = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    const auto value = equals == std::string_view::npos ? "" : pair.substr(equals + 1);
    out.entries_.emplace_back(TRY(decoded(pair.substr(0, equals))), TRY(decoded(value)));
  }
  return out;
}

std::string_view Fields::get(std::string_view name) const {
  const auto found = all(name);
  return found.empty() ? std::string_view() : found.front();
}

std::vector<std::string_view> Fields::all(std::string_view name) const {
  std::vector<std::string_view> out;
  for (const auto& [key, value] : entries_) {
    if (key == name) out.push_back(value);
  }
  return out;
}

}  // namespace cairn::pages
