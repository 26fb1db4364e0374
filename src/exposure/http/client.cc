#include "exposure/http/client.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"
#include "base/quote.h"
#include "exposure/http/chunked.h"
#include "exposure/http/client_wire.h"
#include "exposure/http/head.h"

namespace cairn::http {
namespace {

constexpr std::size_t kMaxHead = 64 * 1024;
constexpr std::size_t kPortion = 256 * 1024;
constexpr std::string_view kUnix = "unix:";

bool idempotent(Method method) {
  switch (method) {
    case Method::kGet:
    case Method::kHead:
    case Method::kPut:
    case Method::kDelete:
    case Method::kOptions:
      return true;
    case Method::kPost:
    case Method::kPatch:
    case Method::kOther:
      return false;
  }
  return false;
}

std::uint16_t own_port(std::string_view scheme) { return scheme == "https" ? 443 : 80; }

Result<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [at, error] = std::from_chars(text.begin(), text.end(), port);
  if (error == std::errc() && at == text.end() && port > 0) return port;
  return fail(Code::kInvalidArgument, "'{}' is not a port", shown(text));
}

}  // namespace

Result<Url> Url::parse(std::string_view text) {
  Url url;
  if (text.starts_with(kUnix)) {
    url = {.scheme = "http", .host = "localhost", .port = 80, .base_path = {}};
    url.socket = text.substr(kUnix.size());
    if (!url.socket.empty()) return url;
    return fail(Code::kInvalidArgument, "there is no path behind '{}'", shown(text));
  }
  const std::size_t mark = text.find("://");
  url.scheme = lowered(text.substr(0, mark == std::string_view::npos ? 0 : mark));
  if (url.scheme != "http" && url.scheme != "https") {
    return fail(Code::kInvalidArgument, "the URL '{}' does not begin with http:// or https://",
                shown(text));
  }
  std::string_view rest = text.substr(mark + 3);
  // A user and password would be ignored, and a query would end up in the middle of targets.
  if (rest.find_first_of("?#@ \t\r\n") != std::string_view::npos) {
    return fail(Code::kInvalidArgument, "the URL '{}' has more than a host, a port and a path",
                shown(text));
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  url.base_path = rest.substr(slash);
  while (url.base_path.ends_with('/')) url.base_path.pop_back();
  rest = rest.substr(0, slash);
  // An IPv6 address has colons of its own, so the port is looked for behind the bracket.
  const std::size_t bracket = rest.starts_with('[') ? rest.find(']') : 0;
  const std::size_t colon = bracket == std::string_view::npos ? bracket : rest.find(':', bracket);
  const std::string_view host = rest.substr(0, colon);
  url.host = bracket > 0 && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
  if (url.host.empty() || url.host.find_first_of("[]") != std::string::npos) {
    return fail(Code::kInvalidArgument, "the URL '{}' has no host", shown(text));
  }
  url.port = own_port(url.scheme);
  if (colon != std::string_view::npos) url.port = TRY(parse_port(rest.substr(colon + 1)));
  return url;
}

std::string Url::authority() const {
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return port == own_port(scheme) ? name : fmt::format("{}:{}", name, port);
}

std::string Url::render() const {
  if (!socket.empty()) return fmt::format("{}{}", kUnix, socket.string());
  return fmt::format("{}://{}{}", scheme, authority(), base_path);
}

std::string_view ClientResponse::header(std::string_view lower_name) const {
  for (const auto& [name, value] : headers) {
    if (name == lower_name) return value;
  }
  return {};
}

// One request and its answer over a connection that is open.
class Client::Exchange {
 public:
  Exchange(ClientWire& wire, const Url& url, const ClientOptions& options,
           const ClientRequest& request)
      : wire_(wire), url_(url), options_(options), request_(request) {}

  Result<ClientResponse> run();

  // Whether another connection may be tried: the server has not answered, and cannot have done
  // anything that it may not do again.
  bool may_repeat() const { return !answered_ && !asked_source_ && idempotent(request_.method); }
  bool keep_alive() const { return keep_alive_; }

 private:
  Result<void> send_request();
  std::string head() const;
  Result<void> send_source();
  Result<void> read_head();
  Result<void> read_body(ClientResponse& response);
  Result<void> take(ClientResponse& response, ByteView portion);
  Result<std::size_t> fill();

  ClientWire& wire_;
  const Url& url_;
  const ClientOptions& options_;
  const ClientRequest& request_;
  bool asked_source_ = false;
  bool answered_ = false;
  bool keep_alive_ = false;
  std::string got_;  // the head, then what came behind it
  std::size_t head_size_ = 0;
  ResponseHead head_;
};

Result<ClientResponse> Client::Exchange::run() {
  const Result<void> sent = send_request();
  // A server that does not want the body answers and closes; its answer says more than the breach.
  const bool broke = !sent && sent.error().code == Code::kUnavailable;
  if (!sent && !broke) return Failure(sent.error());
  if (const Result<void> read = read_head(); !read)
    return Failure(broke ? sent.error() : read.error());
  ClientResponse response;
  response.status = head_.status;
  for (const Field& field : head_.fields.all()) {
    response.headers.emplace_back(lowered(field.name), field.value);
  }
  keep_alive_ = sent && head_.minor_version == 1 && !head_.framing.close;
  if (request_.head) TRY(request_.head(response));
  TRY(read_body(response));
  return response;
}

Result<void> Client::Exchange::send_request() {
  if (request_.source) {
    TRY(wire_.write(head(), options_.idle_timeout));
    return send_source();
  }
  // Not joined with the head: that would copy it.
  if (request_.body.size() > kPortion) {
    TRY(wire_.write(head(), options_.idle_timeout));
    return wire_.write(request_.body, options_.idle_timeout);
  }
  return wire_.write(head() + request_.body, options_.idle_timeout);
}

std::string Client::Exchange::head() const {
  std::string out = fmt::format("{} {}{} HTTP/1.1\r\nHost: {}\r\n", name(request_.method),
                                url_.base_path, request_.target, url_.authority());
  for (const auto& [name, value] : request_.headers) out += fmt::format("{}: {}\r\n", name, value);
  const bool has_body = request_.source || !request_.body.empty();
  if (request_.source && !request_.length) {
    out += "Transfer-Encoding: chunked\r\n";
    // The standard asks for a length with these methods, also without a body.
  } else if (has_body || request_.method == Method::kPost || request_.method == Method::kPut) {
    out += fmt::format("Content-Length: {}\r\n", request_.length.value_or(request_.body.size()));
  }
  return out + "\r\n";
}

Result<void> Client::Exchange::send_source() {
  asked_source_ = true;
  std::string room(kPortion, '\0');
  std::uint64_t total = 0;
  for (;;) {
    const std::size_t count = TRY(request_.source(room));
    total += count;
    // A shorter body would leave the server waiting, a longer one would be read as the next
    // request.
    if (request_.length && (count == 0 ? total < *request_.length : total > *request_.length)) {
      return fail(Code::kInvalidArgument, "the body did not have the {} bytes it was said to have",
                  *request_.length);
    }
    const ByteView portion = ByteView(room).substr(0, count);
    if (!request_.length) {
      TRY(wire_.write(fmt::format("{:x}\r\n{}\r\n", count, portion), options_.idle_timeout));
    } else {
      TRY(wire_.write(portion, options_.idle_timeout));
    }
    if (count == 0) return {};
  }
}

Result<std::size_t> Client::Exchange::fill() {
  std::array<char, 64 * 1024> room;
  const std::size_t count = TRY(wire_.read_some(room, options_.idle_timeout));
  got_.append(room.data(), count);
  if (count > 0) answered_ = true;
  return count;
}

Result<void> Client::Exchange::read_head() {
  do {
    got_.erase(0, head_size_);
    HeadScanner scanner;
    while ((head_size_ = TRY(scanner.find(got_))) == 0) {
      if (got_.size() > kMaxHead) return fail(Code::kUnavailable, "the answer's head is too long");
      if (TRY(fill()) == 0) {
        return fail(Code::kUnavailable, "{} closed the connection without an answer",
                    url_.authority());
      }
    }
    TRY(head_.parse(ByteView(got_).substr(0, head_size_)));
    // Interim answers such as 100 come before the one that counts.
  } while (head_.status < 200);
  return {};
}

Result<void> Client::Exchange::read_body(ClientResponse& response) {
  got_.erase(0, head_size_);
  const Framing& framing = head_.framing;
  if (request_.method == Method::kHead || head_.status == 204 || head_.status == 304) return {};
  const bool until_close = !framing.chunked && !framing.length;
  if (until_close) keep_alive_ = false;
  std::uint64_t left = framing.length.value_or(UINT64_MAX);
  ChunkDecoder decoder;
  while (framing.chunked ? !decoder.done() : left > 0) {
    if (got_.empty() && TRY(fill()) == 0) {
      if (until_close) return {};
      return fail(Code::kUnavailable, "{} broke off in the middle of its answer", url_.authority());
    }
    if (framing.chunked) {
      const ChunkDecoder::Step step = TRY(decoder.decode(got_));
      TRY(take(response, ByteView(got_).substr(0, step.made)));
      got_.erase(0, step.used);
    } else {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, got_.size()));
      TRY(take(response, ByteView(got_).substr(0, count)));
      got_.erase(0, count);
      left -= count;
    }
  }
  // Bytes that nobody asked for: what follows on this connection could not be trusted.
  if (!got_.empty()) keep_alive_ = false;
  return {};
}

Result<void> Client::Exchange::take(ClientResponse& response, ByteView portion) {
  // Errors are small and are kept for the message, also where the body goes to a sink.
  if (request_.sink && response.status < 300) return request_.sink(portion);
  if (response.body.size() + portion.size() > options_.max_body_bytes) {
    return fail(Code::kBodyTooLarge, "the answer has more than {} bytes", options_.max_body_bytes);
  }
  response.body += portion;
  return {};
}

Client::Client(Url url, ClientOptions options)
    : url_(std::move(url)), options_(std::move(options)), wire_(std::make_unique<ClientWire>()) {}

Client::~Client() = default;

Result<ClientResponse> Client::send(const ClientRequest& request) {
  for (;;) {
    const bool reused = wire_->is_open() && !wire_->is_stale();
    TRY(connect(request.stop));
    Exchange exchange(*wire_, url_, options_, request);
    Result<ClientResponse> response = exchange.run();
    if (!response || !exchange.keep_alive()) wire_->close();
    // Only on a connection that was kept: the server may have closed it just as the request was
    // sent.
    const bool again = !response && reused && exchange.may_repeat() &&
                       !request.stop.stop_requested() &&
                       response.error().code == Code::kUnavailable;
    if (!again) return response;
  }
}

Result<void> Client::connect(const std::stop_token& stop) {
  if (stop.stop_requested()) return fail(Code::kUnavailable, "the request was given up");
  if (wire_->is_open() && !wire_->is_stale()) {
    wire_->stop_with(stop);
    return {};
  }
  return wire_->connect(url_, options_, stop);
}

}  // namespace cairn::http
