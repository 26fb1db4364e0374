// The tokens of delegates: given out, traded in, made void and forgotten.
#include <algorithm>
#include <chrono>

#include "data/access/delegates.h"
#include "data/realm/records.h"
#include "data/store/update.h"

namespace cairn {
namespace {

using namespace access_records;

Result<TokenRecord> known_token(const std::optional<Bytes>& stored) {
  if (stored) return decode_token(*stored);
  return fail(Code::kInvalidToken, "the token is not valid here: it is unknown or was replaced");
}

}  // namespace

Result<TokenRecord> Delegates::find_token(const Digest& hash) const {
  return known_token(TRY(kv_.get(token_key(hash))));
}

IssuedTokens Delegates::add_tokens(Batch& batch, const Delegate& delegate,
                                   const TokenTerms& terms) const {
  const auto now = clock_.now();
  auto until = [&](std::chrono::milliseconds lifetime) {
    const auto at = now + lifetime.count();
    // No token outlives its delegate.
    return delegate.expires_at ? std::min(at, *delegate.expires_at) : at;
  };
  IssuedTokens tokens{Token::make(random_),
                      until(terms.access_lifetime.value_or(options_.access_lifetime)),
                      Token::make(random_)};
  TokenRecord record{.realm = delegate.realm,
                     .delegate = delegate.id,
                     .kind = TokenKind::kAccess,
                     .expires_at = tokens.access_expires_at,
                     .epoch = delegate.epoch,
                     .client = terms.client,
                     .audience = terms.audience};
  batch.puts.push_back({token_key(tokens.access.hash()), encode(record)});
  record.kind = TokenKind::kRefresh;
  record.expires_at = until(terms.refresh_lifetime.value_or(options_.refresh_lifetime));
  batch.puts.push_back({token_key(tokens.refresh.hash()), encode(record)});
  return tokens;
}

Result<void> Delegates::forget_lasting(const RealmId& realm, const DelegateId& id,
                                       Batch& batch) const {
  return scan_records(kv_, all_tokens(), [&](ByteView key, ByteView value) -> Result<void> {
    const auto token = decode_token(value);
    const bool found = token && token->kind == TokenKind::kLasting && token->realm == realm &&
                       token->delegate == id;
    if (found) batch.deletes.emplace_back(key);
    return {};
  });
}

Result<void> Delegates::make_lasting(std::string_view text) {
  const auto key = token_key(TRY(Token::parse(text)).hash());
  return update(kv_, key, "the token", [&](const auto& stored, Batch& batch) -> Result<void> {
    auto record = TRY(known_token(stored));
    if (record.kind != TokenKind::kAccess || record.expires_at) return {};
    record.kind = TokenKind::kLasting;
    batch.puts.push_back({key, encode(record)});
    return {};
  });
}

Result<void> Delegates::void_tokens(const RealmId& realm, const DelegateId& id, Which which,
                                    std::optional<Token> replacement) {
  const auto key = delegate_key(realm, id);
  const auto change = [&](const auto& stored, Batch& batch) -> Result<void> {
    if (!stored) return fail(Code::kDelegateNotFound, "there is no delegate {}", id.render());
    auto delegate = TRY(decode_delegate(key, *stored));
    delegate.epoch += 1;
    delegate.old_key_until = std::nullopt;
    batch.puts.push_back({key, encode(delegate)});
    if (which == Which::kAll) TRY(forget_lasting(realm, id, batch));
    if (!replacement) return {};
    const TokenRecord record{.realm = realm,
                             .delegate = id,
                             .kind = TokenKind::kLasting,
                             .expires_at = std::nullopt,
                             .epoch = delegate.epoch};
    batch.puts.push_back({token_key(replacement->hash()), encode(record)});
    return {};
  };
  return update(kv_, key, "the delegate " + id.render(), change);
}

std::optional<TokenRecord> Delegates::bearer_of(std::string_view token) const {
  const auto parsed = Token::parse(token);
  if (!parsed) return std::nullopt;
  auto record = find_token(parsed->hash());
  if (!record) return std::nullopt;
  return *std::move(record);
}

Result<CreatedDelegate> Delegates::refresh(std::string_view refresh_token) {
  return trade(refresh_token, {});
}

Result<CreatedDelegate> Delegates::refresh_granted(std::string_view refresh_token,
                                                   const TokenTerms& terms,
                                                   std::chrono::milliseconds window) {
  return trade(refresh_token, {terms, window});
}

Result<CreatedDelegate> Delegates::trade(std::string_view refresh_token, const Trading& trading) {
  const auto hash = TRY(Token::parse(refresh_token)).hash();
  const auto key = token_key(hash);
  const auto change = [&](const auto& stored, Batch& batch) -> Result<CreatedDelegate> {
    auto record = TRY(known_token(stored));
    if (record.kind != TokenKind::kRefresh) {
      return fail(Code::kInvalidToken, "this is an access token; a refresh token is needed here");
    }
    if (record.client.empty() == trading.window.has_value() ||
        record.client != trading.terms.client) {
      return fail(Code::kInvalidToken,
                  "the refresh token was not given to whoever brings it; a program trades in the "
                  "ones that it was given itself");
    }
    // As it is stored, which may be in an older version; before the chain is read.
    const auto whose = delegate_key(record.realm, record.delegate);
    batch.conditions.push_back({whose, TRY(kv_.get(whose))});
    auto chain = TRY(chain_of(record.realm, record.delegate));
    const auto& delegate = *chain.front();
    if (record.epoch != delegate.epoch) {
      return fail(Code::kInvalidToken, "the token is void: this delegate's tokens were replaced");
    }
    const auto now = clock_.now();
    const bool again = record.used_at.has_value();
    if (again && (!trading.window || now - *record.used_at > trading.window->count())) {
      // Committed by itself, and before the failure is returned: nothing of this batch will be.
      TRY(void_tokens(record.realm, record.delegate, Which::kIssued, std::nullopt));
      return fail(Code::kTokenReplayed,
                  "this refresh token was used before, so somebody else may have it: all tokens of "
                  "the delegate are void now; ask whoever made it for another");
    }
    if (record.expires_at && *record.expires_at <= now) {
      return fail(Code::kTokenExpired,
                  "the refresh token has expired; ask whoever made the delegate for another");
    }
    TRY(session_for(chain, generation_.load()));
    if (!again) {
      // Kept, not deleted: a second use must be recognised as one.
      record.used_at = now;
      batch.puts.push_back({key, encode(record)});
    }
    uses_.note(delegate.realm, delegate.id);
    auto terms = trading.terms;
    terms.audience = record.audience;
    return CreatedDelegate{delegate, add_tokens(batch, delegate, terms)};
  };
  return update(kv_, key, "the token", change);
}

Result<IssuedTokens> Delegates::issue(const Delegate& delegate, const TokenTerms& terms) {
  Batch batch;
  auto tokens = add_tokens(batch, delegate, terms);
  TRY(kv_.commit(std::move(batch)));
  return tokens;
}

Result<void> Delegates::void_all(const RealmId& realm, const DelegateId& id) {
  return void_tokens(realm, id, Which::kAll, std::nullopt);
}

Result<IssuedTokens> Delegates::reissue(const RealmId& realm) {
  const auto root = DelegateId::from_bytes(realm.bytes());
  TRY(void_tokens(realm, root, Which::kAll, std::nullopt));
  return issue(TRY(load(realm, root)));
}

Result<void> Delegates::void_issued(const RealmId& realm) {
  const auto root = DelegateId::from_bytes(realm.bytes());
  auto done = void_tokens(realm, root, Which::kIssued, std::nullopt);
  // Somebody who never had a token has none to lose.
  if (!done && done.error().code == Code::kDelegateNotFound) return {};
  return done;
}

Result<Token> Delegates::issue_lasting(const RealmId& realm, const DelegateId& id) {
  auto token = Token::make(random_);
  TRY(void_tokens(realm, id, Which::kAll, token));
  return token;
}

Result<std::uint64_t> Delegates::forget_expired() {
  const auto now = clock_.now();
  Batch batch;
  TRY(kv_.scan(all_tokens(), Direction::kForward, [&](ByteView key, ByteView value) {
    auto token = decode_token(value);
    // A damaged token record is left for fsck.
    const bool over = token && ((token->expires_at && *token->expires_at <= now) ||
                                (token->kind == TokenKind::kKey && is_forgettable(*token)));
    if (over) batch.deletes.emplace_back(key);
    return Scan::kContinue;
  }));
  const auto count = batch.deletes.size();
  if (count > 0) TRY(kv_.commit(std::move(batch)));
  return count;
}

}  // namespace cairn
