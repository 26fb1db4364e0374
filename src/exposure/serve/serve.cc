#include "exposure/serve/serve.h"

#include <charconv>
#include <condition_variable>
#include <fstream>
#include <thread>

#include <malloc.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quote.h"
#include "exposure/http/server.h"
#include "exposure/rest/rest.h"
#include "exposure/serve/metrics.h"
#include "exposure/serve/request_log.h"
#include "tools/engine.h"

namespace cairn {
namespace {

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1";
}

Result<void> check_exposure(const ServeOptions& options) {
  if (options.tls_certificate.has_value() != options.tls_key.has_value()) {
    return fail(Code::kInvalidArgument, "--tls-cert and --tls-key go together");
  }
  if (is_loopback(options.address) || options.tls_key || options.behind_proxy) return {};
  return fail(Code::kInvalidArgument,
              "{} can be reached from other machines, and tokens would cross the network in the "
              "clear; give --tls-cert and --tls-key, or --behind-proxy when a proxy ends TLS",
              options.address);
}

std::string url_of(const ServeOptions& options, std::uint16_t port) {
  const bool v6 = options.address.contains(':');
  auto host = v6 ? "[" + options.address + "]" : options.address;
  if (options.address == "0.0.0.0") host = "127.0.0.1";
  if (options.address == "::") host = "[::1]";
  return fmt::format("{}://{}:{}", options.tls_key ? "https" : "http", host, port);
}

std::filesystem::path server_file(const std::filesystem::path& data) {
  return data / "server.json";
}

// Says where the server of a data directory is, as long as it runs.
class ServerFile final {
 public:
  ServerFile(const std::filesystem::path& data, std::string_view url) : path_(server_file(data)) {
    std::ofstream(path_) << json::write(
                                json::Object{{"url", url}, {"pid", static_cast<int>(::getpid())}})
                         << "\n";
  }
  ~ServerFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ServerFile(const ServerFile&) = delete;
  ServerFile& operator=(const ServerFile&) = delete;

 private:
  std::filesystem::path path_;
};

// What is done from time to time while serving.
class Housekeeper final {
 public:
  Housekeeper(Engine& engine, const ServeOptions& options)
      : engine_(engine), collect_every_(options.collect_every) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

 private:
  void run(const std::stop_token& stop) {
    constexpr std::chrono::minutes kTidyEvery{60};
    auto since_collect = std::chrono::minutes(0);
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      wake_.wait_for(lock, stop, kTidyEvery, [] { return false; });
      if (stop.stop_requested()) return;
      report("tidying up", engine_.tidy());
      since_collect += kTidyEvery;
      if (collect_every_.count() > 0 && since_collect >= collect_every_) {
        report("collecting garbage", engine_.collect());
        since_collect = std::chrono::minutes(0);
      }
    }
  }
  static void report(std::string_view what, const Result<void>& done) {
    if (!done) fmt::print(stderr, "cairn: {} failed: {}\n", what, done.error().render());
  }

  Engine& engine_;
  std::chrono::minutes collect_every_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

void greet(const ServeOptions& options, const Engine& engine, const std::string& url) {
  const auto token_file = (std::filesystem::absolute(options.data) / "owner.token").string();
  fmt::print(
      "cairn {} serves {}\n"
      "  address      {}\n"
      "  realm        {}\n"
      "  owner token  {}\n"
      "  API          {}/api/docs\n"
      "\n"
      "Try it:\n"
      "  export CAIRN_SERVER={} CAIRN_TOKEN=$(cat {})\n"
      "  cairn depot create my-project\n"
      "  curl -H \"Authorization: Bearer $CAIRN_TOKEN\" {}/api/realm/me/depots\n"
      "\n",
      options.version, std::filesystem::absolute(options.data).string(), url,
      engine.owner().render(), token_file, url, url, token_file, url);
  std::fflush(stdout);
}

// Blocks the signals that end a server in this thread and all it starts, and waits for one.
class StopSignals final {
 public:
  StopSignals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGTERM);
    sigaddset(&set_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
  }
  void wait() {
    int number = 0;
    sigwait(&set_, &number);
    // A second one ends it at once.
    pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);
  }

 private:
  sigset_t set_{};
};

}  // namespace

Result<void> parse_listen(std::string_view text, ServeOptions& options) {
  auto bad = [&] {
    return fail(Code::kInvalidArgument, "'{}' should be ADDRESS:PORT, such as 127.0.0.1:8787",
                shown(text));
  };
  const auto colon = text.rfind(':');
  auto host = colon == std::string_view::npos ? std::string_view() : text.substr(0, colon);
  const auto port = colon == std::string_view::npos ? text : text.substr(colon + 1);
  if (host.starts_with('[')) {
    if (!host.ends_with(']')) return bad();
    host = host.substr(1, host.size() - 2);
  } else if (host.contains(':')) {
    return bad();
  }
  auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), options.port);
  if (error != std::errc() || end != port.data() + port.size()) return bad();
  if (host == "localhost") host = "127.0.0.1";
  if (!host.empty()) options.address = host;
  return {};
}

Result<void> serve(const ServeOptions& options, const Clock& clock, Random& random) {
  TRY(check_exposure(options));
  // Many threads with an arena each would hold memory that nobody uses.
  ::mallopt(M_ARENA_MAX, 4);
  // What the server writes, backups too, is its owner's alone.
  ::umask(0077);
  StopSignals signals;
  Metrics metrics;
  EngineOptions engine_options;
  engine_options.executor.rate.per_second = options.rate;
  auto engine = TRY(Engine::open(options.data, clock, random, metrics, engine_options));
  TRY(owner_token(*engine, options.data));
  rest::RestHandler handler(engine->executor(),
                            {.version = options.version,
                             .behind_proxy = options.behind_proxy,
                             .metrics = [&metrics] { return metrics.render(); }});
  RequestLogger logger(clock, metrics, options.log);
  http::ServerOptions server_options;
  server_options.address = options.address;
  server_options.port = options.port;
  if (options.tls_key) {
    server_options.tls = http::TlsFiles{*options.tls_certificate, *options.tls_key};
  }
  auto server = TRY(http::Server::start(server_options, handler, logger));
  const auto url = url_of(options, server->port());
  ServerFile file(options.data, url);
  Housekeeper housekeeper(*engine, options);
  greet(options, *engine, url);
  signals.wait();
  fmt::print(stderr, "cairn: stopping\n");
  handler.stopping();
  server->stop();
  return {};
}

Result<std::string> running_server(const std::filesystem::path& data) {
  std::ifstream in(server_file(data));
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  auto value = json::parse(text);
  const auto* url = value && value->is_object() ? json::find(value->get_object(), "url") : nullptr;
  if (url != nullptr && url->is_string()) return std::string(json::text(*url));
  return fail(Code::kUnavailable, "no server says that it has {} open", data.string());
}

}  // namespace cairn
