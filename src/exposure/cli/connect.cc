#include "exposure/cli/connect.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/base64.h"
#include "base/os/memory.h"
#include "base/random.h"
#include "base/sha256.h"
#include "exposure/client/direct_client.h"
#include "exposure/http/client.h"
#include "exposure/http/uri.h"
#include "exposure/serve/serve.h"
#include "exposure/serve/server_file.h"
#include "tools/engine/engine.h"

namespace cairn::cli {
namespace {

constexpr std::chrono::milliseconds kBetween{50};
constexpr std::chrono::seconds kPatience{10};

// Whether what listens there knows the secret of the server that wrote the file. No token is sent.
bool proves_itself(const client::RemoteOptions& remote, std::string_view secret, Random& random) {
  constexpr std::size_t kChallengeBytes = 32;
  if (secret.empty()) return false;
  const auto challenge = base64_encode(random.bytes(kChallengeBytes));
  const auto target = fmt::format("{}?challenge={}", kProofPath, http::percent_encode(challenge));
  return same_secret(client::asked(remote, target, "proof"), proof_of(secret, challenge));
}

// Whether both name the same listener of this machine.
bool same_place(std::string_view a, std::string_view b) {
  auto one = http::Url::parse(a);
  auto other = http::Url::parse(b);
  if (!one || !other) return false;
  for (auto* url : {&*one, &*other}) {
    if (url->host == "localhost" || url->host == "::1") url->host = "127.0.0.1";
  }
  return one->host == other->host && one->port == other->port;
}

}  // namespace

Result<std::optional<client::RemoteOptions>> server_of(const std::filesystem::path& data,
                                                       const Options& options, Random& random) {
  client::RemoteOptions local{
      .url = "unix:" + server_socket(std::filesystem::absolute(data)).string(),
      .token = "",
      .ca_file = "",
      .where = client::Where::kThisMachine};
  if (client::answers(local)) return local;
  const auto at = served_at(data);
  if (!at) return std::nullopt;
  client::RemoteOptions remote{.url = at->url,
                               .token = "",
                               .ca_file = options.ca_file,
                               .where = client::Where::kThisMachine};
  if (!proves_itself(remote, at->secret, random)) return std::nullopt;
  remote.token = TRY(read_owner_token(data));
  return remote;
}

Result<std::optional<ServerChoice>> proved_choice(const Options& options, const World& world) {
  auto named = TRY(named_server(options));
  if (named.empty()) return std::nullopt;
  auto who = TRY(identity(options, named, world.clock));
  const ServerChoice choice{.url = std::move(named), .who = std::move(who)};
  const auto data = data_directory(options);
  const auto at = served_at(data);
  if (!at || !same_place(at->url, choice.url)) return choice;
  if (proves_itself({.url = choice.url, .token = "", .ca_file = options.ca_file}, at->secret,
                    world.random)) {
    return choice;
  }
  return fail(Code::kUnavailable,
              "{} says that the server of {} is at {}, but what is there now does not prove to be "
              "it, so no token was sent; start that server, or remove the file if another server "
              "is meant to be there",
              server_file(data).string(), data.string(), choice.url);
}

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
  // No server has it open: one that says so was killed, and somebody else may be at its address.
  engine_options.alone = [&data] { remove_stale_server(data); };
  return Engine::open(data, world.clock, world.random, world.meter, engine_options);
}

Result<std::unique_ptr<client::Client>> connect(const Options& options, Create create,
                                                const World& world) {
  if (auto server = TRY(proved_choice(options, world))) {
    return client::open_remote({.url = server->url,
                                .token = server->who.token,
                                .ca_file = options.ca_file,
                                .source = server->who.source});
  }
  const auto until = world.clock.monotonic() + kPatience;
  while (true) {
    auto engine = open_engine(options, create, world);
    if (engine) return client::open_direct(std::move(*engine));
    if (engine.error().code != Code::kStoreLocked) return Failure(std::move(engine).error());
    if (auto server = TRY(server_of(data_directory(options), options, world.random)))
      return client::open_remote(*server);
    if (world.clock.monotonic() > until) return Failure(std::move(engine).error());
    std::this_thread::sleep_for(kBetween);
  }
}

}  // namespace cairn::cli
