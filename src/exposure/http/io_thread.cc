#include "exposure/http/io_thread.h"

#include <algorithm>
#include <ctime>
#include <span>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <pthread.h>

#include "exposure/http/local_socket.h"
#include "exposure/http/response_head.h"

namespace cairn::http {
namespace {

using std::chrono::milliseconds;

// Connections that are on their way out while others come.
constexpr int kOverlap = 32;

std::string too_many_connections(std::string_view date) {
  const Response response =
      error_response(Error(Code::kUnavailable, "there are too many connections; try again"));
  const auto& body = std::get<std::string>(response.body);
  std::string out;
  put_head(out, response, {.date = date, .keep_alive = false, .length = body.size()});
  return out + body;
}

// Often enough for the shortest timeout to be kept within a quarter.
milliseconds tick_time(const ServerOptions& options) {
  const milliseconds shortest = std::min({options.header_timeout, options.body_idle_timeout,
                                          options.idle_timeout, options.write_timeout});
  return std::clamp(shortest / 4, milliseconds(5), milliseconds(1000));
}

std::string text_of(asio::ip::address address) {
  // A listener for both families shows IPv4 clients in the long form; logs should not.
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  return address.to_string();
}

}  // namespace

IoThread::IoThread(Shared& shared)
    : shared_(shared),
      work_(io_.get_executor()),
      acceptor_(io_.get_executor()),
      local_acceptor_(io_.get_executor()),
      pause_(io_.get_executor()),
      ticker_(io_.get_executor()) {}

IoThread::~IoThread() {
  work_.reset();
  io_.stop();
  if (thread_.joinable()) thread_.join();
}

void IoThread::start() {
  // Accepting goes on from a coroutine of this thread, so take() needs no lock.
  asio::co_spawn(io_.get_executor(), accept(), asio::detached);
  asio::co_spawn(io_.get_executor(), accept_local(), asio::detached);
  thread_ = std::thread([this] { io_.run(); });
  pthread_setname_np(thread_.native_handle(), "http-io");
}

Task<void> IoThread::accept() {
  while (acceptor_.is_open()) {
    tcp::endpoint peer;
    auto [error, socket] = co_await acceptor_.async_accept(peer, use_task);
    if (!error) take(std::move(socket), text_of(peer.address()), Peer::kNetwork);
    if (error) co_await pause(error);
  }
}

Task<void> IoThread::accept_local() {
  while (local_acceptor_.is_open()) {
    auto [error, socket] = co_await local_acceptor_.async_accept(use_task);
    // Nobody else can get here, unless somebody made the socket's directory and it public.
    if (!error && is_own_user(socket.native_handle())) {
      take(std::move(socket), "local", Peer::kOwner);
    }
    if (error) co_await pause(error);
  }
}

Task<void> IoThread::pause(error_code error) {
  if (error == asio::error::operation_aborted) co_return;
  // Out of descriptors, most likely: some may be free again soon.
  pause_.expires_after(milliseconds(50));
  co_await pause_.async_wait(use_task);
}

void IoThread::turn_away(Socket& socket) {
  error_code ignored;
  // Never waits for a client that is not going to be served.
  socket.non_blocking(true, ignored);
  // In TLS the handshake would have to come first.
  if (!*shared_.tls.lock()) socket.write_some(asio::buffer(too_many_connections(date())), ignored);
  socket.shutdown(tcp::socket::shutdown_both, ignored);
  socket.close(ignored);
}

// Of several at once, so that the next ones need not look through all connections again.
bool IoThread::make_room() {
  constexpr std::size_t kAtOnce = 32;
  std::vector<Connection*> strangers;
  for (const auto& [connection, owned] : connections_) {
    if (connection->is_stranger()) strangers.push_back(connection);
  }
  if (strangers.empty()) return false;
  const auto count = static_cast<std::ptrdiff_t>(std::min(kAtOnce, strangers.size()));
  std::ranges::nth_element(strangers, strangers.begin() + count - 1, {}, &Connection::since);
  for (Connection* one : std::span(strangers).first(static_cast<std::size_t>(count))) one->stop();
  return true;
}

void IoThread::take(Socket socket, const std::string& remote, Peer peer) {
  if (!shared_.peers.come(remote)) return turn_away(socket);
  const auto most = static_cast<int>(shared_.options.max_connections);
  // Those who give way are gone a moment later; until then there are a few more than the most.
  const int now = count_connections(+1);
  if (now > most && (now > most + kOverlap || !make_room())) {
    turn_away(socket);
    shared_.peers.leave(remote);
    count_connections(-1);
    return;
  }
  auto connection = std::make_unique<Connection>(std::move(socket), remote, peer,
                                                 static_cast<ConnectionHost&>(*this), shared_);
  Connection* raw = connection.get();
  connections_.emplace(raw, std::move(connection));
  asio::co_spawn(io_.get_executor(), serve(raw), asio::detached);
  if (!ticking_) asio::co_spawn(io_.get_executor(), tick(), asio::detached);
}

Task<void> IoThread::serve(Connection* connection) {
  co_await connection->run();
  // The coroutine is at its end: nothing of the connection is used after this.
  shared_.peers.leave(connection->remote());
  connections_.erase(connection);
  count_connections(-1);
}

// Runs while there are connections.
Task<void> IoThread::tick() {
  ticking_ = true;
  while (!connections_.empty()) {
    ticker_.expires_after(tick_time(shared_.options));
    co_await ticker_.async_wait(use_task);
    const auto now = SteadyClock::now();
    for (const auto& [connection, owned] : connections_) connection->tick(now);
  }
  ticking_ = false;
}

int IoThread::count_connections(int change) {
  int now = 0;
  {
    auto open = shared_.open.lock();
    now = *open += change;
    if (now == 0) shared_.closed_one.notify_all();
  }
  shared_.observer.on_connections(now);
  return now;
}

void IoThread::stop_connections() {
  // Posted: connections belong to this thread alone.
  asio::post(io_, [this] {
    error_code ignored;
    acceptor_.close(ignored);
    local_acceptor_.close(ignored);
    pause_.cancel();
    for (const auto& [connection, owned] : connections_) connection->stop();
  });
}

void IoThread::abort_connections() {
  asio::post(io_, [this] {
    for (const auto& [connection, owned] : connections_) connection->abort();
  });
}

std::string_view IoThread::date() {
  // Once a second instead of once an answer.
  if (const std::int64_t now = std::time(nullptr); now != date_second_) {
    date_second_ = now;
    date_ = http_date(now);
  }
  return date_;
}

}  // namespace cairn::http
