#include "exposure/oauth/endpoints.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "exposure/oauth/answers.h"

namespace cairn::oauth {
namespace {

constexpr std::size_t kMaxBytes = 16 << 10;
constexpr std::string_view kForm = "application/x-www-form-urlencoded";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kCallback = "/callback";

bool is_of_type(const http::Request& request, std::string_view type) {
  const auto header = request.header("content-type");
  return lowered(trimmed(header.substr(0, header.find(';')))) == type;
}

bool is_document(std::string_view path) { return path.starts_with("/.well-known/o"); }

http::Response not_here() { return refusal(404, "not_found", "there is no such document here"); }

// Programs listen on ports of this machine for their answers, and some on one that was this
// server's once.
http::Response somebody_elses_answer() {
  http::Response out;
  out.status = 404;
  out.content_type = "text/plain; charset=utf-8";
  out.headers = {{"Cache-Control", "no-store"}, {"Referrer-Policy", "no-referrer"}};
  out.body =
      "This is Cairn. The answer that came here is for another program on this machine, which was "
      "to listen at this address and does not: it has ended, or Cairn has its port. Start the "
      "program again, or give Cairn another port with --listen, and connect once more.\n";
  return out;
}

template <typename T>
http::Response refused(const std::expected<T, Denied>& result) {
  return refusal(result.error());
}

}  // namespace

bool OAuthEndpoints::is_here(std::string_view path) {
  constexpr std::array<std::string_view, 7> kPaths = {
      "/api/auth/token", "/api/auth/register", "/api/auth/revoke", "/api/auth/device",
      "/token",          "/register",          kCallback};
  return std::ranges::find(kPaths, path) != kPaths.end() || path.starts_with(kResourceMetadata) ||
         path.starts_with(kServerMetadata) || path.starts_with(kOpenIdMetadata);
}

http::Plan OAuthEndpoints::begin(const http::Request& request) {
  const auto path = request.path;
  if (path == kCallback) return somebody_elses_answer();
  if (request.method == http::Method::kOptions) return preflight();
  if (is_document(path)) {
    const bool get = request.method == http::Method::kGet || request.method == http::Method::kHead;
    return get ? document(request) : wrong_method("GET, HEAD");
  }
  if (path == "/api/auth/register" || path == "/register") {
    return post(request, kJson, &OAuthEndpoints::enroll);
  }
  if (path == "/api/auth/revoke") return post(request, kForm, &OAuthEndpoints::revoke);
  if (path == "/api/auth/device") return post(request, kForm, &OAuthEndpoints::device);
  return post(request, kForm, &OAuthEndpoints::token);
}

http::Response OAuthEndpoints::document(const http::Request& request) const {
  const auto origin = origin_of(options_.origins, request);
  if (!origin) return not_here();
  std::optional<json::Object> found;
  if (request.path == kServerMetadata) {
    found = server_metadata(*origin, options_.features);
  } else if (request.path.starts_with(kResourceMetadata)) {
    found =
        resource_metadata(*origin, request.path.substr(kResourceMetadata.size()), request.query);
  }
  if (!found) return not_here();
  http::Response out;
  out.content_type = kJson;
  out.headers.emplace_back("Cache-Control", "public, max-age=300");
  // On this machine the origin is as the client called it.
  out.headers.emplace_back("Vary", "Host");
  allow_pages(out);
  out.body = json::write(json::Value(*found));
  return out;
}

http::Plan OAuthEndpoints::post(const http::Request& request, std::string_view type,
                                Answer answer) {
  const auto origin = origin_of(options_.origins, request);
  if (!origin) {
    return refusal(404, "not_found",
                   "OAuth is off: this server does not know its own address; its admin says it "
                   "with --public-url");
  }
  if (request.method != http::Method::kPost) return wrong_method("POST");
  if (!is_of_type(request, type)) {
    return refusal(400, "invalid_request",
                   fmt::format("the body should be {}, and be said to be so", type));
  }
  return http::WantBody{
      .max_bytes = kMaxBytes,
      .where = http::Where::kWorker,
      .answer = [this, &request, origin = *origin, answer](const Bytes& body) -> http::Response {
        return (this->*answer)(request, origin, body);
      },
      .share = {.group = "oauth", .who = std::string(request.remote)}};
}

http::Response OAuthEndpoints::token(const http::Request& request, const Origin& origin,
                                     std::string_view body) {
  const auto form = parse_form(body);
  if (!form) return refusal(400, "invalid_request", "the body is not a form");
  const auto given =
      tokens_.trade({*form, request.header("authorization"), origin, request.remote});
  if (!given) return refused(given);
  return oauth::answer(200, {{"access_token", given->access},
                             {"token_type", "Bearer"},
                             {"expires_in", given->expires_in.count()},
                             {"refresh_token", given->refresh},
                             {"scope", given->scopes.render()}});
}

http::Response OAuthEndpoints::enroll(const http::Request& request, const Origin&,
                                      std::string_view body) {
  const auto metadata = json::parse(body, {.max_depth = 20, .max_values = 2000});
  if (!metadata || !metadata->is_object()) {
    return refusal(400, "invalid_client_metadata", "the body should be a JSON object");
  }
  const auto registered = tokens_.enroll(metadata->get_object(), request.remote);
  if (!registered) return refused(registered);
  return oauth::answer(201, registered->answer);
}

http::Response OAuthEndpoints::revoke(const http::Request& request, const Origin& origin,
                                      std::string_view body) {
  const auto form = parse_form(body);
  if (!form) return refusal(400, "invalid_request", "the body is not a form");
  const auto done =
      tokens_.revoke({*form, request.header("authorization"), origin, request.remote});
  return done ? oauth::answer(200, {}) : refused(done);
}

http::Response OAuthEndpoints::device(const http::Request& request, const Origin& origin,
                                      std::string_view body) {
  const auto form = parse_form(body);
  if (!form) return refusal(400, "invalid_request", "the body is not a form");
  const auto given =
      tokens_.device({*form, request.header("authorization"), origin, request.remote});
  if (!given) return refused(given);
  const auto page = origin.at("/oauth/device");
  return oauth::answer(
      200, {{"device_code", given->device_code},
            {"user_code", given->user_code},
            {"verification_uri", page},
            {"verification_uri_complete", fmt::format("{}?user_code={}", page, given->user_code)},
            {"expires_in", given->expires_in.count()},
            {"interval", given->interval.count()}});
}

}  // namespace cairn::oauth
