// Who one is to a server: a token that was given, one in a file, or a sign-in that is kept
// (exposure/login) and renews itself.
//
// Threads     identity() one at a time; what it gives may be asked from any thread.
// Fails with  INVALID_TOKEN when there is nothing, with the ways to change that; as the files do.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "exposure/cli/options.h"
#include "exposure/http/client.h"
#include "exposure/login/credentials.h"

namespace cairn::cli {

// Either a token, empty over a unix socket, or somewhere it comes from.
struct Identity {
  std::string token;
  http::TokenSource source = {};
};

// Where a sign-in at the server is kept: in the file that is given, or the usual one.
// INVALID_ARGUMENT when a token was given instead, for a command that is about sign-ins.
Result<login::CredentialsFile> credentials_file(const Options& options, const std::string& server);

// Nothing: there is neither a token nor a sign-in.
// REQUIRES: the clock outlives it.
Result<std::optional<Identity>> find_identity(const Options& options, const std::string& server,
                                              const Clock& clock);
Result<Identity> identity(const Options& options, const std::string& server, const Clock& clock);

}  // namespace cairn::cli
