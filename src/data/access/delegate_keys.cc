// Keys: made, replaced, good beside the next one for a while.
#include "data/access/delegates.h"
#include "data/store/update.h"

namespace cairn {

using namespace access_records;

Token Delegates::add_key(Batch& batch, const Delegate& delegate) const {
  auto key = Token::make_key(random_);
  // Without an end of its own: when its delegate's is moved, it is moved too.
  const TokenRecord record{.realm = delegate.realm,
                           .delegate = delegate.id,
                           .kind = TokenKind::kKey,
                           .expires_at = std::nullopt,
                           .epoch = delegate.epoch};
  batch.puts.push_back({token_key(key.hash()), encode(record)});
  return key;
}

Result<CreatedKey> Delegates::create_key(const Session& parent, NewDelegate wanted) {
  wanted.kind = DelegateKind::kKey;
  Batch batch;
  auto child = TRY(add(batch, parent, std::move(wanted)));
  auto key = add_key(batch, child);
  TRY(kv_.commit(std::move(batch)));
  return CreatedKey{std::move(child), std::move(key)};
}

Result<CreatedKey> Delegates::rotate_key(const Session& caller, const DelegateId& id,
                                         std::chrono::seconds overlap,
                                         std::optional<std::chrono::seconds> expires_in) {
  const auto at = delegate_key(caller.realm, id);
  return update(kv_, at, "the delegate " + id.render(),
                // As with revoke(): that the caller is above it has to be known too.
                [&](const auto&, Batch& batch) -> Result<CreatedKey> {
                  auto delegate = TRY(below(caller, id));
                  TRY(renew_key(delegate, caller, overlap, expires_in));
                  batch.puts.push_back({at, encode(delegate)});
                  auto key = add_key(batch, delegate);
                  return CreatedKey{std::move(delegate), std::move(key)};
                });
}

Result<void> Delegates::renew_key(Delegate& delegate, const Session& caller,
                                  std::chrono::seconds overlap,
                                  std::optional<std::chrono::seconds> expires_in) const {
  if (delegate.kind != DelegateKind::kKey) {
    return fail(Code::kInvalidArgument,
                "{} has no key but tokens that are renewed; make a delegate with lasting: true",
                delegate.id.render());
  }
  if (overlap < std::chrono::seconds(0) || overlap > kMaxKeyOverlap) {
    return fail(Code::kInvalidArgument, "overlap is {} seconds; it should be 0 to {}",
                overlap.count(), kMaxKeyOverlap.count());
  }
  if (delegate.revoked_at) {
    return fail(Code::kDelegateRevoked, "the delegate {} was revoked; make another",
                delegate.id.render());
  }
  const auto now = clock_.now();
  if (delegate.id == caller.who().id) {
    if (expires_in) {
      return fail(Code::kForbidden,
                  "nobody prolongs their own life; ask whoever made you, or leave expiresIn out");
    }
    // Whoever has found an old key must not come to a new one by it.
    if (caller.token && TRY(find_token(*caller.token)).epoch != delegate.epoch) {
      return fail(Code::kForbidden, "this key was replaced already; use the new one");
    }
  } else if (expires_in) {
    DelegateChange longer;
    longer.expires_in = expires_in;
    TRY(apply(delegate, *TRY(act_as(caller.realm, *delegate.parent)), longer));
  }
  if (delegate.expires_at && *delegate.expires_at <= now) {
    return fail(Code::kDelegateExpired, "the delegate {} has expired; say expiresIn to renew it",
                delegate.id.render());
  }
  delegate.epoch += 1;
  delegate.key_made_at = now;
  delegate.old_key_until = std::nullopt;
  if (overlap > std::chrono::seconds(0)) {
    delegate.old_key_until = now + std::chrono::milliseconds(overlap).count();
  }
  return {};
}

Delegates::Standing Delegates::standing(const TokenRecord& token, const Delegate& delegate) const {
  // Raised by void_tokens() and with every new key: one write makes all tokens void, without
  // finding them.
  if (token.kind == TokenKind::kLasting || token.epoch == delegate.epoch) return {.good = true};
  const auto& until = delegate.old_key_until;
  const bool overlaps = token.kind == TokenKind::kKey && token.epoch + 1 == delegate.epoch &&
                        until && *until > clock_.now();
  if (!overlaps) return {};
  return {.good = true, .until = until};
}

bool Delegates::is_forgettable(const TokenRecord& token) const {
  const auto delegate = load(token.realm, token.delegate);
  if (!delegate) return delegate.error().code == Code::kDelegateNotFound;
  return delegate->revoked_at || !standing(token, *delegate).good;
}

}  // namespace cairn
