// One client's connection as bytes, plain or TLS, under one deadline.
//
// Threads     that of its io_context only.
// Deadline    the owner's tick calls check(); when the deadline has passed, what waits is cancelled
//             and expired() is true until the next deadline is set.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "exposure/http/asio.h"
#include "exposure/http/patience.h"

namespace cairn::http {

class Wire final {
 public:
  using Buffers = std::array<asio::const_buffer, 3>;
  using Received = std::tuple<error_code, std::size_t>;

  // Without `tls` it is plain.
  Wire(Socket socket, const std::shared_ptr<asio::ssl::context>& tls);

  Task<bool> handshake();
  Task<Received> read_some(asio::mutable_buffer buffer);
  // Sends everything, within `timeout` from each byte that gets away to the next, and in all within
  // what a Patience has for so many; without waiting as far as the kernel takes it. False: the
  // connection is of no more use.
  Task<bool> write(Buffers buffers, std::chrono::milliseconds timeout, std::size_t least_rate);
  // The same, but only what needs no waiting. Nullopt: the rest has to wait, and is in `buffers`.
  std::optional<bool> write_now(Buffers& buffers);
  // Says that nothing more will be sent, and lets the client read what was: what still comes is
  // thrown away, up to some 64 KiB and a second.
  Task<void> finish(bool unread_input);
  // Whatever waits fails.
  void close();
  // Notices a peer that vanished without a word.
  void probe_peer();
  // Whether the client has said that it sends nothing more, or its connection is broken. What it
  // has sent stays unread.
  bool peer_left();

  void expire_after(std::chrono::nanoseconds time) { expire_at(SteadyClock::now() + time); }
  void never_expire() { expire_at(SteadyClock::time_point::max()); }
  void check(SteadyClock::time_point now);
  bool expired() const { return expired_; }
  // Cancels what waits for the client, as if its time were over.
  void expire();

  std::uint64_t bytes_out() const { return bytes_out_; }
  bool is_tls() const { return tls_.has_value(); }
  Executor executor() { return socket_.get_executor(); }

 private:
  void expire_at(SteadyClock::time_point at) {
    deadline_ = at;
    expired_ = false;
  }

  Socket socket_;
  std::optional<asio::ssl::stream<Socket&>> tls_;
  SteadyClock::time_point deadline_ = SteadyClock::time_point::max();
  bool expired_ = false;
  std::uint64_t bytes_out_ = 0;
};

}  // namespace cairn::http
