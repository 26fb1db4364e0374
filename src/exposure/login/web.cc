#include "exposure/login/web.h"

#include <algorithm>
#include <chrono>
#include <string_view>

#include "base/quote.h"
#include "exposure/http/uri.h"

namespace cairn::login {
namespace {

// Documents and tokens are small, and somebody waits for them.
constexpr std::size_t kMaxBody = std::size_t{256} << 10;
constexpr std::chrono::seconds kConnect{10};
constexpr std::chrono::seconds kAnswer{20};

}  // namespace

std::string form_of(const Fields& fields) {
  std::string out;
  for (const auto& [name, value] : fields) {
    out += fmt::format("{}{}={}", out.empty() ? "" : "&", http::percent_encode(name),
                       http::percent_encode(value));
  }
  return out;
}

bool is_private(const http::Url& url) {
  if (url.scheme == "https" || !url.socket.empty()) return true;
  // An address, not a name that begins like one.
  const bool loopback = url.host.starts_with("127.") &&
                        url.host.find_first_not_of("0123456789.") == std::string::npos;
  return url.host == "localhost" || url.host == "::1" || loopback;
}

Result<Address> Address::parse(std::string_view text) {
  const auto scheme = text.find("://");
  const auto host = scheme == std::string_view::npos ? 0 : scheme + 3;
  const auto end = std::min(text.find_first_of("/?#", host), text.size());
  const auto query = text.substr(end, text.find('#', end) - end);
  Address out{.origin = TRY(http::Url::parse(text.substr(0, end))), .target = std::string(query)};
  if (!out.target.starts_with('/')) out.target.insert(0, 1, '/');
  const bool odd =
      std::ranges::any_of(out.target, [](char c) { return c <= ' ' || c == 0x7F || c == '"'; });
  if (odd) return fail(Code::kInvalidArgument, "'{}' is no address", shown(text));
  return out;
}

Web::Web(const http::ClientOptions& options) : options_(options) {
  options_.connect_timeout = kConnect;
  options_.idle_timeout = kAnswer;
  options_.max_body_bytes = kMaxBody;
}

Result<http::ClientResponse> Web::send(std::string_view url, http::ClientRequest request) const {
  auto address = TRY(Address::parse(url));
  if (!is_private(address.origin)) {
    return fail(Code::kForbidden,
                "{} is not https, so anybody on the way could read what is sent there; the server "
                "has to be reached by https, or by http on its own machine",
                shown(address.origin.render()));
  }
  request.target = std::move(address.target);
  request.headers.emplace_back("Accept", "application/json");
  http::Client client(std::move(address.origin), options_);
  return client.send(request);
}

Result<http::ClientResponse> Web::get(std::string_view url) const { return send(url, {}); }

Result<http::ClientResponse> Web::post(std::string_view url, const Fields& form) const {
  return send(url, {.method = http::Method::kPost,
                    .target = {},
                    .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
                    .body = form_of(form)});
}

Result<http::ClientResponse> Web::post(std::string_view url, const json::Object& document) const {
  return send(url, {.method = http::Method::kPost,
                    .target = {},
                    .headers = {{"Content-Type", "application/json"}},
                    .body = json::write(json::Value(document))});
}

std::string text_of(const json::Object& object, std::string_view name) {
  const auto* found = json::find(object, name);
  return found == nullptr ? std::string() : std::string(json::text(*found));
}

json::Object object_of(const http::ClientResponse& response) {
  auto value = json::parse(response.body);
  return value && value->is_object() ? std::move(value->get_object()) : json::Object();
}

}  // namespace cairn::login
