// Signing in by a foreign provider, as a server offers it: all its parts, put together.
//
// Threads     every function may be called from any thread.
// Fails with  INVALID_ARGUMENT, FORBIDDEN from open(): settings that cannot be, a secret that
// others
//             may read.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "exposure/oidc/fetch.h"
#include "exposure/oidc/handler.h"
#include "exposure/oidc/people.h"

namespace cairn::oidc {

struct Settings {
  std::string issuer;
  std::string client_id;
  std::optional<std::filesystem::path> secret_file = std::nullopt;  // nothing: a public client
  std::string scope = "openid email profile";
  std::string groups_claim = "groups";
  std::optional<std::chrono::seconds> max_age = std::nullopt;
  PeoplePolicy people = {};
  std::string name = {};  // as people know the provider; empty: its host
};

class ForeignSignIn {
 public:
  struct Parts {
    KeyValueStore& kv;
    Users& users;
    const Clock& clock;
    Random& random;
    Fetch fetch;
    // As in HandlerParts.
    decltype(HandlerParts::origin) origin;
    decltype(HandlerParts::open) open;
    decltype(HandlerParts::refused) refused = nullptr;
    bool behind_proxy = false;
  };
  // Asks nobody: a provider that cannot be reached now may be later.
  static Result<std::unique_ptr<ForeignSignIn>> open(const Settings& settings, Parts parts);
  virtual ~ForeignSignIn() = default;

  virtual Handler& handler() = 0;
  // As people know the provider.
  virtual const std::string& name() const = 0;
  // Removes what is too old.
  virtual Result<void> tidy() = 0;
};

// What is wrong with settings, as the options of `serve` are called.
Result<void> check(const Settings& settings);

}  // namespace cairn::oidc
