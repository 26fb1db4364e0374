// The delegates of every realm, and the tokens that prove who is one of them.
//
// Invariants  a token is valid only while its delegate and every one above it is neither revoked
//             nor expired. Only hashes of tokens are stored. A refresh token works once: seen
//             again, all tokens of its delegate are void. One of a grant can be traded in again
//             for a moment, because programs that share it do so at once.
// Threads     every function may be called from any thread.
// Fails with  INVALID_TOKEN, TOKEN_EXPIRED, TOKEN_REPLAYED, DELEGATE_REVOKED, DELEGATE_EXPIRED for
//             tokens; DELEGATE_NOT_FOUND for anyone who is not below the caller.
#pragma once

#include <atomic>
#include <chrono>
#include <unordered_map>

#include "base/guarded.h"
#include "data/access/delegate_uses.h"
#include "data/access/session.h"
#include "data/access/token.h"
#include "data/realm/frozen_scope.h"

namespace cairn {

struct DelegateOptions {
  std::chrono::milliseconds access_lifetime = std::chrono::hours(1);
  std::chrono::milliseconds refresh_lifetime = std::chrono::hours(24 * 30);
};

struct NewDelegate {
  std::string name;
  DelegateKind kind = DelegateKind::kPlain;
  bool can_upload = false;
  bool can_manage_depot = false;
  std::optional<std::vector<DepotId>> depots;    // nothing: as the parent
  std::optional<std::vector<ScopeRoot>> scope;   // nothing: as the parent; see sight.h
  std::vector<DirectoryGrant> directories = {};  // nothing: none
  bool history = true;                           // as far as the parent has it
  std::optional<std::chrono::seconds> expires_in;
};

// What is to be otherwise; within the rights of the parent, as with a new one.
struct DelegateChange {
  std::optional<std::string> name = std::nullopt;
  std::optional<bool> can_upload = std::nullopt;
  std::optional<bool> can_manage_depot = std::nullopt;
  // A list of these, or as the parent.
  std::optional<std::optional<std::vector<DepotId>>> depots = std::nullopt;
  std::optional<std::optional<std::vector<ScopeRoot>>> scope = std::nullopt;
  std::optional<std::vector<DirectoryGrant>> directories = std::nullopt;
  // From now on, or as the parent.
  std::optional<std::optional<std::chrono::seconds>> expires_in = std::nullopt;
};

// Whom tokens are for, and how long they live; those of a delegate that is no grant leave it out.
struct TokenTerms {
  std::string client = {};
  std::string audience = {};
  std::optional<std::chrono::milliseconds> access_lifetime = std::nullopt;
  std::optional<std::chrono::milliseconds> refresh_lifetime = std::nullopt;
};

struct IssuedTokens {
  Token access;
  Millis access_expires_at = 0;
  Token refresh;
};

struct CreatedDelegate {
  Delegate delegate;
  IssuedTokens tokens;
};

struct CreatedKey {
  Delegate delegate;
  Token key;
};

// How long a delegate with a key lives when nothing is said, and at most; and how long a key is
// good after there is another.
inline constexpr std::chrono::seconds kKeyLifetime = std::chrono::hours(24 * 90);
inline constexpr std::chrono::seconds kMaxKeyLifetime = std::chrono::hours(24 * 366);
inline constexpr std::chrono::seconds kMaxKeyOverlap = std::chrono::hours(24);

// How many a delegate makes that is not a realm's root, and all of those together.
inline constexpr std::size_t kMaxChildrenEach = 1'000;
inline constexpr std::size_t kMaxChildrenOfDelegates = 10'000;

struct DelegatePage {
  std::vector<Delegate> delegates;  // oldest first
  std::optional<std::string> next_cursor;
};

class Delegates final {
 public:
  Delegates(KeyValueStore& kv, const Clock& clock, Random& random, DelegateOptions options = {});
  ~Delegates();
  Delegates(const Delegates&) = delete;
  Delegates& operator=(const Delegates&) = delete;

  // A realm's root delegate, which has every right in it; made when first asked for.
  Result<Delegate> root(const RealmId& realm);

  Result<SessionPtr> authenticate(std::string_view access_token) const;
  // Whether nothing has changed since a session was checked, and it has not expired.
  bool is_current(const Session& session) const;
  // Whether a session would still be given: what it was given for may be long ago. A comparison,
  // unless a delegate or token has changed since it was checked.
  Result<void> check_again(const Session& session) const;
  // The same, with the same rights: for what goes on for long. FORBIDDEN when they were changed.
  Result<void> check_unchanged(const Session& session) const;
  // The same caller with the rights it has now. Fails as check_again() does.
  Result<SessionPtr> as_now(const SessionPtr& session) const;
  // As the delegate itself, without a token: for whoever holds the data directory.
  Result<SessionPtr> act_as(const RealmId& realm, const DelegateId& delegate) const;

  // PERMISSION_EXCEEDED for what the parent does not have, MAX_DEPTH_EXCEEDED, TOO_MANY_ENTRIES.
  // REQUIRES: frozen roots of the scope were resolved for this parent (sight.h).
  Result<CreatedDelegate> create(const Session& parent, NewDelegate wanted);
  // The same without tokens, as a part of a batch that the caller commits.
  Result<Delegate> add(Batch& batch, const Session& parent, NewDelegate wanted) const;
  // One with a key instead of tokens. It expires in kKeyLifetime, or with its parent if that is
  // sooner, unless something else is wanted; INVALID_ARGUMENT for more than kMaxKeyLifetime.
  Result<CreatedKey> create_key(const Session& parent, NewDelegate wanted);
  // A new key for one below the caller, or for the caller itself, in place of the one it has, which
  // is good for `overlap` yet. Those above may say how long it lives from now on.
  // INVALID_ARGUMENT for one without a key; FORBIDDEN for a caller with a key that was replaced.
  Result<CreatedKey> rotate_key(const Session& caller, const DelegateId& delegate,
                                std::chrono::seconds overlap = kMaxKeyOverlap,
                                std::optional<std::chrono::seconds> expires_in = std::nullopt);
  // One below the caller; in force with its next call. PERMISSION_EXCEEDED as for a new one, where
  // the parent is the delegate's own, whoever asks.
  Result<Delegate> change(const Session& caller, const DelegateId& delegate,
                          const DelegateChange& wanted);
  // The caller, or one below it.
  Result<Delegate> get(const Session& caller, const DelegateId& delegate) const;
  // The children of the caller, or of one below it.
  Result<DelegatePage> list(const Session& caller, const DelegateId& parent, std::size_t limit,
                            std::optional<std::string_view> cursor) const;
  // One below the caller, or the caller itself. Revoking again changes nothing.
  Result<Delegate> revoke(const Session& caller, const DelegateId& delegate);

  // Whose a token is or was, valid or not; nothing: nobody's.
  std::optional<TokenRecord> bearer_of(std::string_view token) const;
  // Trades a refresh token in for new tokens.
  Result<CreatedDelegate> refresh(std::string_view refresh_token);
  // The same for one that was given to an OAuth client: only that client can, with the audience as
  // it was; and until `window` after the first time it gives further tokens instead of voiding all.
  Result<CreatedDelegate> refresh_granted(std::string_view refresh_token, const TokenTerms& terms,
                                          std::chrono::milliseconds window);
  Result<IssuedTokens> issue(const Delegate& delegate, const TokenTerms& terms = {});
  // The same as puts of a batch that the caller commits.
  // REQUIRES: the delegate is new in that batch, or a condition of it.
  IssuedTokens add_tokens(Batch& batch, const Delegate& delegate,
                          const TokenTerms& terms = {}) const;
  // Voids all tokens of a delegate. DELEGATE_NOT_FOUND.
  Result<void> void_all(const RealmId& realm, const DelegateId& delegate);
  // An access token that does not expire. All earlier tokens of the delegate are void. Those that
  // are issued and refreshed later come and go without it.
  Result<Token> issue_lasting(const RealmId& realm, const DelegateId& delegate);

  // One of an earlier version, which still goes with those that are issued.
  Result<void> make_lasting(std::string_view token);

  // Voids what a realm's root delegate was issued, by a password or for a refresh token; not the
  // lasting one, and not the tokens of delegates below it.
  Result<void> void_issued(const RealmId& realm);
  // New tokens of a realm's root delegate; all earlier ones are void.
  Result<IssuedTokens> reissue(const RealmId& realm);

  // Every delegate of a realm, with their tokens, the root delegate too; how many delegates.
  Result<std::uint64_t> remove_all(const RealmId& realm);
  // Removes the records of tokens that have expired; how many.
  Result<std::uint64_t> forget_expired();
  // When a token of the delegate was last used, to the minute; nothing: never, or before that was
  // noted.
  Result<std::optional<Millis>> last_used(const RealmId& realm, const DelegateId& delegate) const {
    return uses_.last(realm, delegate);
  }
  // Writes down the uses since the last time: for whoever keeps house, about every minute.
  Result<void> keep_uses() { return uses_.keep(); }
  // Frozen scope roots of every delegate that can still act: the garbage collector keeps them.
  Result<std::vector<NodeKey>> frozen_roots(const RealmId& realm) const;
  // The same, with whose they are.
  Result<std::vector<FrozenScope>> frozen_scopes(const RealmId& realm) const;

 private:
  struct Cached {
    SessionPtr session;
    std::uint64_t generation = 0;
    Millis noted = 0;  // when its use was last noted
  };
  struct DigestHash {
    std::size_t operator()(const Digest& digest) const noexcept;
  };
  static constexpr std::size_t kMaxCached = 10'000;

  Result<SessionPtr> session_of(const Digest& hash) const;
  Result<TokenRecord> find_token(const Digest& hash) const;
  Result<Delegate> load(const RealmId& realm, const DelegateId& id) const;
  Result<std::vector<DelegatePtr>> chain_of(const RealmId& realm, const DelegateId& id) const;
  Result<std::shared_ptr<Session>> session_for(std::vector<DelegatePtr> chain,
                                               std::uint64_t generation) const;
  Result<SessionPtr> verify(const Digest& hash) const;
  Result<void> check_room(const Delegate& parent) const;
  Result<void> apply(Delegate& delegate, const Session& parent, const DelegateChange& wanted) const;
  Result<Delegate> below(const Session& caller, const DelegateId& delegate) const;
  Token add_key(Batch& batch, const Delegate& delegate) const;
  Result<void> renew_key(Delegate& delegate, const Session& caller, std::chrono::seconds overlap,
                         std::optional<std::chrono::seconds> expires_in) const;
  // Whether a token goes by its delegate's epoch; until when, if that is soon over.
  struct Standing {
    bool good = false;
    std::optional<Millis> until = std::nullopt;
  };
  Standing standing(const TokenRecord& token, const Delegate& delegate) const;
  bool is_forgettable(const TokenRecord& token) const;
  struct Trading {
    TokenTerms terms;
    std::optional<std::chrono::milliseconds> window;  // nothing: a token that is no grant's
  };
  Result<CreatedDelegate> trade(std::string_view refresh_token, const Trading& trading);
  enum class Which { kIssued, kAll };
  // In one step with the token that is valid instead, if any.
  Result<void> void_tokens(const RealmId& realm, const DelegateId& id, Which which,
                           std::optional<Token> replacement);
  Result<void> forget_lasting(const RealmId& realm, const DelegateId& id, Batch& batch) const;

  KeyValueStore& kv_;
  const Clock& clock_;
  Random& random_;
  DelegateOptions options_;
  // Raised with every change of a delegate or token: what was checked before is checked again.
  std::atomic<std::uint64_t> generation_ = 0;
  mutable Guarded<std::unordered_map<Digest, Cached, DigestHash>> sessions_;
  mutable DelegateUses uses_;
  std::vector<std::unique_ptr<Subscription>> watching_;
};

}  // namespace cairn
