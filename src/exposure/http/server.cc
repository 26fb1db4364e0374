#include "exposure/http/server.h"

#include <algorithm>
#include <thread>
#include <vector>

#include <sys/socket.h>

#include "base/quote.h"
#include "exposure/http/io_thread.h"
#include "exposure/http/local_socket.h"
#include "exposure/http/tls.h"

namespace cairn::http {
namespace {

using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

constexpr int kBacklog = 4096;

enum class Turn { kFirst, kLater };

// The first of a server's sockets must not share its port with another program's; those after it
// share it with the first.
Result<Acceptor> open_acceptor(asio::io_context& io, const tcp::endpoint& at, Turn turn) {
  Acceptor acceptor(io.get_executor());
  error_code error;
  acceptor.open(at.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error && turn == Turn::kLater) acceptor.set_option(ReusePort(true), error);
  if (!error) acceptor.bind(at, error);
  if (!error && turn == Turn::kFirst) acceptor.set_option(ReusePort(true), error);
  if (!error) acceptor.listen(kBacklog, error);
  if (!error) return acceptor;
  return fail(Code::kUnavailable, "cannot listen on {} port {}: {}", at.address().to_string(),
              at.port(), error.message());
}

unsigned io_threads(const ServerOptions& options) {
  if (options.io_threads > 0) return options.io_threads;
  // The other half is for the workers, and for whoever else is on the machine.
  return std::clamp(std::thread::hardware_concurrency() / 2, 1U, 4U);
}

class AsioServer final : public Server {
 public:
  AsioServer(const ServerOptions& options, Handler& handler, Observer& observer)
      : shared_(options, handler, observer) {}
  ~AsioServer() override { stop(); }

  Result<void> begin();
  Result<void> begin_local();
  std::uint16_t port() const override { return port_; }
  Result<void> reload_tls() override;
  void stop() override;

 private:
  Shared shared_;
  std::vector<std::unique_ptr<IoThread>> threads_;
  std::uint16_t port_ = 0;
};

Result<void> AsioServer::begin_local() {
  auto thread = std::make_unique<IoThread>(shared_);
  thread->listen(TRY(listen_locally(thread->io(), shared_.options.socket)));
  threads_.push_back(std::move(thread));
  threads_.back()->start();
  return {};
}

Result<void> AsioServer::begin() {
  const ServerOptions& options = shared_.options;
  if (!options.socket.empty()) return begin_local();
  TRY(reload_tls());
  error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) {
    return fail(Code::kInvalidArgument, "'{}' is not an IP address to listen on",
                shown(options.address));
  }
  tcp::endpoint endpoint(address, options.port);
  for (unsigned i = 0; i < io_threads(options); ++i) {
    auto thread = std::make_unique<IoThread>(shared_);
    Acceptor acceptor =
        TRY(open_acceptor(thread->io(), endpoint, i == 0 ? Turn::kFirst : Turn::kLater));
    port_ = acceptor.local_endpoint().port();
    endpoint.port(port_);
    thread->listen(std::move(acceptor));
    threads_.push_back(std::move(thread));
  }
  for (const auto& thread : threads_) thread->start();
  return {};
}

Result<void> AsioServer::reload_tls() {
  if (!shared_.options.tls) return {};
  auto context = std::make_shared<asio::ssl::context>(TRY(tls_server(*shared_.options.tls)));
  *shared_.tls.lock() = std::move(context);
  return {};
}

void AsioServer::stop() {
  if (shared_.stopping.exchange(true)) return;
  for (const auto& thread : threads_) thread->stop_connections();
  {
    auto open = shared_.open.lock();
    const auto none = [&] { return *open == 0; };
    if (!shared_.closed_one.wait_for(open.mutex(), shared_.options.stop_timeout, none)) {
      for (const auto& thread : threads_) thread->abort_connections();
      shared_.closed_one.wait(open.mutex(), none);
    }
  }
  threads_.clear();
  std::error_code ignored;
  if (!shared_.options.socket.empty()) std::filesystem::remove(shared_.options.socket, ignored);
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, Handler& handler,
                                              Observer& observer) {
  auto server = std::make_unique<AsioServer>(options, handler, observer);
  TRY(server->begin());
  return server;
}

}  // namespace cairn::http
