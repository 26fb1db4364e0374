// For this module's tests: a server made of lambdas, and a client that sends whatever bytes it
// likes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "exposure/http/server.h"

namespace cairn::http::testing {

// A blocking socket on loopback. Fails the test instead of hanging.
class RawClient final {
 public:
  explicit RawClient(std::uint16_t port);
  ~RawClient();
  RawClient(RawClient&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

  RawClient& send(std::string_view bytes);
  // Sends as much as the other side takes; false when the connection broke.
  bool try_send(std::string_view bytes);
  // One answer: its head, and its body by Content-Length or chunks (left encoded).
  std::string answer();
  // Head only, for HEAD and for what goes on.
  std::string head();
  std::string read_exactly(std::size_t count);
  // Everything until the other side closes.
  std::string rest();
  // True when the other side closes without a further byte.
  bool closed();
  void close();
  void shut_down_sending();

 private:
  bool fill();

  int fd_ = -1;
  std::string got_;
};

struct Logged {
  Method method;
  std::string path;
  int status;
  std::uint64_t bytes_in;
  std::uint64_t bytes_out;
  std::string remote;
  std::string tool;
  std::string who;
  std::string error;
  std::string cause;
};

class Log final : public Observer {
 public:
  void on_request(const RequestLog& request) override;
  void on_connections(int open) override { *open_.lock() = open; }
  std::vector<Logged> all() { return *requests_.lock(); }
  // Waits, up to five seconds, until there are as many.
  std::vector<Logged> wait_for(std::size_t count);
  int open() { return *open_.lock(); }

 private:
  Guarded<std::vector<Logged>> requests_;
  Guarded<int> open_;
};

// A server on loopback whose handler is a function.
class TestServer final : private Handler {
 public:
  using Begin = std::function<Plan(const Request&)>;
  explicit TestServer(Begin begin, ServerOptions options = {});

  RawClient connect() const { return RawClient(port()); }
  // One request on its own connection.
  std::string ask(std::string_view request) const;
  std::uint16_t port() const { return server_->port(); }
  Server& server() { return *server_; }
  Log& log() { return log_; }

 private:
  Plan begin(const Request& request) override { return begin_(request); }

  Begin begin_;
  Log log_;
  std::unique_ptr<Server> server_;
};

Response text(std::string body, int status = 200);

// Waits, up to five seconds, until it is so.
bool eventually(const std::function<bool()>& condition);

}  // namespace cairn::http::testing
