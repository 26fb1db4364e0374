#include "exposure/serve/running_server.h"

#include <thread>

#include <unistd.h>

#include "base/base64.h"
#include "base/os/descriptors.h"
#include "base/os/disk_files.h"
#include "base/os/os_error.h"
#include "base/os/secret_file.h"
#include "base/pause.h"
#include "exposure/http/server.h"
#include "exposure/oauth/challenge.h"
#include "exposure/serve/in_flight_share.h"
#include "exposure/serve/metrics.h"
#include "exposure/serve/provider_sign_in.h"
#include "exposure/serve/request_log.h"
#include "exposure/serve/server_file.h"
#include "exposure/serve/ways_in.h"

namespace cairn {
namespace {

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1";
}

// Keys of TLS are often shared with a group of the machine's servers.
constexpr mode_t kOthers = 0007;

Result<void> check_exposure(const ServeOptions& options) {
  if (options.tls_key) TRY(os::check_secret(*options.tls_key, kOthers));
  if (options.tls_certificate.has_value() != options.tls_key.has_value()) {
    return fail(Code::kInvalidArgument, "--tls-cert and --tls-key go together");
  }
  if (options.internal && !is_loopback(options.internal->address) && !options.behind_proxy) {
    return fail(Code::kInvalidArgument,
                "--internal-listen {} can be reached from other machines, and its secret would "
                "cross the network in the clear; use a loopback address, or --behind-proxy",
                options.internal->address);
  }
  if (options.provider && options.public_url.empty() &&
      (!is_loopback(options.address) || options.behind_proxy)) {
    return fail(Code::kInvalidArgument,
                "--oidc-issuer wants --public-url, such as https://cairn.example: the provider "
                "sends people back there");
  }
  if (is_loopback(options.address) || options.tls_key || options.behind_proxy) return {};
  return fail(Code::kInvalidArgument,
              "{} can be reached from other machines, and tokens would cross the network in the "
              "clear; give --tls-cert and --tls-key, or --behind-proxy when a proxy ends TLS",
              options.address);
}

// Whether a place is the directory or lies in it, whatever it is called and mounted as.
bool lies_in(const std::filesystem::path& place, const std::filesystem::path& directory) {
  std::error_code error;
  auto at = std::filesystem::weakly_canonical(place, error);
  for (;; at = at.parent_path()) {
    if (std::filesystem::equivalent(at, directory, error)) return true;
    if (!at.has_relative_path()) return false;
  }
}

// What stands there, or a link to it.
bool holds(const std::filesystem::path& directory, const std::filesystem::path& place) {
  std::error_code error;
  return lies_in(place, directory) ||
         lies_in(std::filesystem::absolute(place, error).parent_path(), directory);
}

// Whoever may read a directory must not read there how to become somebody else.
Result<void> check_directories(const ServeOptions& options) {
  for (const auto& [name, path, read_only] : options.directories) {
    const auto refused = [&](std::string_view how, const std::filesystem::path& secret) {
      return fail(
          Code::kInvalidArgument,
          "the directory '{}' ({}) {} {}: whoever may use it could read the server's secrets; "
          "serve another directory",
          name, path, how, secret.string());
    };
    if (lies_in(path, options.data))
      return refused("is or lies in the data directory", options.data);
    if (holds(path, options.data)) return refused("contains the data directory", options.data);
    if (options.tls_key && holds(path, *options.tls_key)) {
      return refused("contains the file of --tls-key", *options.tls_key);
    }
    if (options.provider && options.provider->secret_file &&
        holds(path, *options.provider->secret_file)) {
      return refused("contains the file of --oidc-client-secret-file",
                     *options.provider->secret_file);
    }
    if (options.internal && holds(path, options.internal->secret_file)) {
      return refused("contains the file of --internal-secret", options.internal->secret_file);
    }
  }
  return {};
}

// Every address of the machine is no address to connect to: commands on this machine use loopback.
std::string url_of(std::string_view scheme, std::string_view address, std::uint16_t port) {
  if (address == "0.0.0.0") address = "127.0.0.1";
  if (address == "::") address = "::1";
  const bool v6 = address.contains(':');
  return fmt::format("{}://{}{}{}:{}", scheme, v6 ? "[" : "", address, v6 ? "]" : "", port);
}

// The chores that are done from time to time while serving.
class Housekeeper final {
 public:
  Housekeeper(Engine& engine, oidc::ForeignSignIn* provider, const ServeOptions& options)
      : engine_(engine), provider_(provider), collect_every_(options.collect_every) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

 private:
  void run(const std::stop_token& stop) {
    constexpr std::chrono::minutes kTidyEvery{60};
    // Soon, since some servers do not run for an hour, but not while everybody comes back.
    auto wait = std::chrono::minutes(10);
    while (pause(std::chrono::minutes(1), stop)) {
      report("noting what tokens were used", engine_.keep_uses());
      if (--wait > std::chrono::minutes(0)) continue;
      report("tidying up", engine_.tidy());
      if (provider_ != nullptr) report("forgetting sign-ins", provider_->tidy());
      if (collect_every_.count() > 0) {
        report("collecting garbage", engine_.collect_every(collect_every_));
      }
      wait = kTidyEvery;
    }
  }
  static void report(std::string_view what, const Result<void>& done) {
    if (!done) fmt::print(stderr, "cairn: {} failed: {}\n", what, done.error().render());
  }

  Engine& engine_;
  oidc::ForeignSignIn* provider_;
  std::chrono::minutes collect_every_;
  std::jthread thread_;
};

// The gauge of connections is of those that outsiders have.
class RequestsOnly final : public http::Observer {
 public:
  explicit RequestsOnly(RequestLogger& log) : log_(log) {}
  void on_request(const http::RequestLog& request) override { log_.on_request(request); }
  void on_connections(int) override {}

 private:
  RequestLogger& log_;
};

Result<std::string> read_secret(const std::filesystem::path& file) {
  const auto secret = TRY(os::checked(os::read_line(file), "read", file));
  TRY(os::check_secret(file));
  constexpr std::size_t kLeast = 16;
  if (secret.size() >= kLeast) return secret;
  return fail(Code::kInvalidArgument,
              "the first line of {} should be a secret of at least {} characters; make one with: "
              "(umask 077; head -c 32 /dev/urandom | base64 > {})",
              file.string(), kLeast, file.string());
}

class Running final : public RunningServer {
 public:
  Running(const ServeOptions& options, const Clock& clock, Random& random)
      : options_(options), clock_(clock), random_(random), log_(clock, metrics_, options.log) {}
  ~Running() override { Running::stop(); }

  Result<void> start() {
    EngineOptions engine_options;
    engine_options.tell = [](const std::string& what) { fmt::print(stderr, "cairn: {}\n", what); };
    engine_options.executor.rate.per_second = options_.rate;
    engine_options.memory = options_.memory;
    metrics_.budget(options_.memory);
    engine_options.alone = [this] { remove_stale_server(options_.data); };
    engine_ = TRY(Engine::open(options_.data, clock_, random_, metrics_, engine_options));
    TRY(log_.open(options_.log_file));
    // Made now, so that other commands can use it as soon as the server is up.
    TRY(owner_token(*engine_, options_.data));
    TRY(check_directories(options_));
    directories_ =
        TRY(work::ServedDirectories::open(engine_->executor(), options_.directories, random_));
    agent_.emplace(engine_->executor(), agent::AgentOptions{.version = options_.version,
                                                            .directories = directories_.get()});
    mcp_.emplace(*agent_, clock_, random_);
    workspaces_ = agent::workspace_service(options_.version);
    workspace_mcp_.emplace(*workspaces_, clock_, random_);
    // On loopback, a Host that does not name this machine comes from a web page that rebinds DNS.
    // Behind a proxy any name may be right.
    const bool known_hosts = is_loopback(options_.address) && !options_.behind_proxy;
    const auto secret = base64_encode(random_.bytes(kProofBytes));
    if (options_.provider) {
      provider_ = TRY(open_provider(
          *options_.provider, *engine_,
          {.public_url = options_.public_url, .behind_proxy = options_.behind_proxy}));
    }
    TRY(start_oauth(known_hosts));
    ways_in_.emplace(
        WaysIn::Parts{engine_->executor(), *agent_, *mcp_, engine_->bound(), engine_->workspaces(),
                      *directories_, *workspace_mcp_, clock_, random_, secret, provider_.get(),
                      &*oauth_, oauth_->origins().is_known() ? authorization_.get() : nullptr},
        rest::RestOptions{.version = options_.version,
                          .behind_proxy = options_.behind_proxy,
                          .metrics = [this] { return metrics_.render(); },
                          .public_url = options_.public_url,
                          .step_up =
                              [this](const http::Request& request, Code code) {
                                return oauth::step_up(oauth_->origins(), request, code);
                              }},
        known_hosts ? mcp::HostRule::kLoopback : mcp::HostRule::kAny);
    http::ServerOptions server_options;
    server_options.in_flight = in_flight_within(options_.memory);
    // What the store and everybody else opens is not theirs.
    server_options.max_connections = os::DescriptorShares::of(os::descriptor_limit()).connections;
    server_options.address = options_.address;
    server_options.port = options_.port;
    // Through a proxy, and on this machine, many come from one address.
    if (!is_loopback(options_.address) && !options_.behind_proxy) {
      server_options.max_connections_each = server_options.max_connections / 4;
    }
    if (options_.tls_key) {
      server_options.tls = http::TlsFiles{*options_.tls_certificate, *options_.tls_key};
    }
    server_ = TRY(http::Server::start(server_options, *ways_in_, log_));
    TRY(start_internal());
    start_local();
    url_ = url_of(options_.tls_key ? "https" : "http", options_.address, server_->port());
    // Last: whoever finds the file can use the server.
    file_.emplace(options_.data, ServedAt{url_, secret});
    housekeeper_.emplace(*engine_, provider_.get(), options_);
    return {};
  }

  Engine& engine() override { return *engine_; }
  agent::AgentService& agent() override { return *agent_; }
  mcp::Server& mcp() override { return *mcp_; }
  mcp::Server& workspace_mcp() override { return *workspace_mcp_; }
  const std::string& url() const override { return url_; }

  Result<void> reload() override {
    TRY(log_.open(options_.log_file));
    return server_->reload_tls();
  }

  void stop() override {
    if (!server_) return;
    // First, so that long streams and searches end and the servers need not wait for them.
    ways_in_->stopping();
    engine_->executor().end();
    if (internal_server_) internal_server_->stop();
    internal_server_.reset();
    if (local_server_) local_server_->stop();
    local_server_.reset();
    server_->stop();
    server_.reset();
    housekeeper_.reset();
    file_.reset();
  }

  const std::optional<std::string>& internal_url() const override { return internal_url_; }

  const std::optional<std::string>& local_url() const override { return local_url_; }

 private:
  static constexpr std::size_t kProofBytes = 32;
  static constexpr std::size_t kMaxLocalConnections = 256;

  // On this machine the origin is as clients call it; elsewhere it has to be said.
  Result<void> start_oauth(bool loopback) {
    oauth_base_.emplace(engine_->oauth(), options_.oauth);
    tokens_ = oauth::make_tokens(*oauth_base_);
    authorization_ = oauth::make_authorization(*oauth_base_);
    oauth::OriginRule origins{.public_origin = std::nullopt, .loopback = loopback};
    if (!options_.public_url.empty()) {
      origins.public_origin = TRY(oauth::Origin::parse(options_.public_url));
    }
    oauth_.emplace(*tokens_,
                   oauth::EndpointsOptions{
                       .origins = std::move(origins),
                       .features = {.with_iss = options_.oauth.with_iss,
                                    .reads_documents = static_cast<bool>(options_.oauth.fetch)}});
    if (oauth_->origins().is_known()) return {};
    fmt::print(stderr,
               "cairn: programs cannot sign in by OAuth, because the server does not know its own "
               "address; say it with --public-url https://…\n");
    return {};
  }

  // For this machine's owner. Where the file system knows no sockets, there is server.json.
  void start_local() {
    http::ServerOptions server_options;
    server_options.in_flight = in_flight_within(options_.memory);
    server_options.socket = server_socket(std::filesystem::absolute(options_.data));
    server_options.max_connections = kMaxLocalConnections;
    auto server = http::Server::start(server_options, *ways_in_, internal_log_);
    if (!server) {
      fmt::print(stderr, "cairn: {}; commands on this machine go through {}\n",
                 server.error().message, url_of("http", options_.address, server_->port()));
      return;
    }
    local_server_ = *std::move(server);
    local_url_ = "unix:" + server_options.socket.string();
  }

  // For separate front ends: another address, another secret.
  Result<void> start_internal() {
    if (!options_.internal) return {};
    const auto& wanted = *options_.internal;
    internal_.emplace(engine_->bound(), TRY(read_secret(wanted.secret_file)));
    http::ServerOptions server_options;
    server_options.in_flight = in_flight_within(options_.memory);
    server_options.address = wanted.address;
    server_options.port = wanted.port;
    internal_server_ = TRY(http::Server::start(server_options, *internal_, internal_log_));
    internal_url_ = url_of("http", wanted.address, internal_server_->port());
    return {};
  }

  // In the order in which they need each other; destroyed the other way round.
  const ServeOptions options_;
  const Clock& clock_;
  Random& random_;
  Metrics metrics_;
  RequestLogger log_;
  RequestsOnly internal_log_{log_};
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<work::ServedDirectories> directories_;
  std::optional<agent::AgentService> agent_;
  std::optional<mcp::Server> mcp_;
  std::unique_ptr<agent::ToolService> workspaces_;
  std::optional<mcp::Server> workspace_mcp_;
  std::unique_ptr<oidc::ForeignSignIn> provider_;
  std::optional<oauth::OAuthBase> oauth_base_;
  std::unique_ptr<oauth::Tokens> tokens_;
  std::unique_ptr<oauth::Authorization> authorization_;
  std::optional<oauth::OAuthEndpoints> oauth_;
  std::optional<WaysIn> ways_in_;
  std::unique_ptr<http::Server> server_;
  std::optional<rest::InternalHandler> internal_;
  std::unique_ptr<http::Server> internal_server_;
  std::optional<std::string> internal_url_;
  std::unique_ptr<http::Server> local_server_;
  std::optional<std::string> local_url_;
  std::string url_;
  std::optional<ServerFile> file_;
  std::optional<Housekeeper> housekeeper_;
};

}  // namespace

Result<std::unique_ptr<RunningServer>> RunningServer::start(const ServeOptions& options,
                                                            const Clock& clock, Random& random) {
  TRY(check_exposure(options));
  auto running = std::make_unique<Running>(options, clock, random);
  TRY(running->start());
  return running;
}

}  // namespace cairn
