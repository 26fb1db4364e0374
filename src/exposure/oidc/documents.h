// The documents of a provider, what it says of itself and its keys, fetched when they are needed
// and kept for as long as it allows: keys five minutes to a day, the other a day.
//
// Invariants  what was good stays until something good takes its place; a failed fetch changes
//             nothing. A token with a key that is not known has the keys fetched anew, at most once
//             a minute; whatever fails, at most every five seconds.
// Threads     every function may be called from any thread; one fetches, the others wait for it.
// Fails with  UNAVAILABLE when nothing good was ever fetched, INVALID_TOKEN for a token.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/mutex.h"
#include "exposure/oidc/fetch.h"
#include "exposure/oidc/key_set.h"
#include "exposure/oidc/metadata.h"

namespace cairn::oidc {

class Documents final {
 public:
  Documents(std::string issuer, Fetch fetch, const Clock& clock)
      : issuer_(std::move(issuer)), fetch_(std::move(fetch)), clock_(clock) {}

  Result<std::shared_ptr<const Metadata>> metadata();
  // Whether the token is signed by one of the provider's keys.
  Result<void> check_signature(const Jwt& token);

 private:
  using Time = std::chrono::nanoseconds;
  template <typename T>
  struct Kept {
    std::shared_ptr<const T> value;
    Time good_until{};
    std::optional<Time> tried_at;
    std::optional<Time> renewed_at;  // tried although it was not too old
    std::optional<Error> failed;     // the last try
  };
  struct State {
    Kept<Metadata> metadata;
    Kept<KeySet> keys;
  };

  // What is kept, fetched by `get` when it is too old, or when it is still `but_not`.
  template <typename T, typename Get>
  Result<std::shared_ptr<const T>> kept(Kept<T> State::* which, const T* but_not, Get get);
  Result<std::shared_ptr<const KeySet>> keys(const KeySet* but_not);

  const std::string issuer_;
  const Fetch fetch_;
  const Clock& clock_;
  Guarded<State> state_;
  Mutex fetching_metadata_;
  Mutex fetching_keys_;
};

// How long an answer may be kept by its Cache-Control: from five minutes to a day.
std::chrono::seconds life_of(std::string_view cache_control);

}  // namespace cairn::oidc
