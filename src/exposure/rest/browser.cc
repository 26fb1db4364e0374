#include "exposure/rest/browser.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/sha256.h"

namespace cairn::rest {
namespace {

constexpr std::string_view kSecureName = "__Host-cairn_session";

std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool is_this_machine(std::string_view host) {
  const auto name = without_port(host);
  return name == "localhost" || name == "[::1]" || name.starts_with("127.");
}

std::string_view port_of(std::string_view host) {
  host.remove_prefix(without_port(host).size());
  return host.starts_with(':') ? host.substr(1) : "80";
}

std::string cookie_name(const Site& site, const http::Request& request) {
  if (is_secure(site, request)) return std::string(kSecureName);
  return fmt::format("cairn_session_{}", port_of(request.header("host")));
}

std::string cookie(const Site& site, const http::Request& request, std::string_view value,
                   std::int64_t max_age) {
  // Lax: other sites and programs open the page where access is granted, and must find somebody
  // signed in there.
  return fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Lax{}",
                     cookie_name(site, request), value, max_age,
                     is_secure(site, request) ? "; Secure" : "");
}

bool is_safe(http::Method method) {
  return method == http::Method::kGet || method == http::Method::kHead;
}

Failure elsewhere() {
  return fail(Code::kForbidden,
              "the request was made by another site or program; open this server's own page");
}

}  // namespace

bool is_secure(const Site& site, const http::Request& request) {
  if (!site.public_url.empty()) return site.public_url.starts_with("https:");
  return request.tls || site.behind_proxy || !is_this_machine(request.header("host"));
}

std::string origin_of(const Site& site, const http::Request& request) {
  if (!site.public_url.empty()) return site.public_url;
  const bool https = request.tls || site.behind_proxy;
  return fmt::format("{}://{}", https ? "https" : "http", lowered(request.header("host")));
}

std::optional<std::string_view> session_cookie(const Site& site, const http::Request& request) {
  const auto name = cookie_name(site, request);
  auto rest = request.header("cookie");
  while (!rest.empty()) {
    const auto end = rest.find(';');
    auto pair = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('=')) {
      return pair.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

std::string set_session_cookie(const Site& site, const http::Request& request,
                               std::string_view value) {
  return cookie(site, request, value, std::chrono::seconds(SignIns::kLife).count());
}

std::string forget_session_cookie(const Site& site, const http::Request& request) {
  return cookie(site, request, "", 0);
}

Result<void> check_own_page(const Site& site, const http::Request& request) {
  const auto fetched = request.header("sec-fetch-site");
  const auto origin = request.header("origin");
  // Of another port of the same host it says same-site.
  if (!fetched.empty() && fetched != "same-origin") return elsewhere();
  // A page that tells nobody where it was (no-referrer) posts with `null`.
  if (origin.empty() || origin == "null") {
    return fetched == "same-origin" ? Result<void>() : elsewhere();
  }
  if (lowered(origin) == origin_of(site, request)) return {};
  return elsewhere();
}

Result<void> check_meant(const Site& site, const http::Request& request, const SignIn& sign_in) {
  if (is_safe(request.method)) {
    const auto fetched = request.header("sec-fetch-site");
    if (fetched.empty() || fetched == "same-origin" || fetched == "none") return {};
    return elsewhere();
  }
  TRY(check_own_page(site, request));
  if (same_secret(request.header("x-cairn-csrf"), sign_in.csrf)) return {};
  return fail(
      Code::kForbidden,
      "with a cookie, what changes something needs the header X-Cairn-CSRF; GET /api/me has "
      "it as csrf");
}

BrowserSeen seen_of(const http::Request& request) {
  return {.address = std::string(request.remote),
          .agent = std::string(request.header("user-agent"))};
}

}  // namespace cairn::rest
