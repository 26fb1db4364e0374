// mcp_fixture --port N | --stdio: serves the fixture. Over HTTP it says where on standard output
// once it listens (N = 0: on any free port), and ends on SIGTERM or SIGINT.
#include <charconv>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "exposure/http/server.h"
#include "exposure/mcp/http.h"
#include "exposure/mcp/stdio.h"
#include "fixture_service.h"

namespace cairn::conformance {
namespace {

class Quiet final : public http::Observer {
 public:
  void on_request(const http::RequestLog&) override {}
  void on_connections(int) override {}
};

void block_stop_signals(sigset_t& signals) {
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

Result<void> serve_http(mcp::Server& server, const Clock& clock, Random& random,
                        std::uint16_t port) {
  sigset_t signals{};
  block_stop_signals(signals);
  const auto anyone = std::make_shared<Anyone>();
  mcp::HttpOptions options;
  options.admit = [&](const http::Request&) -> Result<mcp::PrincipalPtr> { return anyone; };
  mcp::HttpHandler handler(server, clock, random, std::move(options));
  Quiet quiet;
  http::ServerOptions listen;
  listen.port = port;
  const auto http = TRY(http::Server::start(listen, handler, quiet));
  fmt::print("http://127.0.0.1:{}/mcp\n", http->port());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  handler.stop();
  http->stop();
  return {};
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

int run(std::span<const char* const> args) {
  const bool stdio = args.size() == 1 && args[0] == std::string_view("--stdio");
  const auto port = args.size() == 2 && args[0] == std::string_view("--port")
                        ? parse_port(args[1])
                        : std::optional<std::uint16_t>();
  if (!stdio && !port) {
    fmt::print(stderr, "usage: mcp_fixture --port N | --stdio\n");
    return 2;
  }
  const SystemClock clock;
  SystemRandom random;
  FixtureService service;
  mcp::Server server(service, clock, random);
  const auto served =
      stdio ? mcp::serve_stdio(server, std::make_shared<Anyone>(), STDIN_FILENO, STDOUT_FILENO)
            : serve_http(server, clock, random, *port);
  if (served) return 0;
  fmt::print(stderr, "mcp_fixture: {}\n", served.error().render());
  return 1;
}

}  // namespace
}  // namespace cairn::conformance

int main(int argc, char** argv) {
  return cairn::conformance::run({argv + 1, static_cast<std::size_t>(argc - 1)});
}
