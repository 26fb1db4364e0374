// Loopback: where a browser brings the answer of a sign-in, on this machine (RFC 8252 section 7.3).
//
// Listens on 127.0.0.1, on any port that is free, until it is destroyed. Only an answer with the
// state that was sent counts, and only the first; others are told so, and change nothing. The page
// that the person sees at the end is its own: no script, nothing from elsewhere.
//
// Threads     wait() one at a time; connections are on threads of its own.
// Fails with  as http::Server; REQUEST_TIMEOUT when nobody came back, FORBIDDEN when the person
// said
//             no, BAD_REQUEST when the server refused, INVALID_TOKEN when somebody else answered.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "exposure/login/discovery.h"

namespace cairn::login {

class Loopback {
 public:
  static Result<std::unique_ptr<Loopback>> listen(const Authority& authority, std::string state);
  virtual ~Loopback() = default;

  // The redirect URI.
  virtual std::string address() const = 0;
  // The code.
  virtual Result<std::string> wait(std::chrono::milliseconds patience) = 0;
};

}  // namespace cairn::login
