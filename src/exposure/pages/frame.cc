#include "exposure/pages/frame.h"

#include <ctime>

#include "base/ascii.h"
#include "exposure/pages/style.h"

namespace cairn::pages {
namespace {

Html mark() {
  const auto stone = [](std::string_view y, std::string_view rx, std::string_view ry) {
    return element("ellipse", {{"cx", "11"}, {"cy", y}, {"rx", rx}, {"ry", ry}});
  };
  return element(
      "svg", {{"viewBox", "0 0 22 22"}, {"aria-hidden", "true"}},
      {stone("4.6", "4", "2.4"), stone("10.4", "6.6", "2.7"), stone("17", "9.6", "3.2")});
}

Html top(const Visit& visit) {
  auto brand = element("a", {{"class", "brand"}, {"href", "/"}}, {mark(), "Cairn"});
  if (!visit.person) return element("header", {}, {brand});
  return element("header", {},
                 {brand, element("span", {{"class", "who"}}, {foreign(visit.user)}),
                  form(visit, "/sign-out", {},
                       {element("button", {{"class", "plain"}}, {visit.say(Word::kSignOut)})})});
}

Html head(const Page& page) {
  auto title = page.title;
  title += Html(" - Cairn");
  std::vector<Html> inner = {
      element("meta", {{"charset", "utf-8"}}),
      element("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}),
      element("meta", {{"name", "robots"}, {"content", "noindex"}})};
  if (!page.refresh.empty()) {
    inner.push_back(element(
        "meta", {{"http-equiv", "refresh"}, {"content", fmt::format("0; url={}", page.refresh)}}));
  }
  inner.push_back(element("title", {}, {title}));
  inner.push_back(element("link", {{"rel", "icon"}, {"href", kIconPath}}));
  inner.push_back(element("link", {{"rel", "stylesheet"}, {"href", kStylePath}}));
  if (page.script) {
    inner.push_back(element("script", {{"src", kScriptPath}, {"defer", ""}}));
  }
  return element("head", {}, inner);
}

}  // namespace

http::Response show(const Visit& visit, const Page& page) {
  const auto html = element(
      "html", {{"lang", tag_of(visit.language)}},
      {head(page), element("body", {},
                           {top(visit), element("main", {{"class", page.wide ? "wide" : "narrow"}},
                                                {page.content})})});
  http::Response out;
  out.status = page.status;
  out.content_type = "text/html; charset=utf-8";
  // No source but our own, no frame around, and forms that post nowhere else. So the answer to a
  // form is never a redirect to a client: it is a page that goes there.
  out.headers = {
      {"Content-Security-Policy",
       fmt::format("default-src 'none'; style-src 'self'; img-src 'self'; {}form-action 'self'; "
                   "base-uri 'none'; frame-ancestors 'none'",
                   page.script ? "script-src 'self'; " : "")},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"X-Content-Type-Options", "nosniff"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cache-Control", "no-store"},
      {"Vary", "Accept-Language, Cookie"},
      {"Content-Language", std::string(tag_of(visit.language))}};
  out.body = "<!doctype html>\n" + html.markup() + "\n";
  if (visit.person) out.log_who = visit.person->session().who().id.render();
  return out;
}

bool may_go_to(std::string_view address) {
  const auto scheme = lowered(address.substr(0, address.find(':')));
  if (address.starts_with('/')) return !address.starts_with("//");
  for (const char* bad : {"javascript", "data", "vbscript", "file", "blob", "about"}) {
    if (scheme == bad) return false;
  }
  for (const char c : address) {
    if (static_cast<unsigned char>(c) <= ' ') return false;
  }
  return address.contains(':');
}

Html form(const Visit& visit, std::string_view action, Attributes attributes,
          std::initializer_list<Html> inner) {
  std::vector<Html> all;
  if (visit.person) all.push_back(hidden("csrf", visit.csrf()));
  all.insert(all.end(), inner.begin(), inner.end());
  std::vector<Attribute> with = {{"method", "post"}, {"action", action}};
  with.insert(with.end(), attributes.begin(), attributes.end());
  return element("form", with, std::span<const Html>(all));
}

Html hidden(std::string_view name, std::string_view value) {
  return element("input", {{"type", "hidden"}, {"name", name}, {"value", value}});
}

Html alert(const Html& text, std::string_view kind) {
  return element("div", {{"class", kind}, {"role", "alert"}}, {text});
}

Html waiting_time(const Error& error) {
  const auto found = error.details.find("retryAfterMs");
  if (found == error.details.end()) return "1";
  const auto* wait = std::get_if<std::int64_t>(&found->second);
  return std::to_string(wait == nullptr ? 1 : (*wait + 999) / 1000);
}

Html ago(const Visit& visit, Millis time, Millis now) {
  constexpr Millis kMinute = 60'000;
  constexpr Millis kHour = 60 * kMinute;
  const std::time_t seconds = time / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  const auto exact = fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", parts.tm_year + 1900,
                                 parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min);
  auto text = Html(exact);
  if (now - time < kMinute) {
    text = visit.say(Word::kJustNow);
  } else if (now - time < kHour) {
    text = visit.say(Word::kMinutesAgo, {std::to_string((now - time) / kMinute)});
  }
  return element("time", {{"title", exact}}, {text});
}

}  // namespace cairn::pages
