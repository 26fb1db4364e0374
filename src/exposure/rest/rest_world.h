// A store in memory with the REST handlers over it, and requests that are handed to them: what the
// tests of this module are told with. No server is started.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "exposure/http/fake_request.h"
#include "exposure/rest/endpoint_rest.h"
#include "exposure/rest/rest.h"
#include "tools/engine/engine.h"

namespace cairn::rest {

struct Asked {
  http::Method method = http::Method::kGet;
  std::string target;
  std::string token = {};  // empty: none is sent
  std::optional<std::string> body = std::nullopt;
  std::string type = "application/json";
  http::Headers headers = {};
  std::string remote = "127.0.0.1";
};

struct Answered {
  explicit Answered(http::Response response);

  int status = 0;
  std::string code;   // "ok", or the error's
  std::string body;   // as it was sent
  json::Value value;  // the body, where it is JSON
  http::Response response;

  std::string_view header(std::string_view name) const { return header_of(response, name); }
  std::string message() const;
};

// Throws when there is none.
std::string text_of(const json::Object& object, std::string_view name);

class RestWorld final {
 public:
  static constexpr std::string_view kSecret = "a secret for front ends";

  explicit RestWorld(RestOptions options = {.version = "1.2.3"});

  // The plan for a request; the request is kept, since a plan points into it.
  http::Plan plan(http::Handler& handler, const Asked& asked);
  Answered ask(http::Handler& handler, const Asked& asked);
  Answered ask(const Asked& asked) { return ask(rest, asked); }
  // The same by the owner.
  Answered get(std::string target, http::Headers headers = {});
  Answered post(std::string target, const json::Object& body, http::Headers headers = {});

  // A tool by the owner, which has to go well.
  json::Object must(std::string_view tool, const json::Object& arguments);
  std::string depot(std::string_view title, const std::map<std::string, std::string>& files);
  // The root of a depot with one more file, not committed.
  std::string written(const std::string& depot, std::string_view path, std::string_view content);
  // An endpoint with these operations on a JSON file of a depot, each called as it is.
  struct Made {
    std::string id;
    std::string key;
  };
  Made endpoint(const std::string& depot, std::string_view path,
                const std::vector<std::string>& operations);

  ManualClock clock;

 private:
  SeededRandom random_{1};
  NoMeter meter_;
  std::unique_ptr<Engine> engine_;
  std::vector<std::unique_ptr<http::FakeRequest>> requests_;

 public:
  Engine& engine() { return *engine_; }
  std::string owner;  // the owner's token
  RestHandler rest;
  EndpointRest endpoints;
  InternalHandler internal;
};

}  // namespace cairn::rest
