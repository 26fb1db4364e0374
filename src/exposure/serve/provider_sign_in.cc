#include "exposure/serve/provider_sign_in.h"

#include "exposure/pages/pages.h"
#include "exposure/pages/sign_in_page.h"
#include "exposure/rest/respond.h"

namespace cairn {
namespace {

pages::Visit visit_of(const http::Request& request, const rest::Site& site) {
  return {.request = request,
          .site = site,
          .language = pages::language_of(request.header("accept-language"))};
}

// The one that this browser had is of no use to anybody any more.
void end_earlier(Executor& executor, const http::Request& request, const rest::Site& site) {
  const auto cookie = rest::session_cookie(site, request);
  if (!cookie) return;
  const auto caller = executor.signed_in(*cookie, "me", Entrance::kRest);
  if (!caller) return;
  (void)executor.run(*caller, "end_sign_in",
                     json::Object{{"signInId", caller->sign_in()->id.render()}});
}

// Never an address: a request that is kept here, or the page for devices.
pages::Goal goal_of(std::string_view wanted) {
  if (wanted.starts_with(pages::kDeviceGoal)) {
    return {.device = true, .user_code = std::string(wanted.substr(pages::kDeviceGoal.size()))};
  }
  if (!pages::is_request_id(wanted)) return {};
  return {.request = std::string(wanted)};
}

Result<http::Response> let_in(Executor& executor, const http::Request& request,
                              const rest::Site& site, const User& user, const std::string& wanted) {
  const auto opened = TRY(executor.open_sign_in_of(user.id, rest::seen_of(request)));
  end_earlier(executor, request, site);
  return pages::signed_in(visit_of(request, site), opened, goal_of(wanted));
}

http::Response refused(const http::Request& request, const rest::Site& site, const Error& error) {
  // Programs are told as programs are.
  if (!request.header("accept").contains("text/html")) return rest::respond(error);
  return pages::error_page(visit_of(request, site), pages::Html(error.message),
                           info(error.code).http_status);
}

}  // namespace

Result<std::unique_ptr<oidc::ForeignSignIn>> open_provider(const oidc::Settings& settings,
                                                           Engine& engine, rest::Site site) {
  auto& executor = engine.executor();
  auto& services = engine.services();
  const bool behind_proxy = site.behind_proxy;
  return oidc::ForeignSignIn::open(
      settings, {.kv = engine.records(),
                 .users = services.users,
                 .clock = services.clock,
                 .random = services.random,
                 .fetch = oidc::over_network(),
                 .origin = [site](const http::Request& request) -> Result<std::string> {
                   return rest::origin_of(site, request);
                 },
                 .open =
                     [&executor, site](const http::Request& request, const User& user,
                                       const std::string& wanted) {
                       return let_in(executor, request, site, user, wanted);
                     },
                 .refused = [site](const http::Request& request,
                                   const Error& error) { return refused(request, site, error); },
                 .behind_proxy = behind_proxy});
}

}  // namespace cairn
