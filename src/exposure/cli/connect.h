// The way to the store that the options name.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "exposure/cli/identity.h"
#include "exposure/cli/options.h"
#include "exposure/client/client.h"
#include "exposure/client/remote_client.h"

namespace cairn {
class Clock;
class Meter;
class Random;
}  // namespace cairn

namespace cairn::cli {

// The parts that are passed in from outside; main owns them.
struct World {
  const Clock& clock;
  Random& random;
  Meter& meter;
};

// Whether a data directory that is not there is made.
enum class Create { kNo, kYes };

// The data directory, opened in this process. STORE_LOCKED when another has it open.
Result<std::unique_ptr<Engine>> open_engine(const Options& options, Create create,
                                            const World& world);

// A server that has the data directory open and is the one that says so, and the way to it: its
// socket, or its URL with the owner's token once it has proved itself. Nothing: there is none now.
Result<std::optional<client::RemoteOptions>> server_of(const std::filesystem::path& data,
                                                       const Options& options, Random& random);

// The server that is named, and who one is to it.
struct ServerChoice {
  std::string url;
  Identity who;
};
// Nothing: none is. One that should be the server of the data directory has proved it. UNAVAILABLE
// when it cannot: the token is not for whoever listens there now.
Result<std::optional<ServerChoice>> proved_choice(const Options& options, const World& world);

// Through a server when one is named, or when one has the data directory open; else directly.
// Another command that has it open is waited for, for some seconds.
Result<std::unique_ptr<client::Client>> connect(const Options& options, Create create,
                                                const World& world);

}  // namespace cairn::cli
