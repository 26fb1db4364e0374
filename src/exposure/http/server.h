// The HTTP/1.1 server: speaks the protocol, keeps hostile clients at bay, and asks a Handler.
//
// Threads     each io thread has its own connections and never blocks; what may block runs on
//             workers. stop() may be called from any thread but the server's own.
// Memory      bounded by the number of connections times small buffers.
// Fails with  INVALID_ARGUMENT for an address or TLS files that are of no use, UNAVAILABLE for an
//             address that is taken.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "exposure/http/http.h"
#include "exposure/http/in_flight.h"

namespace cairn::http {

// Both PEM; the certificate's file goes on with those that lead to its root.
struct TlsFiles {
  std::filesystem::path certificate;
  std::filesystem::path key;
};

struct ServerOptions {
  // A unix socket to listen on instead of an address, for the processes of this user and of root
  // alone (mode 0600). What stands there goes. REQUIRES: nobody else listens there.
  std::filesystem::path socket = {};
  std::string address = "127.0.0.1";  // IPv4 or IPv6, as numbers
  std::uint16_t port = 0;             // 0: any that is free
  unsigned io_threads = 0;            // 0: one for two cores, at most four
  unsigned worker_threads = 32;       // at most; started when needed
  std::optional<TlsFiles> tls = {};
  std::size_t max_header_bytes = 16 * 1024;
  std::size_t max_target_bytes = 8 * 1024;
  std::size_t max_connections = 10'000;
  std::size_t max_connections_each = 0;                 // of one address; 0: as all
  std::chrono::milliseconds header_timeout{10'000};     // from a request's first byte to its body
  std::chrono::milliseconds body_idle_timeout{30'000};  // between two portions of a body
  std::chrono::milliseconds idle_timeout{60'000};       // between two requests
  std::chrono::milliseconds body_timeout{300'000};      // for a body that is taken whole
  std::chrono::milliseconds write_timeout{30'000};      // without progress
  // Bytes a second, on the average and beyond the timeouts above, of a body that is taken whole and
  // of an answer: whoever is slower is not waited for.
  std::size_t least_rate = 4096;
  InFlight::Limits in_flight = {};
  std::chrono::milliseconds stop_timeout{10'000};
};

// One request, when it is over. The views hold during the call only.
struct RequestLog {
  Method method = Method::kOther;
  std::string_view path;  // the target without its query; empty when it was not understood
  int status = 0;         // 0: the client left before there was an answer
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::chrono::nanoseconds duration{0};  // from the end of its head
  std::string_view remote;
  std::string_view id;  // as its answer has it: X-Request-Id
  std::string_view tool;
  std::string_view who;
  std::string_view error;  // a code, or empty
  std::string_view cause;  // of an INTERNAL error: what the handler threw
};

class Observer {
 public:
  virtual ~Observer() = default;
  // Any io thread; exactly once for each request, also for those that were refused.
  virtual void on_request(const RequestLog& request) = 0;
  // Any io thread; how many connections there are now.
  virtual void on_connections(int open) = 0;
};

class Server {
 public:
  // The handler and the observer outlive the server.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, Handler& handler,
                                               Observer& observer);
  // Stops it.
  virtual ~Server() = default;

  virtual std::uint16_t port() const = 0;

  // Reads the files of ServerOptions::tls again: connections from now on get what is in them. When
  // they are of no use, says so, and goes on with what it has.
  virtual Result<void> reload_tls() = 0;

  // Takes no more connections, lets running requests finish for up to stop_timeout, ends idle
  // connections and event streams at once, and returns when none is left. A handler's function that
  // is running is waited for, however long it takes. A second call does nothing.
  virtual void stop() = 0;
};

}  // namespace cairn::http
