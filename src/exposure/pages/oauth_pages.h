// The pages of OAuth: a client asks, the person answers; the code of a device.
//
// Invariants  a request is named by its id only: what was asked is not in the form. The answer to a
//             form is a page that goes on by itself, never a redirect, which browsers would refuse.
// Threads     every function may be called from any thread.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "data/oauth/authorization.h"
#include "exposure/pages/form.h"
#include "exposure/pages/frame.h"
#include "exposure/pages/sign_in_page.h"
#include "tools/executor/executor.h"

namespace cairn::pages {

class OAuthPages final {
 public:
  // REQUIRES: all outlive it.
  OAuthPages(Executor& executor, oauth::Authorization& authorization, const Clock& clock,
             const std::vector<Provider>& providers)
      : executor_(executor), authorization_(authorization), clock_(clock), providers_(providers) {}

  http::Response authorize(const Visit& visit, const Fields& fields) const;
  http::Response show_consent(const Visit& visit, std::string_view request) const;
  http::Response take_consent(const Visit& visit, const Fields& fields) const;
  http::Response show_device(const Visit& visit, const Fields& fields) const;
  http::Response take_device(const Visit& visit, const Fields& fields) const;

 private:
  http::Response refused(const Visit& visit, const oauth::Refused& refused) const;
  http::Response failed(const Visit& visit, const Error& error) const;
  http::Response device_form(const Visit& visit, std::string_view code,
                             const std::optional<Html>& error, int status) const;

  Executor& executor_;
  oauth::Authorization& authorization_;
  const Clock& clock_;
  const std::vector<Provider>& providers_;
};

}  // namespace cairn::pages
