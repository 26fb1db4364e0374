#include "exposure/http/testing.h"

#include <charconv>
#include <stdexcept>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cairn::http::testing {
namespace {

constexpr auto kPatience = std::chrono::seconds(10);

std::size_t content_length(std::string_view head) {
  const std::size_t at = head.find("Content-Length: ");
  if (at == std::string_view::npos) return 0;
  std::size_t length = 0;
  std::from_chars(head.data() + at + 16, head.data() + head.size(), length);
  return length;
}

}  // namespace

RawClient::RawClient(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
  const timeval patience{std::chrono::seconds(kPatience).count(), 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const int yes = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect");
  }
}

RawClient::~RawClient() { close(); }

void RawClient::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void RawClient::shut_down_sending() { ::shutdown(fd_, SHUT_WR); }

RawClient& RawClient::send(std::string_view bytes) {
  if (!try_send(bytes)) throw std::runtime_error("cannot send");
  return *this;
}

bool RawClient::try_send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool RawClient::fill() {
  char buffer[65536];
  const ssize_t count = ::recv(fd_, buffer, sizeof buffer, 0);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    throw std::runtime_error("nothing came, after: " + got_.substr(0, 200));
  }
  if (count <= 0) return false;
  got_.append(buffer, static_cast<std::size_t>(count));
  return true;
}

std::string RawClient::read_exactly(std::size_t count) {
  while (got_.size() < count) {
    if (!fill()) break;
  }
  std::string out = got_.substr(0, count);
  got_.erase(0, count);
  return out;
}

std::string RawClient::head() {
  std::size_t end = 0;
  while ((end = got_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return std::exchange(got_, {});
  }
  return read_exactly(end + 4);
}

std::string RawClient::answer() {
  std::string out = head();
  if (out.find("Transfer-Encoding: chunked") == std::string::npos) {
    return out + read_exactly(content_length(out));
  }
  for (;;) {
    std::size_t end = 0;
    while ((end = got_.find("\r\n")) == std::string::npos) {
      if (!fill()) return out;
    }
    std::size_t size = 0;
    std::from_chars(got_.data(), got_.data() + end, size, 16);
    out += read_exactly(end + 2 + size + 2);
    if (size == 0) return out;
  }
}

std::string RawClient::rest() {
  while (fill()) {
  }
  return std::exchange(got_, {});
}

bool RawClient::closed() { return got_.empty() && !fill(); }

void Log::on_request(const RequestLog& request) {
  requests_.lock()->push_back({.method = request.method,
                               .path = std::string(request.path),
                               .status = request.status,
                               .bytes_in = request.bytes_in,
                               .bytes_out = request.bytes_out,
                               .remote = std::string(request.remote),
                               .tool = std::string(request.tool),
                               .who = std::string(request.who),
                               .error = std::string(request.error),
                               .cause = std::string(request.cause)});
}

std::vector<Logged> Log::wait_for(std::size_t count) {
  eventually([&] { return requests_.lock()->size() >= count; });
  return all();
}

TestServer::TestServer(Begin begin, ServerOptions options) : begin_(std::move(begin)) {
  auto server = Server::start(options, *this, log_);
  if (!server) throw std::runtime_error(server.error().render());
  server_ = std::move(*server);
}

std::string TestServer::ask(std::string_view request) const {
  RawClient client = connect();
  client.send(request);
  return client.answer();
}

Response text(std::string body, int status) {
  Response response;
  response.status = status;
  response.content_type = "text/plain";
  response.body = std::move(body);
  return response;
}

bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 5000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace cairn::http::testing
