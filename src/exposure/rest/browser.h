// Browser: how a person's browser is known, and that a request is really meant by whoever sits at
// it.
//
//   __Host-cairn_session     the cookie of a sign-in, Secure
//   cairn_session_{port}     the same over plain HTTP on this machine, where browsers keep the
//                            cookies of all ports together and Safari takes no Secure one
//
// Threads  plain functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "exposure/http/http.h"
#include "tools/executor/executor.h"

namespace cairn::rest {

// Where the server is, as browsers see it.
struct Site {
  std::string public_url = {};  // `https://cairn.example`; empty: as the request's Host says
  bool behind_proxy = false;    // which ends TLS
};

// Whether browsers reach the site by https.
bool is_secure(const Site& site, const http::Request& request);
// `https://cairn.example`, as the request came to it.
std::string origin_of(const Site& site, const http::Request& request);

// The value of the sign-in's cookie; nothing: none was sent. It may be any text.
std::optional<std::string_view> session_cookie(const Site& site, const http::Request& request);
// Headers that set it, and that make the browser forget it.
std::string set_session_cookie(const Site& site, const http::Request& request,
                               std::string_view value);
std::string forget_session_cookie(const Site& site, const http::Request& request);

// FORBIDDEN unless the request, which changes something, was made by a page of this site. A browser
// says so itself; one that says nothing is none.
Result<void> check_own_page(const Site& site, const http::Request& request);
// The same for a request with a cookie to the API: what only reads may also be typed in, or come
// from a program; what changes something has the header X-Cairn-CSRF, as /api/me gives it.
Result<void> check_meant(const Site& site, const http::Request& request, const SignIn& sign_in);

// Where a browser is.
BrowserSeen seen_of(const http::Request& request);

}  // namespace cairn::rest
