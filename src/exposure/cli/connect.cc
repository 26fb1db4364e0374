#include "exposure/cli/connect.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/os/memory.h"
#include "exposure/client/direct_client.h"
#include "exposure/client/remote_client.h"
#include "exposure/serve/serve.h"
#include "exposure/serve/server_file.h"
#include "tools/engine/engine.h"

namespace cairn::cli {
namespace {

constexpr std::chrono::milliseconds kBetween{50};
constexpr std::chrono::seconds kPatience{10};

// The server that has the directory open, if it is a server that has.
Result<std::optional<client::RemoteOptions>> server_of(const std::filesystem::path& data,
                                                       const Options& options) {
  auto url = running_server(data);
  if (!url) return std::nullopt;
  client::RemoteOptions remote{
      .url = *url, .token = "", .ca_file = options.ca_file, .where = client::Where::kThisMachine};
  if (!client::answers(remote)) return std::nullopt;
  remote.token = TRY(read_owner_token(data));
  return remote;
}

}  // namespace

Result<std::unique_ptr<Engine>> open_engine(const Options& options, Create create,
                                            const World& world) {
  const auto data = data_directory(options);
  std::error_code error;
  if (create == Create::kNo && !std::filesystem::exists(data / "store", error)) {
    return fail(Code::kNotFound,
                "there is no data directory at {}; name one with --data or CAIRN_DATA, or make one "
                "with 'cairn serve' or 'cairn depot create'",
                data.string());
  }
  EngineOptions engine_options;
  engine_options.create = create == Create::kYes;
  engine_options.memory = TRY(memory_budget("", MemoryFor::kCommand, os::available_memory()));
  auto engine = TRY(Engine::open(data, world.clock, world.random, world.meter, engine_options));
  // No server has it open: one that says so was killed, and somebody else may be at its address.
  std::filesystem::remove(server_file(data), error);
  return engine;
}

Result<std::unique_ptr<client::Client>> connect(const Options& options, Create create,
                                                const World& world) {
  if (auto server = TRY(server_choice(options))) {
    return client::open_remote(
        {.url = server->url, .token = server->token, .ca_file = options.ca_file});
  }
  const auto until = world.clock.monotonic() + kPatience;
  while (true) {
    auto engine = open_engine(options, create, world);
    if (engine) return client::open_direct(std::move(*engine));
    if (engine.error().code != Code::kStoreLocked) return Failure(std::move(engine).error());
    if (auto server = TRY(server_of(data_directory(options), options)))
      return client::open_remote(*server);
    if (world.clock.monotonic() > until) return Failure(std::move(engine).error());
    std::this_thread::sleep_for(kBetween);
  }
}

}  // namespace cairn::cli
