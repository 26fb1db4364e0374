#include "exposure/pages/sign_in_page.h"

#include <algorithm>

#include "base/ascii.h"
#include "exposure/http/uri.h"

namespace cairn::pages {
namespace {

Html goal_fields(const Goal& goal) {
  Html out;
  if (!goal.request.empty()) out += hidden("request", goal.request);
  if (goal.device) out += hidden("then", "device");
  if (!goal.user_code.empty()) out += hidden("user_code", goal.user_code);
  return out;
}

Html field(const Html& label, std::string_view name, Attributes more) {
  std::vector<Attribute> with = {{"id", name}, {"name", name}, {"required", ""}};
  with.insert(with.end(), more.begin(), more.end());
  return element("div", {{"class", "field"}},
                 {element("label", {{"for", name}}, {label}),
                  element("input", std::span<const Attribute>(with), {})});
}

Html submit(const Html& text) { return element("button", {{"class", "main whole"}}, {text}); }

Html by_password(const Visit& visit, const SignInPage& page) {
  return form(visit, "/sign-in", {},
              {goal_fields(page.goal),
               field(visit.say(Word::kName), "name",
                     {{"type", "text"},
                      {"autocomplete", "username"},
                      {"autocapitalize", "none"},
                      {"spellcheck", "false"},
                      {"maxlength", "100"},
                      {"value", page.name}}),
               field(visit.say(Word::kPassword), "password",
                     {{"type", "password"}, {"autocomplete", "current-password"}}),
               submit(visit.say(Word::kSignIn))});
}

Html by_link(const Visit& visit, const SignInPage& page) {
  const auto inner = {
      element("summary", {}, {visit.say(Word::kHaveLink)}),
      element("p", {{"class", "soft small"}},
              {visit.say(Word::kLinkExplained, {element("code", {}, {"cairn web"})})}),
      form(visit, "/sign-in", {{"id", "link"}, {"data-signed-in", visit.person ? "yes" : "no"}},
           {goal_fields(page.goal),
            field(visit.say(Word::kTicket), "ticket",
                  {{"type", "text"},
                   {"autocomplete", "off"},
                   {"autocapitalize", "characters"},
                   {"spellcheck", "false"},
                   {"maxlength", "64"}}),
            submit(visit.say(Word::kUseLink))})};
  if (page.link_failed) return element("details", {{"open", ""}}, inner);
  return element("details", {}, inner);
}

Html by_providers(const Visit& visit, const SignInPage& page) {
  Html out;
  if (page.providers.empty()) return out;
  for (const auto& provider : page.providers) {
    auto path = provider.path;
    if (!page.goal.request.empty()) {
      path += "?request=" + http::percent_encode(page.goal.request);
    } else if (page.goal.device) {
      path += "?request=" + http::percent_encode(std::string(kDeviceGoal) + page.goal.user_code);
    }
    out += element("a", {{"class", "button whole"}, {"href", path}},
                   {visit.say(Word::kSignInWith, {foreign(provider.name)})});
  }
  out += element("div", {{"class", "or"}}, {visit.say(Word::kOr)});
  return out;
}

}  // namespace

bool is_request_id(std::string_view text) {
  constexpr std::size_t kMost = 200;
  return !text.empty() && text.size() <= kMost && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '_';
  });
}

std::string Goal::path() const {
  if (!request.empty()) return "/oauth/consent?id=" + http::percent_encode(request);
  if (!device) return "/";
  if (user_code.empty()) return "/oauth/device";
  return "/oauth/device?user_code=" + http::percent_encode(user_code);
}

http::Response sign_in_page(const Visit& visit, const SignInPage& page) {
  Html content = element("h1", {}, {visit.say(Word::kSignInTitle)});
  if (!page.goal.request.empty()) {
    content += element("p", {{"class", "soft"}}, {visit.say(Word::kSignInToGrant)});
  } else if (page.goal.device) {
    content += element("p", {{"class", "soft"}}, {visit.say(Word::kSignInForDevice)});
  }
  if (visit.person) {
    content += element("div", {{"class", "alert warn"}},
                       {visit.say(Word::kAlreadyIn, {element("b", {}, {foreign(visit.user)})}), " ",
                        element("a", {{"href", page.goal.path()}}, {visit.say(Word::kContinue)})});
  }
  if (page.error) content += alert(*page.error);
  content += element("div", {{"class", "card"}},
                     {by_providers(visit, page), by_password(visit, page), by_link(visit, page)});
  return show(visit, {.title = visit.say(Word::kSignInTitle),
                      .content = content,
                      .status = page.status,
                      .script = true});
}

http::Response signed_in(const Visit& visit, const OpenedSignIn& opened, const Goal& goal) {
  const auto path = goal.path();
  const auto content = element("div", {{"class", "card"}},
                               {element("p", {{"role", "status"}}, {visit.say(Word::kGoingOn)}),
                                element("a", {{"class", "button main whole"}, {"href", path}},
                                        {visit.say(Word::kContinue)})});
  auto out = show(visit, {.title = visit.say(Word::kSignIn), .content = content, .refresh = path});
  out.headers.emplace_back("Set-Cookie",
                           rest::set_session_cookie(visit.site, visit.request, opened.cookie));
  out.log_who = DelegateId::from_bytes(opened.sign_in.realm.bytes()).render();
  return out;
}

}  // namespace cairn::pages
