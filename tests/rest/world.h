// A server over a store in memory, its users and delegates, and calls to it over real HTTP: what
// the tests of the REST surface and of rights are told with.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "data/json/json.h"
#include "exposure/http/client.h"
#include "exposure/http/server.h"
#include "exposure/rest/rest.h"
#include "tools/engine/engine.h"

namespace cairn::rest_testing {

struct Answer {
  int status = 0;
  http::ClientResponse response;
  std::string code;  // "ok", or the error's
  json::Value value;
  std::string body;
};

class Quiet final : public http::Observer {
 public:
  void on_request(const http::RequestLog&) override {}
  void on_connections(int) override {}
};

class LocalDoor;

class World final {
 public:
  explicit World(const EngineOptions& options = {});
  ~World();

  // Instead of a token: the request comes over the owner's socket, without any.
  static constexpr std::string_view kOverSocket = "(over the socket)";
  // The same of a browser in which the owner is signed in: the request comes from the server's own
  // page, with the cookie, and with the page's word for it (CSRF token) or without.
  enum class Word { kWithout, kWith };
  std::string browser(Word word);

  // One request; the body goes as JSON when there is one.
  Answer send(http::Method method, const std::string& target, const std::string& token,
              const std::optional<std::string>& body = std::nullopt,
              const std::string& type = "application/json",
              const std::vector<std::pair<std::string, std::string>>& headers = {});
  // A tool through POST /api/realm/{realm}/tools/{name}.
  Answer call(std::string_view tool, const std::string& token, const json::Object& arguments,
              std::string_view realm = "me");
  // The same, which has to go well.
  json::Object must(std::string_view tool, const std::string& token, const json::Object& arguments);

  // Files written and committed by the owner.
  std::string depot(std::string_view title, const std::map<std::string, std::string>& files,
                    const std::string& token = {});
  std::string root(const std::string& depot, const std::string& token = {});

  ManualClock clock;
  std::string owner;  // the owner's token
  std::string realm;  // the owner's realm

  Engine& engine() { return *engine_; }

 private:
  SeededRandom random_{1};
  NoMeter meter_;
  Quiet quiet_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<rest::RestHandler> handler_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<http::Client> client_;
  std::unique_ptr<LocalDoor> local_;  // made when first used
};

// A unix socket in a directory of its own, with a client.
class LocalDoor final {
 public:
  explicit LocalDoor(http::Handler& handler);
  ~LocalDoor();
  http::Client& client() { return *client_; }

 private:
  Quiet quiet_;
  std::filesystem::path directory_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<http::Client> client_;
};

std::string text(const json::Object& object, std::string_view name);
// What a browser sends to a port, for what World::browser() gave instead of a token; nothing: it is
// no browser.
std::optional<std::vector<std::pair<std::string, std::string>>> sent_by_browser(
    std::string_view token, std::uint16_t port);

}  // namespace cairn::rest_testing
