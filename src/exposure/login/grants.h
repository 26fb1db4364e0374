// The requests of an OAuth client, as RFC 6749, 7009, 7591 and 8628 have them: each says what goes
// over the wire once.
//
// Threads     plain functions of their arguments.
// Fails with  INVALID_TOKEN when what was sent is good for nothing any more, FORBIDDEN when the
//             person said no, UNAVAILABLE when it may be tried again later; refusal_of() is the
//             name that the standard gives it. As Web for the rest.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "exposure/login/discovery.h"
#include "exposure/login/web.h"

namespace cairn::login {

struct Tokens {
  std::string access;
  std::string refresh;  // empty: there is none
  std::string scope;
  std::chrono::seconds lasts{3600};  // the access token
};

// The standard's name of an error: `invalid_grant`. Empty: it was none of those.
std::string refusal_of(const Error& error);

// A client as the server is to know it; its id. Equal names are one client.
Result<std::string> register_client(const Web& web, const Authority& authority,
                                    std::string_view name, std::string_view scope);

// One sign-in in a browser, from the address that is opened to the answer that comes back.
struct CodeRequest {
  std::string client;
  std::string scope;
  std::string redirect;
  std::string state;
  std::string verifier;
};
Result<std::string> authorization_url(const Authority& authority, const CodeRequest& request);
Result<Tokens> trade_code(const Web& web, const Authority& authority, const CodeRequest& request,
                          std::string_view code);

// One sign-in on another device.
struct DeviceRequest {
  std::string device_code;
  std::string user_code;
  std::string page;       // where it is entered
  std::string full_page;  // the same with the code in it; empty: there is none
  std::chrono::seconds lasts{900};
  std::chrono::seconds interval{5};
};
Result<DeviceRequest> ask_for_device(const Web& web, const Authority& authority,
                                     std::string_view client, std::string_view scope);
// UNAVAILABLE with `authorization_pending` or `slow_down`: not yet.
Result<Tokens> trade_device(const Web& web, const Authority& authority, std::string_view client,
                            std::string_view device_code);

Result<Tokens> renew(const Web& web, const std::string& token_endpoint, std::string_view client,
                     std::string_view refresh_token);
Result<void> revoke(const Web& web, const std::string& revocation_endpoint, std::string_view client,
                    std::string_view refresh_token);

}  // namespace cairn::login
