// Seal: state that a client carries for the server from one round of a request to the next, so that
// it can be trusted when it comes back: only from the same principal, for the same request, and in
// time.
//
// Threads     immutable; use it from any thread. The key is made with it, so a restart voids all
//             seals.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "exposure/mcp/rpc.h"

namespace cairn::mcp {

class Seal final {
 public:
  static constexpr std::chrono::minutes kLifetime{30};

  Seal(const Clock& clock, Random& random) : clock_(clock), key_(random.bytes(32)) {}

  // `bound` is everything the state belongs to.
  std::string close(const json::Value& state, std::string_view bound) const;
  // kInvalidParams for one that is not ours, was changed, is for something else, or is too old.
  Rpc<json::Value> open(std::string_view sealed, std::string_view bound) const;

 private:
  std::string sign(std::string_view payload, std::string_view bound) const;

  const Clock& clock_;
  const Bytes key_;
};

}  // namespace cairn::mcp
