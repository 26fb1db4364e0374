// Pages: what people see in a browser, without any script but one on the page where they sign in.
//
//   /                     who is signed in, and where
//   /sign-in, /sign-out   the cookie of a sign-in, given and taken back
//   /account/…            ends other sign-ins, changes the password
//   /oauth/authorize      a client asks (old ones at /authorize)
//   /oauth/consent        what it asks for, and the person's answer
//   /oauth/device         the code of a device
//   /pages/…              what the pages load
//
// Invariants  nothing is changed but by a form of a page of ours: the request says where it was
//             made, and has the CSRF token of the sign-in that its page was shown to.
// Threads     every function may be called from any thread.
// Fails with  pages in words, with the status of the error.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "exposure/http/http.h"
#include "exposure/pages/form.h"
#include "exposure/pages/frame.h"
#include "exposure/pages/oauth_pages.h"
#include "exposure/pages/sign_in_page.h"
#include "tools/executor/executor.h"

namespace cairn::pages {

struct PagesOptions {
  rest::Site site;
  std::vector<Provider> providers = {};
  // Null: programs cannot ask here.
  oauth::Authorization* authorization = nullptr;
};

class Pages final : public http::Handler {
 public:
  // REQUIRES: all outlive it.
  Pages(Executor& executor, const Clock& clock, PagesOptions options);

  static bool is_here(std::string_view path);
  http::Plan begin(const http::Request& request) override;

  // Who looks at a page, and how.
  Visit visit_of(const http::Request& request) const;

 private:
  using Answer = http::Response (Pages::*)(const Visit& visit, const Fields& fields);

  enum class Where { kHere, kWorker };
  http::Plan get(const http::Request& request, Answer answer, Where where);
  http::Plan post(const http::Request& request, Answer answer, bool signed_in);

  http::Response start(const Visit& visit, const Fields& fields);
  http::Response ask_to_sign_in(const Visit& visit, const Fields& fields);
  http::Response authorize(const Visit& visit, const Fields& fields);
  http::Response show_consent(const Visit& visit, const Fields& fields);
  http::Response take_consent(const Visit& visit, const Fields& fields);
  http::Response show_device(const Visit& visit, const Fields& fields);
  http::Response take_device(const Visit& visit, const Fields& fields);
  http::Response sign_in(const Visit& visit, const Fields& fields);
  http::Response sign_in_failed(const Visit& visit, const Fields& fields, const Error& error);
  http::Response sign_out(const Visit& visit, const Fields& fields);
  http::Response end(const Visit& visit, const Fields& fields);
  http::Response change_password(const Visit& visit, const Fields& fields);

  Executor& executor_;
  const Clock& clock_;
  const PagesOptions options_;
  std::optional<OAuthPages> oauth_;
};

// A page that says what is wrong, with a way on.
http::Response error_page(const Visit& visit, const Html& what, int status);

}  // namespace cairn::pages
