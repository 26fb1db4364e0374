#include "exposure/pages/oauth_pages.h"

#include <utility>
#include <variant>

#include "base/ascii.h"
#include "exposure/pages/consent_page.h"
#include "exposure/pages/pages.h"
#include "exposure/rest/respond.h"

namespace cairn::pages {
namespace {

constexpr std::size_t kMaxCode = 20;

// A program that looks whether it is still known, and is no browser.
bool wants_json(const http::Request& request) {
  const auto accept = lowered(request.header("accept"));
  return accept.contains("application/json") && !accept.contains("text/html");
}

std::string who(const Visit& visit) {
  return visit.person ? visit.person->sign_in()->id.render() : std::string(visit.request.remote);
}

// A page that goes to the client, with a button for browsers that do not.
http::Response go_on(const Visit& visit, const Html& what, const std::string& address) {
  if (!may_go_to(address)) return error_page(visit, visit.say(Word::kNotFound), 400);
  auto content = element("h1", {}, {what});
  content += element("div", {{"class", "card"}},
                     {element("p", {{"role", "status"}}, {visit.say(Word::kBackTo)}),
                      element("a", {{"class", "button main whole"}, {"href", address}},
                              {visit.say(Word::kContinue)})});
  return show(visit, {.title = what, .content = content, .refresh = address});
}

http::Response device_done(const Visit& visit, const Html& what, Word more) {
  auto content = element("h1", {}, {what});
  content += element(
      "div", {{"class", "card"}},
      {element("p", {{"role", "status"}}, {visit.say(more), " ", visit.say(Word::kCloseThis)})});
  return show(visit, {.title = what, .content = content});
}

}  // namespace

http::Response OAuthPages::refused(const Visit& visit, const oauth::Refused& refused) const {
  http::Response out;
  if (refused.redirect && may_go_to(*refused.redirect)) {
    // Not out of a form: the browser came here by itself.
    out.status = 302;
    out.headers = {{"Location", *refused.redirect},
                   {"Cache-Control", "no-store"},
                   {"Referrer-Policy", "no-referrer"}};
  } else if (const int status = refused.error == "slow_down" ? 429 : 400;
             wants_json(visit.request)) {
    out = rest::json_response(
        json::Object{{"error", refused.error}, {"error_description", refused.description}});
    out.status = status;
    out.headers.emplace_back("Cache-Control", "no-store");
  } else {
    out = error_page(visit, visit.say(Word::kWentWrong, {refused.description}), status);
  }
  out.log_error = refused.error;
  return out;
}

http::Response OAuthPages::failed(const Visit& visit, const Error& error) const {
  const auto status = rest::respond(error).status;
  auto what = visit.say(Word::kWentWrong, {error.message});
  if (error.code == Code::kNotFound) what = visit.say(Word::kRequestOver);
  auto out = error_page(visit, what, status);
  out.log_error = error.name();
  return out;
}

http::Response OAuthPages::authorize(const Visit& visit, const Fields& fields) const {
  const auto origin = oauth::Origin::parse(rest::origin_of(visit.site, visit.request));
  if (!origin) return failed(visit, origin.error());
  const auto begun =
      authorization_.begin(fields.entries(), *origin, visit.person.has_value(), who(visit));
  if (const auto* no = std::get_if<oauth::Refused>(&begun)) return refused(visit, *no);
  auto own = visit;
  // What the program knows of its user counts only where the browser says nothing.
  if (visit.request.header("accept-language").empty()) {
    own.language = language_of(fields.get("ui_locales"));
  }
  return show_consent(own, std::get<oauth::Begun>(begun).request);
}

http::Response OAuthPages::show_consent(const Visit& visit, std::string_view request) const {
  if (!is_request_id(request)) return error_page(visit, visit.say(Word::kRequestOver), 404);
  if (!visit.person) {
    return sign_in_page(visit,
                        {.goal = {.request = std::string(request)}, .providers = providers_});
  }
  const auto asked = authorization_.asked(request);
  if (!asked) return failed(visit, asked.error());
  return consent_page(visit, executor_, clock_.now(), {.request = request, .asked = *asked});
}

http::Response OAuthPages::take_consent(const Visit& visit, const Fields& fields) const {
  const auto request = fields.get("id");
  if (!is_request_id(request)) return error_page(visit, visit.say(Word::kRequestOver), 404);
  const auto asked = authorization_.asked(request);
  if (!asked) return failed(visit, asked.error());
  const auto& person = visit.person->session();
  const auto name = client_name(*asked);
  const auto again = [&](const Html& error) {
    return consent_page(visit, executor_, clock_.now(),
                        {.request = request, .asked = *asked, .sent = &fields, .error = error});
  };
  if (fields.get("decision") != "allow") {
    const auto address = authorization_.deny(request, person);
    if (!address) return failed(visit, address.error());
    const auto what = visit.say(Word::kDenied, {name});
    if (address->empty()) return device_done(visit, what, Word::kDeviceDenied);
    return go_on(visit, what, *address);
  }
  const auto choice = choice_of(fields, *asked);
  if (!choice) {
    const bool none = fields.get("see") == "depots" && !fields.has("depot");
    return again(none ? visit.say(Word::kChooseDepot)
                      : visit.say(Word::kCannotGrant, {choice.error().message}));
  }
  const auto address = authorization_.allow(request, person, *choice, visit.request.remote);
  if (!address) {
    if (address.error().code == Code::kNotFound) return failed(visit, address.error());
    return again(visit.say(Word::kCannotGrant, {address.error().message}));
  }
  const auto what = visit.say(Word::kAllowed, {name});
  if (address->empty()) return device_done(visit, what, Word::kDeviceAllowed);
  return go_on(visit, what, *address);
}

http::Response OAuthPages::device_form(const Visit& visit, std::string_view code,
                                       const std::optional<Html>& error, int status) const {
  Html content = element("h1", {}, {visit.say(Word::kDeviceTitle)});
  content += element("p", {{"class", "soft"}}, {visit.say(Word::kDeviceExplained)});
  if (error) content += alert(*error);
  content += element(
      "div", {{"class", "card"}},
      {form(visit, "/oauth/device", {},
            {element("div", {{"class", "field"}},
                     {element("label", {{"for", "user_code"}}, {visit.say(Word::kCode)}),
                      element("input", {{"type", "text"},
                                        {"class", "code"},
                                        {"id", "user_code"},
                                        {"name", "user_code"},
                                        {"value", code},
                                        {"placeholder", "XXXX-XXXX"},
                                        {"autocomplete", "off"},
                                        {"autocapitalize", "characters"},
                                        {"spellcheck", "false"},
                                        {"maxlength", "20"},
                                        {"required", ""}})}),
             element("button", {{"class", "main whole"}}, {visit.say(Word::kCheckCode)})})});
  return show(visit,
              {.title = visit.say(Word::kDeviceTitle), .content = content, .status = status});
}

http::Response OAuthPages::show_device(const Visit& visit, const Fields& fields) const {
  const auto code = fields.get("user_code").substr(0, kMaxCode);
  if (!visit.person) {
    return sign_in_page(
        visit, {.goal = {.device = true, .user_code = std::string(code)}, .providers = providers_});
  }
  // A page of somebody else's must not use up the tries of the person who looks at it.
  const bool foreign_page = visit.request.header("sec-fetch-site") == "cross-site";
  if (code.empty() || foreign_page) return device_form(visit, code, std::nullopt, 200);
  return take_device(visit, fields);
}

http::Response OAuthPages::take_device(const Visit& visit, const Fields& fields) const {
  const auto code = fields.get("user_code").substr(0, kMaxCode);
  const auto request = authorization_.device_request(code, who(visit));
  if (request) return show_consent(visit, *request);
  if (request.error().code == Code::kRateLimited) {
    return device_form(visit, code, visit.say(Word::kTooOften, {waiting_time(request.error())}),
                       429);
  }
  if (request.error().code != Code::kNotFound) return failed(visit, request.error());
  return device_form(visit, code, visit.say(Word::kCodeUnknown), 404);
}

}  // namespace cairn::pages
