#include "data/oauth/redirect_uri.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/quote.h"
#include "data/oauth/origin.h"
#include "data/oauth/url.h"

namespace cairn::oauth {
namespace {

constexpr std::array<std::string_view, 6> kProgramSchemes = {
    "cursor", "vscode", "vscode-insiders", "windsurf", "zed", "claude"};
// What a browser runs, shows or fetches by itself.
constexpr std::array<std::string_view, 12> kForbiddenSchemes = {
    "javascript", "data",  "vbscript", "file", "blob", "about",
    "http",       "https", "ws",       "wss",  "ftp",  "view-source"};

Failure refused(std::string_view text, std::string_view why) {
  return fail(Code::kInvalidArgument, "the redirect URI '{}' {}", shown(text, 200), why);
}

}  // namespace

Result<void> check_program_scheme(std::string_view scheme) {
  const bool sound =
      !scheme.empty() && is_letter(scheme.front()) && std::ranges::all_of(scheme, [](char c) {
        return is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
      });
  if (sound && std::ranges::find(kForbiddenSchemes, lowered(scheme)) == kForbiddenSchemes.end()) {
    return {};
  }
  return fail(
      Code::kInvalidArgument,
      "'{}' is no scheme that answers may be sent to; it should be a program's own, such as "
      "my-editor",
      shown(scheme));
}

Result<RedirectUri> RedirectUri::parse(std::string_view text,
                                       const std::set<std::string>& schemes) {
  const auto url = Url::parse(text);
  if (!url) return refused(text, "is no absolute URL");
  if (url->has_fragment) return refused(text, "has a fragment, which is not allowed");
  if (url->has_user) return refused(text, "has a user name in it, which is not allowed");
  if (url->scheme == "https") {
    if (url->host.empty()) return refused(text, "has no host");
    return RedirectUri(std::string(text), Kind::kHttps);
  }
  if (url->scheme == "http") {
    if (is_loopback_host(url->host)) return RedirectUri(std::string(text), Kind::kLoopback);
    return refused(text, "should be https, or http to localhost, 127.0.0.1 or [::1]");
  }
  const bool known = std::ranges::find(kProgramSchemes, url->scheme) != kProgramSchemes.end() ||
                     (schemes.contains(url->scheme) && check_program_scheme(url->scheme));
  if (known) return RedirectUri(std::string(text), Kind::kProgram);
  return refused(text,
                 "has a scheme that is not allowed here: https, http to this machine, or that "
                 "of a known program; the server's admin can allow another with "
                 "--oauth-redirect-scheme");
}

std::string RedirectUri::place() const {
  const auto url = Url::parse(text_);
  if (!url) return text_;
  return kind_ == Kind::kProgram ? url->scheme + "://" + url->place() : url->place();
}

std::string RedirectUri::canonical() const {
  if (kind_ != Kind::kLoopback) return text_;
  const auto url = Url::parse(text_);
  if (!url) return text_;
  return fmt::format("http://{}{}{}{}", url->host, url->path.empty() ? "/" : url->path,
                     url->query ? "?" : "", url->query.value_or(""));
}

bool RedirectUri::fits(const RedirectUri& registered) const {
  return kind_ == registered.kind_ && canonical() == registered.canonical();
}

}  // namespace cairn::oauth
