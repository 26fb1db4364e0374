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
  if (server_) return ours_at();
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
      return ours_at();
    }
    if (server.error().code != Code::kStoreLocked) return Failure(std::move(server).error());
    if (auto remote = TRY(server_of(serve.data, options_, world_.random))) return target(*remote);
    if (world_.clock.monotonic() > until) return Failure(std::move(server).error());
    std::this_thread::sleep_for(kBetween);
  }
}

Result<mcp::Target> LocalStore::ours_at() const {
  if (const auto& local = server_->local_url())
    return target({.url = *local, .token = "", .ca_file = ""});
  return target({.url = server_->url(),
                 .token = TRY(read_owner_token(data_directory(options_))),
                 .ca_file = ""});
}

Result<mcp::Target> LocalStore::target(client::RemoteOptions remote) const {
  if (auto token = TRY(given_token(options_))) remote.token = *std::move(token);
  return mcp::Target{.url = std::move(remote.url), .token = std::move(remote.token)};
}

}  // namespace cairn::cli
