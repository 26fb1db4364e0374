// Delegate: whoever acts. An entity in a tree of delegated rights; a child never has more than its
// parent.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/id.h"
#include "base/result.h"
#include "data/access/directory_grant.h"
#include "data/realm/place.h"
#include "data/store/key_value.h"

namespace cairn {

// One thing a scope lets its holder see: a node as it is for ever, or a place in a depot as it is
// now.
struct FrozenRoot {
  NodeKey key;
  bool operator==(const FrozenRoot&) const = default;
};
using ScopeRoot = std::variant<FrozenRoot, Place>;

// What a delegate was made as. It changes nothing about its rights.
enum class DelegateKind : std::uint8_t {
  kPlain = 0,  // for another agent, with tokens that are renewed
  kKey = 1,    // with a lasting key
  kGrant = 2,  // by a person, for a program that asked through OAuth
};

struct Delegate {
  static constexpr unsigned kMaxDepth = 15;
  static constexpr std::size_t kMaxNameBytes = 200;
  static constexpr std::size_t kMaxRoots = 100;
  // Of all its roots' paths together.
  static constexpr std::size_t kMaxPathBytes = std::size_t{16} << 10;

  DelegateId id;
  RealmId realm;
  std::optional<DelegateId> parent;  // nothing: a user's root delegate
  unsigned depth = 0;
  std::string name;
  DelegateKind kind = DelegateKind::kPlain;
  bool can_upload = false;
  bool can_manage_depot = false;
  std::optional<std::vector<DepotId>> depots;   // nothing: all of the realm's
  std::optional<std::vector<ScopeRoot>> scope;  // nothing: all there is
  // Those of the server's directories that it may use; of a root delegate, those of its user.
  std::vector<DirectoryGrant> directories;
  // Whether it sees what stood there before, and may take it back.
  bool history = true;
  std::optional<Millis> expires_at;
  Millis created_at = 0;
  std::optional<Millis> revoked_at;
  // Tokens carry the epoch they were made in; those of an older one are void.
  std::uint64_t epoch = 0;
  // Of one with a key: since when there is the one it has, and how long the one before, of the
  // epoch before, is good beside it.
  std::optional<Millis> key_made_at;
  std::optional<Millis> old_key_until;
  // When it was last given to see less than before, and when it was given its scope. What somebody
  // names by a bare key, it has seen or written: that counts from the last narrowing above it on.
  std::optional<Millis> narrowed_at;
  Millis scope_at = 0;

  bool operator==(const Delegate&) const = default;
};

using DelegatePtr = std::shared_ptr<const Delegate>;

// A lasting one is an access token that does not expire and goes by no epoch: it is void when its
// record is gone. A key is an access token that is not renewed but made anew: it lives as long as
// its delegate.
enum class TokenKind : std::uint8_t { kAccess = 'a', kRefresh = 'r', kLasting = 'l', kKey = 'k' };

struct TokenRecord {
  RealmId realm;
  DelegateId delegate;
  TokenKind kind = TokenKind::kAccess;
  std::optional<Millis> expires_at;
  std::uint64_t epoch = 0;
  // When a refresh token was first traded in: seen again, it may have been stolen.
  std::optional<Millis> used_at = std::nullopt;
  // The OAuth client that it was given to, and the path below this server that it is good for;
  // empty: none in particular.
  std::string client = {};
  std::string audience = {};

  bool operator==(const TokenRecord&) const = default;
};

// How they lie in the key-value store:
//
//   g realm delegate         a delegate
//   c realm parent delegate  a child of a delegate, in the order of creation
//   t hash                   a token
//   U realm delegate         when one of its tokens was last used (delegate_uses.h)
namespace access_records {

Bytes delegate_key(const RealmId& realm, const DelegateId& delegate);
KeyRange delegates(const RealmId& realm);
KeyRange all_delegates();
Bytes child_key(const RealmId& realm, const DelegateId& parent, const DelegateId& child);
KeyRange children(const RealmId& realm, const DelegateId& parent);
Bytes token_key(const Digest& hash);
KeyRange all_tokens();

Bytes encode(const Delegate& delegate);
Bytes encode(const TokenRecord& token);
Result<Delegate> decode_delegate(ByteView key, ByteView value);
Result<TokenRecord> decode_token(ByteView value);

}  // namespace access_records

}  // namespace cairn
