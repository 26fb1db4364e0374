// Endpoints over REST, and for front ends that are trusted.
//
//   GET  /api/v2/rest/{key}                what it is and which tools it has
//   GET  /api/v2/rest/{key}/openapi.json   the same as OpenAPI
//   POST /api/v2/rest/{key}/{tool}         a call, with a JSON object of arguments
//
// With `-` in place of the key it is taken from the Authorization header.
//
// Threads     begin() may be called from any thread: the handlers have no state of their own.
// Fails with  ENDPOINT_NOT_FOUND for a wrong key, as an answer like all errors.
#pragma once

#include "exposure/http/http.h"
#include "tools/endpoints/bound_calls.h"

namespace cairn::rest {

class EndpointRest final : public http::Handler {
 public:
  explicit EndpointRest(BoundCalls& calls) : calls_(calls) {}

  // Whether a path is one of these.
  static bool is_here(std::string_view path);
  http::Plan begin(const http::Request& request) override;

 private:
  Result<http::Plan> plan(const http::Request& request);

  BoundCalls& calls_;
};

// The requests of a separate front end, on a listener of its own:
//
//   GET  /internal/aei/mcp/{key}/config   an endpoint's tools and what each stands for
//   POST /internal/adi/{id}/execute       {arguments, binding_id?}
//
// Every request carries the secret as a bearer token.
class InternalHandler final : public http::Handler {
 public:
  InternalHandler(BoundCalls& calls, std::string secret)
      : calls_(calls), secret_(std::move(secret)) {}

  http::Plan begin(const http::Request& request) override;

 private:
  Result<http::Plan> plan(const http::Request& request);

  BoundCalls& calls_;
  const std::string secret_;
};

}  // namespace cairn::rest
