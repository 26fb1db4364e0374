// Upstream: the MCP endpoint of a server, as a client reaches it over HTTP.
//
// Threads     any; each request has a connection of its own, and those that are idle are used
//             again.
// Fails with  as http::Client.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "exposure/http/client.h"

namespace cairn::mcp {

using Headers = std::vector<std::pair<std::string, std::string>>;

// Where a server is, and who we are to it.
struct Target {
  std::string url;
  std::string token;  // empty: nobody
  std::string path = "/mcp";
  // Instead of a token that stays the same.
  http::TokenSource source = {};
};

class Upstream final {
 public:
  // `headers` go with every request. INVALID_ARGUMENT for a malformed URL.
  static Result<std::shared_ptr<Upstream>> open(const Target& target, Headers headers,
                                                http::ClientOptions options);

  struct Asked {
    http::Method method = http::Method::kPost;
    std::string_view body = {};
    Headers headers = {};
    std::stop_token stop = {};
  };
  struct Outcome {
    int status = 0;
    std::string session;  // Mcp-Session-Id
    Bytes body;           // of a refusal
    // Of a stream: the last event, and how long to wait before coming back for more.
    std::string last_event_id;
    std::chrono::milliseconds retry{1000};
  };
  struct Failed {
    Error error;
    bool sent = false;  // the server may have seen the request
  };
  // Takes each message of the answer as it comes, whether it is JSON or a stream of events.
  using Take = std::function<void(std::string_view message)>;
  std::expected<Outcome, Failed> send(const Asked& asked, const Take& take);

  // Whether it can be reached. The connection is kept for the next request.
  Result<void> reach(const std::stop_token& stop);

  // For messages.
  std::string name() const { return url_.render(); }

 private:
  Upstream(http::Url url, const Target& target, Headers headers, http::ClientOptions options)
      : url_(std::move(url)),
        path_(target.path),
        token_(target.token),
        source_(target.source),
        headers_(std::move(headers)),
        options_(std::move(options)) {}

  struct Idle {
    std::unique_ptr<http::Client> client;
    std::chrono::steady_clock::time_point since;
  };
  std::expected<Outcome, Failed> send_with(const std::string& token, const Asked& asked,
                                           const Take& take);
  std::unique_ptr<http::Client> borrow();
  void give_back(std::unique_ptr<http::Client> client);

  const http::Url url_;
  const std::string path_;
  const std::string token_;
  const http::TokenSource source_;
  const Headers headers_;
  const http::ClientOptions options_;
  Guarded<std::vector<Idle>> idle_;
};

}  // namespace cairn::mcp
