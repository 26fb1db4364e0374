#include "exposure/http/wire.h"

#include <algorithm>

#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>

namespace cairn::http {
namespace {

// Enough to let a client read its answer; one that goes on sending is cut off.
constexpr std::size_t kMaxDiscarded = 64 * 1024;
constexpr std::chrono::seconds kLinger{1};

bool nothing_left(const Wire::Buffers& buffers) { return asio::buffer_size(buffers) == 0; }

void drop_front(Wire::Buffers& buffers, std::size_t count) {
  for (asio::const_buffer& buffer : buffers) {
    const std::size_t here = std::min(count, buffer.size());
    buffer += here;
    count -= here;
  }
}

template <int kName>
using TcpOption = asio::detail::socket_option::integer<IPPROTO_TCP, kName>;

}  // namespace

Wire::Wire(Socket socket, const std::shared_ptr<asio::ssl::context>& tls)
    : socket_(std::move(socket)) {
  error_code ignored;
  // An answer is written whole, so waiting to fill a packet only delays it.
  socket_.set_option(tcp::no_delay(true), ignored);
  // For write_now(): Asio's own functions do not mind.
  socket_.non_blocking(true, ignored);
  if (tls != nullptr) tls_.emplace(socket_, *tls);
}

Task<bool> Wire::handshake() {
  if (!tls_) co_return true;
  const auto [error] = co_await tls_->async_handshake(asio::ssl::stream_base::server, use_task);
  co_return !error;
}

Task<Wire::Received> Wire::read_some(asio::mutable_buffer buffer) {
  return tls_ ? tls_->async_read_some(buffer, use_task) : socket_.async_read_some(buffer, use_task);
}

std::optional<bool> Wire::write_now(Buffers& buffers) {
  // TLS may have to read before it can write.
  if (tls_) return std::nullopt;
  while (!nothing_left(buffers)) {
    error_code error;
    const std::size_t count = socket_.write_some(buffers, error);
    bytes_out_ += count;
    drop_front(buffers, count);
    if (error == asio::error::would_block) return std::nullopt;
    if (error) return false;
  }
  return true;
}

Task<bool> Wire::write(Buffers buffers, std::chrono::milliseconds timeout, std::size_t least_rate) {
  Patience patience(timeout, least_rate);
  const std::uint64_t before = bytes_out_;
  while (!nothing_left(buffers)) {
    if (const auto all = write_now(buffers)) co_return *all;
    // Again for each portion: a slow client is fine as long as it is not too slow.
    expire_after(patience.left(bytes_out_ - before));
    error_code error;
    std::size_t count = 0;
    if (tls_) {
      std::tie(error, count) = co_await tls_->async_write_some(buffers, use_task);
    } else {
      std::tie(error, count) = co_await socket_.async_write_some(buffers, use_task);
    }
    bytes_out_ += count;
    drop_front(buffers, count);
    patience.waited();
    if (error) co_return false;
  }
  co_return true;
}

Task<void> Wire::finish(bool unread_input) {
  expire_after(kLinger);
  error_code error;
  // The client reads the end of the answer now; a plain close() could discard it along with its own
  // unread bytes.
  if (!tls_) socket_.shutdown(tcp::socket::shutdown_send, error);
  if (unread_input) {
    std::array<char, 4096> rubbish;
    std::size_t count = 0;
    for (std::size_t total = 0; !error && total < kMaxDiscarded; total += count) {
      std::tie(error, count) = co_await read_some(asio::buffer(rubbish));
    }
  }
  if (tls_ && !expired_) {
    // As if the client had said goodbye: our goodbye is sent, the client's is not waited for.
    SSL_set_shutdown(tls_->native_handle(), SSL_RECEIVED_SHUTDOWN);
    co_await tls_->async_shutdown(use_task);
  }
  close();
}

void Wire::close() {
  error_code ignored;
  socket_.close(ignored);
}

void Wire::probe_peer() {
  error_code ignored;
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  socket_.set_option(TcpOption<TCP_KEEPIDLE>(60), ignored);
  socket_.set_option(TcpOption<TCP_KEEPINTVL>(15), ignored);
  socket_.set_option(TcpOption<TCP_KEEPCNT>(4), ignored);
}

bool Wire::peer_left() {
  // RDHUP, and not a read: bytes that the client has sent ahead must stay unread.
  pollfd look{.fd = socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
  return ::poll(&look, 1, 0) > 0;
}

void Wire::check(SteadyClock::time_point now) {
  if (now >= deadline_) expire();
}

void Wire::expire() {
  deadline_ = SteadyClock::time_point::max();
  expired_ = true;
  error_code ignored;
  socket_.cancel(ignored);
}

}  // namespace cairn::http
