// A sign-in at a provider, from the browser's leaving to its coming back.
//
// Invariants  each is finished once, within ten minutes, by the browser that began it: a cookie
// says
//             which that is. The store knows neither the state nor the cookie, only their hashes;
//             nonce and verifier are made from both.
// Threads     every function may be called from any thread.
// Fails with  one sentence for each way that it may go wrong: BAD_REQUEST, INVALID_TOKEN,
//             FORBIDDEN, UNAVAILABLE, RATE_LIMITED.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "data/oauth/shelf.h"
#include "exposure/http/uri.h"
#include "exposure/oidc/people.h"
#include "exposure/oidc/provider.h"

namespace cairn::oidc {

class Flow final {
 public:
  static constexpr std::chrono::minutes kLife{10};
  static constexpr std::string_view kCallback = "/api/oauth/callback";

  Flow(Provider& provider, People& people, KeyValueStore& kv, const Clock& clock, Random& random)
      : provider_(provider),
        people_(people),
        kv_(kv),
        random_(random),
        shelf_(kv, clock, random, {.letter = 'p', .lifetime = kLife, .most = 10'000}) {}

  struct Begun {
    std::string location;  // at the provider
    std::string browser;   // the value of the cookie
  };
  // `browser` is what its cookie says already; `request` is what goes on when it has signed in.
  Result<Begun> begin(const std::string& origin, std::string_view browser,
                      std::string_view request);

  struct Done {
    User user;
    std::string request;
  };
  Result<Done> finish(const http::Query& answer, std::string_view browser);
  // Removes what is too old.
  Result<void> tidy() { return shelf_.tidy(); }

 private:
  struct Record {
    std::string origin;
    std::string request;
    Bytes browser;  // the hash of its cookie
    bool used = false;
  };
  Provider::Ask ask_for(const std::string& origin, std::string_view state,
                        std::string_view browser) const;
  // What was begun with this state by this browser; from now on it is used.
  Result<Record> take(std::string_view state, std::string_view browser);
  static Bytes encode(const Record& record);
  static Result<Record> decode(ByteView value);

  Provider& provider_;
  People& people_;
  KeyValueStore& kv_;
  Random& random_;
  oauth::Shelf shelf_;
};

}  // namespace cairn::oidc
