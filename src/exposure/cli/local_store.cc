#include "exposure/cli/local_store.h"

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "base/os/memory.h"
#include "exposure/client/remote_client.h"

namespace cairn::cli {
namespace {

constexpr std::chrono::milliseconds kBetween{50};
constexpr std::chrono::seconds kPatience{10};

}  // namespace

Result<mcp::Target> LocalStore::reach() {
  if (server_) return target(server_->url());
  ServeOptions serve;
  serve.data = data_directory(options_);
  serve.port = 0;
  serve.log = LogFormat::kNone;
  serve.version = CAIRN_VERSION;
  serve.memory = TRY(memory_budget("", MemoryFor::kCommand, os::available_memory()));
  const auto until = world_.clock.monotonic() + kPatience;
  for (;;) {
    auto server = RunningServer::start(serve, world_.clock, world_.random);
    if (server) {
      server_ = std::move(*server);
      return target(server_->url());
    }
    if (server.error().code != Code::kStoreLocked) return Failure(std::move(server).error());
    if (const auto url = running_server(serve.data)) {
      if (client::answers({.url = *url, .token = "", .ca_file = options_.ca_file}))
        return target(*url);
    }
    if (world_.clock.monotonic() > until) return Failure(std::move(server).error());
    std::this_thread::sleep_for(kBetween);
  }
}

Result<mcp::Target> LocalStore::target(const std::string& url) const {
  auto token = TRY(given_token(options_));
  if (!token) token = TRY(read_owner_token(data_directory(options_)));
  return mcp::Target{.url = url, .token = std::move(*token)};
}

}  // namespace cairn::cli
