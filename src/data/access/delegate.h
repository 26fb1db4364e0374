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

  bool operator==(const Delegate&) const = default;
};

using DelegatePtr = std::shared_ptr<const Delegate>;

// A lasting one is an access token that does not expire and goes by no epoch: it is void when its
// record is gone.
enum class TokenKind : std::uint8_t { kAccess = 'a', kRefresh = 'r', kLasting = 'l' };

struct TokenRecord {
  RealmId realm;
  DelegateId delegate;
  TokenKind kind = TokenKind::kAccess;
  std::optional<Millis> expires_at;
  std::uint64_t epoch = 0;
  bool used = false;  // a refresh token that was traded in: seen again, it was stolen

  bool operator==(const TokenRecord&) const = default;
};

// How they lie in the key-value store:
//
//   g realm delegate         a delegate
//   c realm parent delegate  a child of a delegate, in the order of creation
//   t hash                   a token
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
