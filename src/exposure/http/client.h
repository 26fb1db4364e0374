// A small blocking HTTP client, for the command line: one server, one connection that is used
// again.
//
// Threads     one at a time; a request's `stop` may be requested by any.
// Fails with  UNAVAILABLE when the server cannot be reached or breaks off, or when the request is
//             stopped; REQUEST_TIMEOUT when it is silent for too long, INVALID_ARGUMENT for a URL;
//             and with what the callbacks return. An answer with an error status is an answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "exposure/http/http.h"

namespace cairn::http {

struct ClientResponse;

// `https://host:8443/base`, without user, query and fragment; or `unix:/path`, a socket of this
// machine that speaks HTTP.
struct Url {
  std::string scheme;  // http or https
  std::string host;    // an IPv6 address without its brackets
  std::uint16_t port = 0;
  std::string base_path;              // empty, or begins with a slash and does not end in one
  std::filesystem::path socket = {};  // empty: over TCP

  static Result<Url> parse(std::string_view text);
  // Without the port when it is the scheme's own.
  std::string render() const;
  // `host:port` as a Host header has it.
  std::string authority() const;
  bool operator==(const Url&) const = default;
};

struct ClientRequest {
  // Fills the room from its front; 0 ends the body.
  using Source = std::function<Result<std::size_t>(std::span<char> room)>;
  using Sink = std::function<Result<void>(ByteView portion)>;
  using HeadSink = std::function<Result<void>(const ClientResponse& head)>;

  Method method = Method::kGet;
  std::string target;  // percent-encoded, begins with a slash; goes behind the URL's base path
  std::vector<std::pair<std::string, std::string>> headers = {};
  Bytes body = {};
  // Instead of `body`. With a length it must give exactly so much; without one it goes in chunks.
  Source source = {};
  std::optional<std::uint64_t> length = {};
  // Takes the body of an answer below 300 instead of ClientResponse::body.
  Sink sink = {};
  // Sees the answer's status and headers before its body comes.
  HeadSink head = {};
  // Once requested, the request is given up and its connection closed.
  std::stop_token stop = {};
};

struct ClientResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  Bytes body;

  // The first one's value; empty when there is none.
  std::string_view header(std::string_view lower_name) const;
};

struct ClientOptions {
  std::filesystem::path ca_file = {};  // PEM; empty: the system's
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds idle_timeout{120'000};  // without a byte in either direction
  std::size_t max_body_bytes = std::size_t{256} << 20;
};

// The token of whoever asks, from somebody who may have to renew it. `refused` is one that the
// server did not take, or empty; when the same comes back there is no other to be had. Any thread.
using TokenSource = std::function<Result<std::string>(std::string_view refused)>;

class Client final {
 public:
  explicit Client(Url url, ClientOptions options = {});
  ~Client();

  // A connection that turns out to have been closed meanwhile is made anew, once, when that cannot
  // make the server do something twice.
  Result<ClientResponse> send(const ClientRequest& request);
  // Makes a connection unless there is one that is good. What fails here has not been sent.
  Result<void> connect(const std::stop_token& stop = {});

  const Url& url() const { return url_; }

 private:
  class Exchange;

  Url url_;
  ClientOptions options_;
  std::unique_ptr<class ClientWire> wire_;
};

}  // namespace cairn::http
