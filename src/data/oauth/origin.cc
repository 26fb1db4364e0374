#include "data/oauth/origin.h"

#include "base/quote.h"
#include "data/oauth/url.h"

namespace cairn::oauth {

bool is_loopback_host(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

Result<Origin> Origin::parse(std::string_view text) {
  const auto url = Url::parse(text);
  const bool fits = url && (url->scheme == "https" || url->scheme == "http") &&
                    !url->host.empty() && !url->has_user && !url->has_fragment && !url->query &&
                    (url->path.empty() || url->path == "/");
  if (!fits) {
    return fail(Code::kInvalidArgument,
                "'{}' is no origin; it should be like https://cairn.example, without a path",
                shown(text));
  }
  const bool usual = url->port == (url->scheme == "https" ? 443 : 80);
  return Origin(fmt::format("{}://{}", url->scheme, usual ? url->host : url->place()));
}

bool Origin::is_loopback() const {
  const auto url = Url::parse(text_);
  // The other addresses of this machine are nobody else's either, and no name that is bound anew.
  return url && (is_loopback_host(url->host) ||
                 (url->host.starts_with("127.") &&
                  url->host.find_first_not_of("0123456789.") == std::string::npos));
}

}  // namespace cairn::oauth
