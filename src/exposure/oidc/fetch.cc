#include "exposure/oidc/fetch.h"

#include <chrono>
#include <stop_token>
#include <thread>

#include "base/ascii.h"
#include "base/pause.h"
#include "base/quote.h"
#include "data/oauth/origin.h"
#include "data/oauth/url.h"
#include "exposure/http/client.h"
#include "exposure/http/uri.h"

namespace cairn::oidc {
namespace {

constexpr std::chrono::seconds kInAll{10};
constexpr std::chrono::seconds kSilence{5};
constexpr std::size_t kMaxBytes = 256 << 10;

Result<Inbound> ask(const Outbound& wanted, const std::filesystem::path& ca_file) {
  const auto url = oauth::Url::parse(wanted.url);
  if (!url) return fail(Code::kInvalidArgument, "'{}' is no address", shown(wanted.url));
  const auto base = TRY(http::Url::parse(fmt::format("{}://{}", url->scheme, url->place())));
  http::Client client(base, {.ca_file = ca_file,
                             .connect_timeout = kSilence,
                             .idle_timeout = kSilence,
                             .max_body_bytes = kMaxBytes});
  std::stop_source in_time;
  // Whoever sends a byte now and then is never silent.
  const std::jthread timer([&in_time](const std::stop_token& stop) {
    if (pause(kInAll, stop)) in_time.request_stop();
  });
  http::ClientRequest request{.target = url->path.empty() ? "/" : url->path,
                              .headers = wanted.headers,
                              .stop = in_time.get_token()};
  if (url->query) request.target += "?" + *url->query;
  request.headers.emplace_back("Accept", "application/json");
  request.headers.emplace_back("User-Agent", "cairn");
  if (!wanted.form.empty()) {
    request.method = http::Method::kPost;
    request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
    request.body = form_encoded(wanted.form);
  }
  const auto answer = TRY(client.send(request));
  return Inbound{.status = answer.status,
                 .content_type = std::string(answer.header("content-type")),
                 .cache_control = std::string(answer.header("cache-control")),
                 .body = answer.body};
}

}  // namespace

bool Inbound::is_json() const {
  const auto type =
      lowered(trimmed(std::string_view(content_type)
                          .substr(0, std::min(content_type.find(';'), content_type.size()))));
  return status == 200 && (type == "application/json" || type.ends_with("+json"));
}

Fetch over_network(std::filesystem::path ca_file) {
  return [ca_file = std::move(ca_file)](const Outbound& wanted) { return ask(wanted, ca_file); };
}

Result<void> check_address(std::string_view text, std::string_view issuer, std::string_view what) {
  const auto url = oauth::Url::parse(text);
  const auto home = oauth::Url::parse(issuer);
  const bool plain = url && !url->host.empty() && !url->has_user && !url->has_fragment;
  const bool here = home && home->scheme == "http" && oauth::is_loopback_host(home->host);
  if (plain && (url->scheme == "https" ||
                (url->scheme == "http" && here && oauth::is_loopback_host(url->host)))) {
    return {};
  }
  return fail(Code::kInvalidArgument,
              "{} '{}' should begin with https:// (http:// only on this machine), without a user "
              "or a fragment",
              what, shown(text));
}

std::string form_encoded(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string out;
  for (const auto& [name, value] : fields) {
    if (!out.empty()) out += '&';
    out += http::percent_encode(name) + "=" + http::percent_encode(value);
  }
  return out;
}

}  // namespace cairn::oidc
