// Session: somebody who was let in, with all that its chain of delegates leaves of its rights.
//
// Threads  immutable once made; share it freely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/sha256.h"
#include "data/access/rights.h"

namespace cairn {

// A caller whose token was checked.
struct Session {
  RealmId realm;
  std::vector<DelegatePtr> chain;  // the caller first, its root delegate last
  Rights rights;
  // Those on the chain who see only a part of the realm: they come to own what the caller writes.
  std::vector<DelegateId> owners;
  std::optional<Digest> token;  // its hash
  // The OAuth client that the token was given to, and the path that it is good for, with what is
  // below it; empty: none in particular.
  std::string client = {};
  std::string audience = {};
  std::optional<Millis> valid_until;
  // Whose doing it is, when the first of the chain is a stand-in with a part of its rights.
  std::optional<DelegateId> on_behalf_of = std::nullopt;
  // How many of the chain are stand-ins, which come first.
  std::size_t stand_ins = 0;
  // Up to which change of delegates and tokens it was checked.
  std::optional<std::uint64_t> checked_at = std::nullopt;

  const Delegate& who() const { return *chain.front(); }
  const DelegateId& answers_for() const { return on_behalf_of ? *on_behalf_of : who().id; }
  // The child of the root delegate that the caller is, or descends from; nullptr: it is the root
  // delegate itself, or a stand-in for it.
  const Delegate* branch() const {
    return chain.size() - stand_ins > 1 ? chain[chain.size() - 2].get() : nullptr;
  }
};
using SessionPtr = std::shared_ptr<const Session>;

// The same caller with one place as all it sees, for as long as its own rights have that place.
// What it writes belongs to `stand_in`, so that it can name nothing else its delegate owns.
SessionPtr confined(const Session& session, const Place& place, const DelegateId& stand_in);

}  // namespace cairn
