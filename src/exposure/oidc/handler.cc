#include "exposure/oidc/handler.h"

#include <algorithm>

#include "base/ascii.h"

namespace cairn::oidc {
namespace {

struct Rule {
  double burst;
  double per_second;
};
constexpr Rule kEach{.burst = 60, .per_second = 1};
constexpr Rule kAll{.burst = 300, .per_second = 30};
constexpr std::size_t kMaxBuckets = 20'000;

// A cookie that only this host can set, where the browser allows that: not over plain HTTP.
std::string_view cookie_name(std::string_view origin) {
  return origin.starts_with("https:") ? "__Host-cairn_oidc" : "cairn_oidc";
}

std::string_view cookie(const http::Request& request, std::string_view name) {
  auto rest = request.header("cookie");
  while (!rest.empty()) {
    const auto end = std::min(rest.find(';'), rest.size());
    const auto one = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto equals = one.find('=');
    if (equals != one.npos && one.substr(0, equals) == name) return one.substr(equals + 1);
  }
  return {};
}

std::string set_cookie(std::string_view origin, std::string_view value) {
  // Lax: the answer comes from another site.
  return fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Lax{}", cookie_name(origin),
                     value, std::chrono::seconds(Flow::kLife).count(),
                     origin.starts_with("https:") ? "; Secure" : "");
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out.push_back(c);
    }
  }
  return out;
}

http::Response plain_page(const Error& error) {
  http::Response out = http::error_response(error);
  out.content_type = "text/html; charset=utf-8";
  out.headers.emplace_back("Content-Security-Policy",
                           "default-src 'none'; base-uri 'none'; form-action 'none'; "
                           "frame-ancestors 'none'");
  out.headers.emplace_back("X-Frame-Options", "DENY");
  out.body = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Not signed in</title>\n"
      "<h1>You are not signed in</h1>\n<p>{}</p>\n<p><a href=\"{}\">Begin again</a></p>\n</html>\n",
      escaped(error.message), Handler::kLogin);
  return out;
}

bool take(auto& bucket, const Rule& rule, std::chrono::nanoseconds now) {
  const std::chrono::duration<double> passed = now - bucket.at;
  bucket.level = std::min(rule.burst, bucket.level + passed.count() * rule.per_second);
  bucket.at = now;
  if (bucket.level < 1) return false;
  bucket.level -= 1;
  return true;
}

Failure too_many(const Rule& rule) {
  return Failure(Error(Code::kRateLimited, "too many sign-ins are begun from here; wait a moment")
                     .with("retryAfterMs", static_cast<std::int64_t>(1000 / rule.per_second)));
}

}  // namespace

bool Handler::is_here(std::string_view path) { return path == kLogin || path == Flow::kCallback; }

http::Plan Handler::begin(const http::Request& request) {
  if (request.method != http::Method::kGet) {
    return http::error_response(
        Error(Code::kMethodNotAllowed, "only GET is possible here").with("allow", "GET"));
  }
  // The provider is asked, which takes as long as it takes.
  return http::Later{.answer =
                         [this, &request] {
                           const bool out = request.path == kLogin;
                           auto answer = out ? login(request) : callback(request);
                           auto response =
                               answer ? *std::move(answer) : refused(request, answer.error());
                           if (!answer) response.log_error = answer.error().name();
                           response.log_tool = out ? "provider_login" : "provider_callback";
                           response.compressible = false;
                           response.headers.emplace_back("Cache-Control", "no-store");
                           response.headers.emplace_back("Referrer-Policy", "no-referrer");
                           return response;
                         },
                     .share = {.group = "provider", .who = std::string(request.remote)}};
}

http::Response Handler::refused(const http::Request& request, const Error& error) const {
  if (parts_.refused) return parts_.refused(request, error);
  return request.header("accept").contains("text/html") ? plain_page(error)
                                                        : http::error_response(error);
}

Result<http::Response> Handler::login(const http::Request& request) {
  TRY(take_turn(request.remote));
  const auto query = TRY(http::Query::parse(request.query));
  const auto origin = TRY(parts_.origin(request));
  const auto begun = TRY(parts_.flow.begin(origin, cookie(request, cookie_name(origin)),
                                           query.get("request").value_or("")));
  return http::Response{
      .status = 302,
      .headers = {{"Location", begun.location}, {"Set-Cookie", set_cookie(origin, begun.browser)}}};
}

Result<http::Response> Handler::callback(const http::Request& request) {
  const auto query = TRY(http::Query::parse(request.query));
  const auto origin = TRY(parts_.origin(request));
  const auto done = TRY(parts_.flow.finish(query, cookie(request, cookie_name(origin))));
  auto out = TRY(parts_.open(request, done.user, done.request));
  out.log_who = done.user.id.render();
  return out;
}

Result<void> Handler::take_turn(std::string_view address) {
  auto buckets = buckets_.lock();
  const auto now = parts_.clock.monotonic();
  // What is refused to one address takes nothing from all.
  const auto of_all = [&]() -> Result<void> {
    if (!take(buckets->all, kAll, now)) return too_many(kAll);
    return {};
  };
  if (parts_.behind_proxy) return of_all();
  auto& each = buckets->each;
  if (each.size() >= kMaxBuckets) {
    std::erase_if(each, [&](const auto& one) {
      const std::chrono::duration<double> passed = now - one.second.at;
      return one.second.level + passed.count() * kEach.per_second >= kEach.burst;
    });
    if (each.size() >= kMaxBuckets) each.clear();
  }
  const auto [found, added] = each.try_emplace(std::string(address));
  if (added) found->second = {.level = kEach.burst, .at = now};
  if (!take(found->second, kEach, now)) return too_many(kEach);
  return of_all();
}

}  // namespace cairn::oidc
