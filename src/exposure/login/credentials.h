// What a sign-in at a server leaves on this machine, in a file for its owner only:
//
//   {"version": 1, "server": "https://cairn.example", "issuer": "https://cairn.example",
//    "clientId": …, "tokenEndpoint": …, "revocationEndpoint": …, "scope": "cas:read cas:write",
//    "accessToken": …, "refreshToken": …, "signedInAt": …, "renewedAt": …, "expiresAt": …}
//
// Times are in milliseconds, `expiresAt` is the access token's. A refresh token is worth one use:
// whoever uses it holds the lock (FILE.lock), reads the file again first, and puts what came of it
// in the place of the file. So several processes share one sign-in without racing.
//
// Invariants  the tokens of a file go to the server that is named in it, and nowhere else.
// Fails with  FORBIDDEN when others may read the file, INVALID_ARGUMENT when it is something else,
//             IO_ERROR; REQUEST_TIMEOUT when somebody keeps the lock.
// Threads     values, and plain functions of their arguments.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/os/handle.h"
#include "base/os/kernel.h"
#include "base/result.h"
#include "exposure/http/client.h"
#include "exposure/login/grants.h"

namespace cairn::login {

struct Credentials {
  std::string server;
  std::string issuer;
  std::string client;
  std::string token_endpoint;
  std::string revocation_endpoint;
  Tokens tokens;
  Millis signed_in_at = 0;
  Millis renewed_at = 0;

  Millis expires_at() const;
  // Whether the access token will do for what is about to be sent.
  bool fresh(Millis now) const;
  // With these in the place of the old ones. What an answer leaves out stays as it was.
  void renewed(Tokens tokens, Millis now);

  std::string render() const;
  static Result<Credentials> parse(std::string_view text);
};

// Makes a folder that nobody else may look into, and those above it that are missing.
Result<void> make_private_folder(const std::filesystem::path& folder,
                                 const os::Kernel& kernel = {});

class CredentialsFile final {
 public:
  explicit CredentialsFile(std::filesystem::path path, const os::Kernel& kernel = {})
      : path_(std::move(path)), kernel_(kernel) {}

  // Of a server, below $XDG_CONFIG_HOME or ~/.config: cairn/credentials/HOST[:PORT].
  static std::filesystem::path usual(const http::Url& server);
  static std::filesystem::path folder();

  const std::filesystem::path& path() const { return path_; }
  // Nothing: there is no such file.
  Result<std::optional<Credentials>> read() const;

  // As long as this lives, nobody else replaces or renews it. Makes the folder.
  Result<os::Handle> lock() const;
  // REQUIRES: it is locked.
  Result<void> write(const Credentials& credentials) const;
  Result<void> remove() const;

 private:
  std::filesystem::path path_;
  os::Kernel kernel_;
};

}  // namespace cairn::login
