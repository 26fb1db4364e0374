#include "exposure/http/client_wire.h"

#include <optional>
#include <vector>

#include <boost/asio/connect.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <openssl/ssl.h>

#include "exposure/http/asio.h"
#include "exposure/http/local_socket.h"

namespace cairn::http {
namespace {

using std::chrono::milliseconds;

struct Done {
  error_code error;
  std::size_t count = 0;
};

Result<asio::ssl::context> tls_client(const ClientOptions& options) {
  asio::ssl::context context(asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  error_code error;
  if (options.ca_file.empty()) {
    context.set_default_verify_paths(error);
  } else {
    context.load_verify_file(options.ca_file.string(), error);
  }
  if (!error) return context;
  return fail(Code::kInvalidArgument, "the certificates '{}' cannot be used: {}",
              options.ca_file.empty() ? "of this system" : options.ca_file.string(),
              error.message());
}

bool is_address(const std::string& host) {
  error_code error;
  asio::ip::make_address(host, error);
  return !error;
}

// SSL_set_tlsext_host_name, whose macro casts as C does.
void name_host(SSL* tls, std::string host) {
  SSL_ctrl(tls, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.data());
}

}  // namespace

struct ClientWire::Inner {
  asio::io_context io{1};
  Socket socket{io.get_executor()};
  std::optional<asio::ssl::context> context;
  std::optional<asio::ssl::stream<Socket&>> tls;
  std::stop_token stop;

  // Starts something and runs until it is done, the time is over or it is stopped; then the
  // connection is closed.
  template <typename Start>
  Result<Done> run(milliseconds timeout, Start start) {
    std::optional<Done> done;
    start([&done](error_code error, auto... rest) {
      if constexpr ((std::is_same_v<decltype(rest), std::size_t> && ...)) {
        done = Done{error, (std::size_t{0} + ... + rest)};
      } else {
        done = Done{error};
      }
    });
    io.restart();
    {
      const std::stop_callback closing(stop, [this] { asio::post(io, [this] { close(); }); });
      io.run_for(timeout);
    }
    const bool stopped = stop.stop_requested();
    if (done && !stopped) return *done;
    close();
    io.restart();
    io.run();
    if (stopped) return fail(Code::kUnavailable, "the request was given up");
    return fail(Code::kRequestTimeout, "the server was silent for {} ms", timeout.count());
  }

  void close() {
    error_code ignored;
    socket.close(ignored);
  }

  Result<void> connect(const Url& url, const ClientOptions& options);
  Result<void> connect_to(const Url& url, const std::vector<Socket::endpoint_type>& endpoints,
                          std::chrono::milliseconds timeout);
  Result<void> shake_hands(const Url& url, const ClientOptions& options);
};

Result<void> ClientWire::Inner::connect(const Url& url, const ClientOptions& options) {
  if (!url.socket.empty()) {
    const auto at = TRY(LocalAddress::of(url.socket));
    return connect_to(url, {at.endpoint}, options.connect_timeout);
  }
  error_code error;
  asio::ip::basic_resolver<tcp, Executor> resolver(io.get_executor());
  const auto found = resolver.resolve(url.host, std::to_string(url.port), error);
  if (error) {
    return fail(Code::kUnavailable, "the host '{}' is not known: {}", url.host, error.message());
  }
  std::vector<Socket::endpoint_type> endpoints;
  for (const auto& one : found) endpoints.emplace_back(one.endpoint());
  TRY(connect_to(url, endpoints, options.connect_timeout));
  socket.set_option(tcp::no_delay(true), error);
  if (url.scheme == "https") return shake_hands(url, options);
  return {};
}

Result<void> ClientWire::Inner::connect_to(const Url& url,
                                           const std::vector<Socket::endpoint_type>& endpoints,
                                           milliseconds timeout) {
  const auto start = [&](auto handler) { asio::async_connect(socket, endpoints, handler); };
  const Done done = TRY(run(timeout, start));
  if (!done.error) return {};
  close();
  return fail(Code::kUnavailable, "cannot reach {}: {}",
              url.socket.empty() ? url.authority() : url.render(), done.error.message());
}

Result<void> ClientWire::Inner::shake_hands(const Url& url, const ClientOptions& options) {
  context.emplace(TRY(tls_client(options)));
  tls.emplace(socket, *context);
  if (!is_address(url.host)) name_host(tls->native_handle(), url.host);
  tls->set_verify_mode(asio::ssl::verify_peer);
  tls->set_verify_callback(asio::ssl::host_name_verification(url.host));
  const auto start = [&](auto handler) {
    tls->async_handshake(asio::ssl::stream_base::client, handler);
  };
  const Done done = TRY(run(options.connect_timeout, start));
  if (!done.error) return {};
  close();
  return fail(Code::kUnavailable, "no TLS with {}: {}", url.authority(), done.error.message());
}

ClientWire::ClientWire() = default;
ClientWire::~ClientWire() = default;

Result<void> ClientWire::connect(const Url& url, const ClientOptions& options,
                                 const std::stop_token& stop) {
  inner_ = std::make_unique<Inner>();
  inner_->stop = stop;
  return inner_->connect(url, options);
}

bool ClientWire::is_open() const { return inner_ && inner_->socket.is_open(); }

bool ClientWire::is_stale() {
  error_code error;
  inner_->socket.non_blocking(true, error);
  char byte = 0;
  inner_->socket.receive(asio::buffer(&byte, 1), tcp::socket::message_peek, error);
  // TLS may have something to say between two answers: tickets for the next session.
  return error ? error != asio::error::would_block : !inner_->tls;
}

void ClientWire::close() { inner_.reset(); }

void ClientWire::stop_with(const std::stop_token& stop) { inner_->stop = stop; }

Result<std::size_t> ClientWire::read_some(std::span<char> room, milliseconds timeout) {
  const auto buffer = asio::buffer(room.data(), room.size());
  const Done done = TRY(inner_->run(timeout, [&](auto handler) {
    if (inner_->tls) {
      inner_->tls->async_read_some(buffer, handler);
    } else {
      inner_->socket.async_read_some(buffer, handler);
    }
  }));
  const bool end =
      done.error == asio::error::eof || done.error == asio::ssl::error::stream_truncated;
  if (done.error && !end) {
    return fail(Code::kUnavailable, "the connection broke: {}", done.error.message());
  }
  return done.count;
}

Result<void> ClientWire::write(ByteView bytes, milliseconds timeout) {
  while (!bytes.empty()) {
    const auto buffer = asio::buffer(bytes.data(), bytes.size());
    const Done done = TRY(inner_->run(timeout, [&](auto handler) {
      if (inner_->tls) {
        inner_->tls->async_write_some(buffer, handler);
      } else {
        inner_->socket.async_write_some(buffer, handler);
      }
    }));
    if (done.error) {
      return fail(Code::kUnavailable, "the connection broke: {}", done.error.message());
    }
    bytes.remove_prefix(done.count);
  }
  return {};
}

}  // namespace cairn::http
