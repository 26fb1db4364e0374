// The client's connection: blocking, with timeouts, plain or TLS.
//
// Threads     one at a time; a stop may be requested from any thread.
// Fails with  UNAVAILABLE when the server cannot be reached or the request was stopped,
//             REQUEST_TIMEOUT when it is silent, INVALID_ARGUMENT for certificates that cannot be
//             used.
#pragma once

#include <memory>
#include <span>
#include <stop_token>

#include "base/bytes.h"
#include "base/result.h"
#include "exposure/http/client.h"

namespace cairn::http {

class ClientWire final {
 public:
  ClientWire();
  ~ClientWire();

  // Verifies the server's certificate and name when the scheme is https.
  Result<void> connect(const Url& url, const ClientOptions& options, const std::stop_token& stop);
  bool is_open() const;
  // Whether the server has closed it, or said something nobody asked for.
  bool is_stale();
  void close();
  // From now on, a stop closes it, and what runs fails.
  void stop_with(const std::stop_token& stop);

  // At least one byte; none: the server has closed.
  Result<std::size_t> read_some(std::span<char> room, std::chrono::milliseconds timeout);
  Result<void> write(ByteView bytes, std::chrono::milliseconds timeout);

 private:
  struct Inner;

  std::unique_ptr<Inner> inner_;
};

}  // namespace cairn::http
