// Web: requests to whatever address a server's documents name.
//
// Invariants  only to https, or to http on loopback: tokens and codes are in these requests.
//             Redirects are answers, and are not followed.
// Threads     one at a time.
// Fails with  as http::Client; INVALID_ARGUMENT for an address that is none, FORBIDDEN for one
//             that others could listen to.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/json/json.h"
#include "exposure/http/client.h"

namespace cairn::login {

// What a form, or a query, has.
using Fields = std::vector<std::pair<std::string, std::string>>;
std::string form_of(const Fields& fields);

// Whether nobody on the way can read along: https, or http on this machine.
bool is_private(const http::Url& url);

// An address, cut into what http::Url takes and the rest, which begins with a slash.
struct Address {
  http::Url origin;
  std::string target;

  static Result<Address> parse(std::string_view text);
};

class Web final {
 public:
  // A certificate to trust, and how long to wait.
  explicit Web(const http::ClientOptions& options);

  Result<http::ClientResponse> get(std::string_view url) const;
  Result<http::ClientResponse> post(std::string_view url, const Fields& form) const;
  Result<http::ClientResponse> post(std::string_view url, const json::Object& document) const;

 private:
  Result<http::ClientResponse> send(std::string_view url, http::ClientRequest request) const;

  http::ClientOptions options_;
};

// A member that is a string; empty when there is none.
std::string text_of(const json::Object& object, std::string_view name);
// The body as an object; empty when it is none.
json::Object object_of(const http::ClientResponse& response);

}  // namespace cairn::login
