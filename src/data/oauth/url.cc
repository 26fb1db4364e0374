#include "data/oauth/url.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/ascii.h"

namespace cairn::oauth {
namespace {

constexpr std::size_t kMaxUrlBytes = 2048;

bool is_written_plainly(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return c > ' ' && c < 0x7f && !std::string_view("\\\"<>^`{|}").contains(c);
  });
}

bool is_scheme(std::string_view text) {
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
  });
}

bool is_host(std::string_view host) {
  if (host.starts_with('[')) {
    return host.size() > 2 && host.ends_with(']') &&
           std::ranges::all_of(host.substr(1, host.size() - 2),
                               [](char c) { return hex_value(c) >= 0 || c == ':' || c == '.'; });
  }
  return std::ranges::all_of(
      host, [](char c) { return is_alphanumeric(c) || c == '-' || c == '.' || c == '_'; });
}

// Escapes with two digits each.
bool has_sound_escapes(std::string_view text) {
  for (auto at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (at + 2 >= text.size() || hex_value(text[at + 1]) < 0 || hex_value(text[at + 2]) < 0) {
      return false;
    }
  }
  return true;
}

bool read_authority(Url& out, std::string_view authority) {
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    out.has_user = true;
    authority.remove_prefix(at + 1);
  }
  auto host = authority;
  const auto bracket = authority.rfind(']');
  const auto colon = authority.rfind(':');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    host = authority.substr(0, colon);
    const auto digits = authority.substr(colon + 1);
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc() || end != digits.data() + digits.size() || port == 0) return false;
    out.port = port;
  }
  if (!is_host(host)) return false;
  out.host = lowered(host);
  return true;
}

}  // namespace

std::optional<Url> Url::parse(std::string_view text) {
  if (text.empty() || text.size() > kMaxUrlBytes || !is_written_plainly(text) ||
      !has_sound_escapes(text)) {
    return std::nullopt;
  }
  Url out;
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || !is_scheme(text.substr(0, colon))) return std::nullopt;
  out.scheme = lowered(text.substr(0, colon));
  auto rest = text.substr(colon + 1);
  if (const auto hash = rest.find('#'); hash != std::string_view::npos) {
    out.has_fragment = true;
    rest = rest.substr(0, hash);
  }
  if (const auto mark = rest.find('?'); mark != std::string_view::npos) {
    out.query = std::string(rest.substr(mark + 1));
    rest = rest.substr(0, mark);
  }
  if (rest.starts_with("//")) {
    out.has_authority = true;
    rest.remove_prefix(2);
    const auto slash = std::min(rest.find('/'), rest.size());
    if (!read_authority(out, rest.substr(0, slash))) return std::nullopt;
    rest.remove_prefix(slash);
  }
  out.path = std::string(rest);
  return out;
}

std::string Url::place() const { return port ? fmt::format("{}:{}", host, *port) : host; }

std::optional<std::uint16_t> Url::effective_port() const {
  if (port) return port;
  if (scheme == "https") return 443;
  if (scheme == "http") return 80;
  return std::nullopt;
}

std::string with_query(std::string_view url, std::string_view query) {
  return fmt::format("{}{}{}", url, url.contains('?') ? "&" : "?", query);
}

}  // namespace cairn::oauth
