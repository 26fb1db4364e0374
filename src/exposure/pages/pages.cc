#include "exposure/pages/pages.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/sha256.h"
#include "exposure/pages/start_page.h"
#include "exposure/pages/style.h"
#include "exposure/rest/respond.h"
#include "exposure/rest/rest.h"

namespace cairn::pages {
namespace {

constexpr std::size_t kMaxFormBytes = 64 << 10;

Goal goal_of(const Fields& fields) {
  Goal goal;
  // Of the page for signing in, or of the consent that somebody sent who was signed out meanwhile.
  const auto request = fields.get(fields.has("request") ? "request" : "id");
  if (is_request_id(request)) goal.request = request;
  goal.device = fields.get("then") == "device";
  const auto code = fields.get("user_code");
  if (goal.device && code.size() <= 20) goal.user_code = code;
  return goal;
}

http::Response asset(std::string_view type, std::string_view content) {
  http::Response out;
  out.content_type = type;
  out.headers = {{"Cache-Control", "public, max-age=300"},
                 {"X-Content-Type-Options", "nosniff"},
                 {"Cross-Origin-Resource-Policy", "same-origin"}};
  out.body = http::SharedBody{nullptr, content};
  return out;
}

bool is_form(std::string_view type) {
  return type.substr(0, type.find(';')) == "application/x-www-form-urlencoded";
}

}  // namespace

http::Response error_page(const Visit& visit, const Html& what, int status) {
  const auto content = element(
      "div", {{"class", "card"}},
      {element("p", {{"role", "alert"}}, {what}),
       element("a", {{"class", "button whole"}, {"href", "/"}}, {visit.say(Word::kToStart)})});
  auto all = element("h1", {}, {visit.say(Word::kErrorTitle)});
  all += content;
  return show(visit, {.title = visit.say(Word::kErrorTitle), .content = all, .status = status});
}

Pages::Pages(Executor& executor, const Clock& clock, PagesOptions options)
    : executor_(executor), clock_(clock), options_(std::move(options)) {
  if (options_.authorization == nullptr) return;
  oauth_.emplace(executor_, *options_.authorization, clock_, options_.providers);
}

bool Pages::is_here(std::string_view path) {
  constexpr std::array<std::string_view, 10> kPaths = {
      "/",        "/sign-in",  "/sign-out", "/oauth/authorize", "/oauth/consent",
      kStylePath, kScriptPath, kIconPath,   "/oauth/device",    "/authorize"};
  return std::ranges::find(kPaths, path) != kPaths.end() || path.starts_with("/account/");
}

Visit Pages::visit_of(const http::Request& request) const {
  Visit visit{.request = request,
              .site = options_.site,
              .language = language_of(request.header("accept-language"))};
  const auto cookie = rest::session_cookie(options_.site, request);
  if (!cookie) return visit;
  auto person = executor_.signed_in(*cookie, "me", Entrance::kRest);
  if (!person) return visit;
  const auto user = executor_.user_of(*person);
  if (!user) return visit;
  visit.person = std::move(*person);
  visit.user = user->name;
  return visit;
}

http::Plan Pages::begin(const http::Request& request) {
  using enum http::Method;
  const auto path = request.path;
  if (path == kStylePath) return asset("text/css; charset=utf-8", kStyle);
  if (path == kScriptPath) return asset("text/javascript; charset=utf-8", kSignInScript);
  if (path == kIconPath) return asset("image/svg+xml", kIcon);
  if (request.method == kGet || request.method == kHead) {
    if (path == "/") return get(request, &Pages::start, Where::kHere);
    if (path == "/sign-in") return get(request, &Pages::ask_to_sign_in, Where::kHere);
    if (oauth_) {
      // A request is stored, and documents of clients may be fetched.
      // At the root for clients that know no metadata.
      if (path == "/oauth/authorize" || path == "/authorize")
        return get(request, &Pages::authorize, Where::kWorker);
      if (path == "/oauth/consent") return get(request, &Pages::show_consent, Where::kWorker);
      if (path == "/oauth/device") return get(request, &Pages::show_device, Where::kWorker);
    }
    const auto visit = visit_of(request);
    return error_page(visit, visit.say(Word::kNotFound), 404);
  }
  if (request.method == kPost) {
    if (path == "/sign-in") return post(request, &Pages::sign_in, false);
    if (path == "/sign-out") return post(request, &Pages::sign_out, true);
    if (path == "/account/end") return post(request, &Pages::end, true);
    if (path == "/account/password") return post(request, &Pages::change_password, true);
    if (oauth_ && path == "/oauth/consent") return post(request, &Pages::take_consent, true);
    if (oauth_ && path == "/oauth/device") return post(request, &Pages::take_device, true);
  }
  return rest::respond(rest::wrong_method("GET").error());
}

http::Plan Pages::get(const http::Request& request, Answer answer, Where where) {
  auto make = [this, &request, answer]() -> http::Response {
    const auto visit = visit_of(request);
    const auto fields = Fields::parse(request.query);
    if (!fields) return error_page(visit, visit.say(Word::kNotFound), 400);
    return (this->*answer)(visit, *fields);
  };
  if (where == Where::kHere) return make();
  return http::Later{std::move(make), {.group = "pages", .who = std::string(request.remote)}};
}

http::Response Pages::start(const Visit& visit, const Fields&) {
  if (visit.person) return start_page(visit, executor_, clock_.now());
  return sign_in_page(visit, {.providers = options_.providers});
}

http::Response Pages::ask_to_sign_in(const Visit& visit, const Fields& fields) {
  return sign_in_page(visit, {.goal = goal_of(fields), .providers = options_.providers});
}

http::Response Pages::authorize(const Visit& visit, const Fields& fields) {
  return oauth_->authorize(visit, fields);
}

http::Response Pages::show_consent(const Visit& visit, const Fields& fields) {
  return oauth_->show_consent(visit, fields.get("id"));
}

http::Response Pages::take_consent(const Visit& visit, const Fields& fields) {
  return oauth_->take_consent(visit, fields);
}

http::Response Pages::show_device(const Visit& visit, const Fields& fields) {
  return oauth_->show_device(visit, fields);
}

http::Response Pages::take_device(const Visit& visit, const Fields& fields) {
  return oauth_->take_device(visit, fields);
}

http::Plan Pages::post(const http::Request& request, Answer answer, bool signed_in) {
  if (!rest::check_own_page(options_.site, request) || !is_form(request.header("content-type"))) {
    const auto visit = visit_of(request);
    return error_page(visit, visit.say(Word::kForeignPage), 403);
  }
  auto take = [this, &request, answer, signed_in](const Bytes& body) -> http::Response {
    const auto visit = visit_of(request);
    const auto fields = Fields::parse(body);
    if (!fields) return error_page(visit, visit.say(Word::kForeignPage), 400);
    if (signed_in && !visit.person) {
      return sign_in_page(
          visit, {.goal = goal_of(*fields), .providers = options_.providers, .status = 401});
    }
    if (signed_in && !same_secret(fields->get("csrf"), visit.csrf())) {
      return error_page(visit, visit.say(Word::kForeignPage), 403);
    }
    return (this->*answer)(visit, *fields);
  };
  // Hashing a password takes a core for a while: few at once, for one address and for all.
  return http::WantBody{.max_bytes = kMaxFormBytes,
                        .where = http::Where::kWorker,
                        .answer = std::move(take),
                        .share = {.group = "sign-in", .who = std::string(request.remote)}};
}

http::Response Pages::sign_in(const Visit& visit, const Fields& fields) {
  const auto from = rest::seen_of(visit.request);
  const bool by_link = fields.has("ticket");
  const auto opened =
      by_link ? executor_.open_sign_in(fields.get("ticket"), from)
              : executor_.open_sign_in(fields.get("name"), fields.get("password"), from);
  if (!opened) return sign_in_failed(visit, fields, opened.error());
  // The one that this browser had is of no use to anybody any more.
  if (visit.person) {
    const auto id = visit.person->sign_in()->id.render();
    (void)executor_.run(*visit.person, "end_sign_in", json::Object{{"signInId", id}});
  }
  auto out = signed_in(visit, *opened, goal_of(fields));
  out.log_tool = by_link ? "sign_in_by_link" : "sign_in";
  return out;
}

http::Response Pages::sign_in_failed(const Visit& visit, const Fields& fields, const Error& error) {
  const bool by_link = fields.has("ticket");
  SignInPage page{.goal = goal_of(fields),
                  .providers = options_.providers,
                  .name = std::string(fields.get("name")),
                  .link_failed = by_link,
                  .status = 401};
  if (error.code == Code::kRateLimited) {
    page.status = 429;
    page.error = visit.say(Word::kTooOften, {waiting_time(error)});
  } else if (error.code == Code::kForbidden) {
    page.status = 403;
    page.error = visit.say(Word::kNotAuthorised);
  } else if (by_link) {
    page.error = visit.say(Word::kLinkOver, {element("code", {}, {"cairn web"})});
  } else if (error.code == Code::kInvalidToken) {
    page.error = visit.say(Word::kWrong);
  } else {
    // The store's own sentence: nothing that the person did.
    page.status = rest::respond(error).status;
    page.error = Html(error.message);
  }
  auto out = sign_in_page(visit, page);
  out.log_error = error.name();
  out.log_tool = by_link ? "sign_in_by_link" : "sign_in";
  return out;
}

http::Response Pages::sign_out(const Visit& visit, const Fields&) {
  const auto id = visit.person->sign_in()->id.render();
  (void)executor_.run(*visit.person, "end_sign_in", json::Object{{"signInId", id}});
  const Visit stranger{.request = visit.request, .site = visit.site, .language = visit.language};
  const auto content = element("div", {{"class", "card"}},
                               {element("h1", {}, {visit.say(Word::kSignedOut)}),
                                element("a", {{"class", "button whole"}, {"href", "/sign-in"}},
                                        {visit.say(Word::kSignIn)})});
  auto out = show(stranger, {.title = visit.say(Word::kSignedOut), .content = content});
  out.headers.emplace_back("Set-Cookie", rest::forget_session_cookie(visit.site, visit.request));
  return out;
}

http::Response Pages::end(const Visit& visit, const Fields& fields) {
  json::Object arguments;
  if (fields.has("signInId")) arguments["signInId"] = fields.get("signInId");
  // One that ended meanwhile is what was wanted.
  (void)executor_.run(*visit.person, "end_sign_in", json::Value(std::move(arguments)));
  return start_page(visit, executor_, clock_.now());
}

http::Response Pages::change_password(const Visit& visit, const Fields& fields) {
  json::Object arguments{{"newPassword", fields.get("newPassword")}};
  if (fields.has("currentPassword")) {
    arguments["currentPassword"] = fields.get("currentPassword");
  }
  const auto done =
      executor_.run(*visit.person, "change_password", json::Value(std::move(arguments)));
  if (done) {
    return start_page(visit, executor_, clock_.now(),
                      alert(visit.say(Word::kPasswordChanged), "alert good"));
  }
  auto what = visit.say(Word::kPasswordLength);
  if (done.error().code == Code::kForbidden) what = visit.say(Word::kPasswordWrong);
  if (done.error().code == Code::kRateLimited) {
    what = visit.say(Word::kTooOften, {waiting_time(done.error())});
  }
  return start_page(visit, executor_, clock_.now(), alert(what),
                    rest::respond(done.error()).status);
}

}  // namespace cairn::pages
