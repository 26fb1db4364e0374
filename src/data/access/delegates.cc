#include "data/access/delegates.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/utf8.h"
#include "data/realm/records.h"
#include "data/realm/remove_realm.h"
#include "data/store/update.h"

namespace cairn {
namespace {

using namespace access_records;

Failure no_delegate(const DelegateId& id) {
  return fail(Code::kDelegateNotFound,
              "there is no delegate {} below you; list_delegates shows those you made",
              id.render());
}

Result<TokenRecord> known_token(const std::optional<Bytes>& stored) {
  if (stored) return decode_token(*stored);
  return fail(Code::kInvalidToken, "the token is not valid here: it is unknown or was replaced");
}

Result<void> check_usable(const Delegate& delegate, bool is_self, Millis now) {
  const auto* whose = is_self ? "this delegate" : "a delegate above this one";
  if (delegate.revoked_at) {
    return fail(Code::kDelegateRevoked, "{} was revoked; ask whoever made it for another", whose);
  }
  if (delegate.expires_at && *delegate.expires_at <= now) {
    return fail(Code::kDelegateExpired, "{} has expired; ask whoever made it for another", whose);
  }
  return {};
}

Result<void> check_display_name(std::string_view name) {
  bool printable = std::ranges::none_of(
      name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (name.size() <= Delegate::kMaxNameBytes && printable && valid_utf8(name)) return {};
  return fail(Code::kInvalidArgument,
              "the name should be at most {} bytes of UTF-8 without control characters",
              Delegate::kMaxNameBytes);
}

Result<std::optional<Millis>> expiry(const Session& parent, const NewDelegate& wanted, Millis now) {
  // The nearest expiry above bounds the child's.
  std::optional<Millis> bound;
  for (const auto& above : parent.chain) {
    if (above->expires_at) bound = std::min(bound.value_or(*above->expires_at), *above->expires_at);
  }
  if (!wanted.expires_in) return bound;
  constexpr std::chrono::seconds kMost = std::chrono::hours(24 * 365 * 100);
  if (*wanted.expires_in <= std::chrono::seconds(0) || *wanted.expires_in > kMost) {
    return fail(Code::kInvalidArgument, "expiresIn is {}; it should be 1 to {} seconds",
                wanted.expires_in->count(), kMost.count());
  }
  const auto at = now + std::chrono::milliseconds(*wanted.expires_in).count();
  if (bound && at > *bound) {
    return fail(Code::kPermissionExceeded,
                "expiresIn is {} seconds, but you expire in {}; ask for less or leave it out",
                wanted.expires_in->count(), (*bound - now) / 1000);
  }
  return at;
}

Failure exceeded(std::string_view right) {
  return fail(Code::kPermissionExceeded,
              "you cannot give {}, because you do not have it; leave it out", right);
}

// The caller's scope was resolved by a Sight, which refuses what the parent cannot see; this is the
// second lock. A frozen root cannot be checked here: its key does not tell which tree it was taken
// from.
Result<void> check_within(const Rights& parent, const NewDelegate& wanted) {
  for (const auto& depot : wanted.depots.value_or(std::vector<DepotId>())) {
    if (!parent.may_use(depot)) return exceeded(depot.render());
  }
  for (const auto& root : wanted.scope.value_or(std::vector<ScopeRoot>())) {
    const auto* place = std::get_if<Place>(&root);
    if (place == nullptr) continue;
    const auto around = parent.places(place->depot);
    if (std::ranges::none_of(around, [&](const Place& own) { return is_within(*place, own); })) {
      return exceeded(place->render());
    }
  }
  TRY(check_grants(wanted.directories));
  for (const auto& grant : wanted.directories) {
    const auto use = parent.directory_use(grant.name);
    if (use == DirectoryUse::kNone) return exceeded("the directory " + grant.name);
    if (grant.write && use != DirectoryUse::kWrite) {
      return exceeded(fmt::format("writing in the directory {}", grant.name));
    }
  }
  return {};
}

Result<void> check_limit(std::size_t limit) {
  if (limit >= 1 && limit <= 1000) return {};
  return fail(Code::kInvalidArgument, "limit is {}; it should be 1 to 1000", limit);
}

}  // namespace

std::size_t Delegates::DigestHash::operator()(const Digest& digest) const noexcept {
  // The digest is uniformly distributed already.
  std::size_t value;
  std::memcpy(&value, digest.data(), sizeof value);
  return value;
}

SessionPtr confined(const Session& session, const Place& place, const DelegateId& stand_in) {
  Delegate inner;
  inner.id = stand_in;
  inner.realm = session.realm;
  inner.parent = session.who().id;
  inner.depth = session.who().depth + 1;
  inner.name = session.who().name;
  inner.can_upload = true;
  inner.scope = std::vector<ScopeRoot>{place};
  auto out = std::make_shared<Session>(session);
  out->on_behalf_of = session.answers_for();
  out->chain.insert(out->chain.begin(), std::make_shared<const Delegate>(std::move(inner)));
  out->rights = Rights::of(out->chain);
  out->owners.insert(out->owners.begin(), stand_in);
  return out;
}

Delegates::Delegates(KeyValueStore& kv, const Clock& clock, Random& random, DelegateOptions options)
    : kv_(kv), clock_(clock), random_(random), options_(options) {
  // One number for all realms. Delegates and tokens change rarely, and checking again costs a few
  // reads.
  auto changed = [this](const std::vector<Bytes>&) { generation_.fetch_add(1); };
  watching_.push_back(kv_.watch(all_delegates(), changed));
  watching_.push_back(kv_.watch(all_tokens(), changed));
}

Delegates::~Delegates() = default;

Result<Delegate> Delegates::root(const RealmId& realm) {
  // The root delegate's id is the realm's: there is one, and it needs no looking up.
  auto id = DelegateId::from_bytes(realm.bytes());
  auto key = delegate_key(realm, id);
  const auto make = [&](const auto& stored, Batch& batch) -> Result<Delegate> {
    if (stored) return decode_delegate(key, *stored);
    Delegate delegate;
    delegate.id = id;
    delegate.realm = realm;
    delegate.name = "root";
    delegate.can_upload = true;
    delegate.can_manage_depot = true;
    delegate.created_at = clock_.now();
    batch.puts.push_back({key, encode(delegate)});
    return delegate;
  };
  return update(kv_, key, "the root delegate of " + realm.render(), make);
}

Result<TokenRecord> Delegates::find_token(const Digest& hash) const {
  return known_token(TRY(kv_.get(token_key(hash))));
}

Result<Delegate> Delegates::load(const RealmId& realm, const DelegateId& id) const {
  auto key = delegate_key(realm, id);
  auto value = TRY(kv_.get(key));
  if (!value) return no_delegate(id);
  return decode_delegate(key, *value);
}

Result<std::vector<DelegatePtr>> Delegates::chain_of(const RealmId& realm,
                                                     const DelegateId& id) const {
  std::vector<DelegatePtr> chain;
  std::optional<DelegateId> next = id;
  // A damaged record could name itself as its parent.
  while (next && chain.size() <= Delegate::kMaxDepth) {
    chain.push_back(std::make_shared<const Delegate>(TRY(load(realm, *next))));
    next = chain.back()->parent;
  }
  if (next) {
    return fail(Code::kMaxDepthExceeded, "the delegate {} is deeper than {}", id.render(),
                Delegate::kMaxDepth);
  }
  return chain;
}

Result<std::shared_ptr<Session>> Delegates::session_for(std::vector<DelegatePtr> chain,
                                                        std::uint64_t generation) const {
  const auto now = clock_.now();
  auto session = std::make_shared<Session>();
  session->checked_at = generation;
  session->realm = chain.front()->realm;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    TRY(check_usable(*chain[i], i == 0, now));
    const auto& expires = chain[i]->expires_at;
    if (expires) session->valid_until = std::min(session->valid_until.value_or(*expires), *expires);
    // Ownership matters only to those who do not see everything anyway.
    if (!Rights::of(std::span(chain).subspan(i)).realm_wide()) {
      session->owners.push_back(chain[i]->id);
    }
  }
  session->rights = Rights::of(chain);
  session->chain = std::move(chain);
  return session;
}

Result<SessionPtr> Delegates::verify(const Digest& hash) const {
  // Before anything is read: what changes while it is read is checked again.
  const auto generation = generation_.load();
  auto token = TRY(find_token(hash));
  if (token.kind == TokenKind::kRefresh) {
    return fail(Code::kInvalidToken,
                "this is a refresh token; trade it in for an access token first");
  }
  if (token.expires_at && *token.expires_at <= clock_.now()) {
    return fail(Code::kTokenExpired,
                "the access token has expired; trade the refresh token in for a new one");
  }
  auto session = TRY(session_for(TRY(chain_of(token.realm, token.delegate)), generation));
  // Raised by void_tokens(): one write makes all tokens void, without finding them.
  if (token.kind != TokenKind::kLasting && session->who().epoch != token.epoch) {
    return fail(Code::kInvalidToken, "the token is void: this delegate's tokens were replaced");
  }
  session->token = hash;
  if (token.expires_at) {
    session->valid_until =
        std::min(session->valid_until.value_or(*token.expires_at), *token.expires_at);
  }
  return session;
}

Result<SessionPtr> Delegates::authenticate(std::string_view access_token) const {
  return session_of(TRY(Token::parse(access_token)).hash());
}

bool Delegates::is_current(const Session& session) const {
  const bool in_time = !session.valid_until || *session.valid_until > clock_.now();
  return in_time && session.checked_at == generation_.load();
}

Result<void> Delegates::check_again(const Session& session) const {
  if (is_current(session)) return {};
  if (session.token) {
    TRY(session_of(*session.token));
  } else {
    // Without a token of its own: the session acts for a delegate, which may have been revoked.
    TRY(act_as(session.realm, session.answers_for()));
  }
  return {};
}

Result<SessionPtr> Delegates::session_of(const Digest& hash) const {
  const auto generation = generation_.load();
  {
    auto sessions = sessions_.lock();
    auto found = sessions->find(hash);
    if (found != sessions->end() && found->second.generation == generation) {
      const auto& session = found->second.session;
      // Time passes without a write, so the generation does not tell.
      if (!session->valid_until || *session->valid_until > clock_.now()) return session;
    }
  }
  auto session = TRY(verify(hash));
  auto sessions = sessions_.lock();
  // Rarely full, and everything in it can be read again.
  if (sessions->size() >= kMaxCached) sessions->clear();
  sessions->insert_or_assign(hash, Cached{session, generation});
  return session;
}

Result<SessionPtr> Delegates::act_as(const RealmId& realm, const DelegateId& delegate) const {
  const auto generation = generation_.load();
  return session_for(TRY(chain_of(realm, delegate)), generation);
}

IssuedTokens Delegates::add_tokens(Batch& batch, const Delegate& delegate) const {
  const auto now = clock_.now();
  auto until = [&](std::chrono::milliseconds lifetime) {
    const auto at = now + lifetime.count();
    // No token outlives its delegate.
    return delegate.expires_at ? std::min(at, *delegate.expires_at) : at;
  };
  IssuedTokens tokens{Token::make(random_), until(options_.access_lifetime), Token::make(random_)};
  TokenRecord record{.realm = delegate.realm,
                     .delegate = delegate.id,
                     .kind = TokenKind::kAccess,
                     .expires_at = tokens.access_expires_at,
                     .epoch = delegate.epoch,
                     .used = false};
  batch.puts.push_back({token_key(tokens.access.hash()), encode(record)});
  record.kind = TokenKind::kRefresh;
  record.expires_at = until(options_.refresh_lifetime);
  batch.puts.push_back({token_key(tokens.refresh.hash()), encode(record)});
  return tokens;
}

// The owner of a realm may make as many as it likes; its delegates leave room for it and for
// others.
Result<void> Delegates::check_room(const Delegate& parent) const {
  if (!parent.parent) return {};
  const auto of_root = children(parent.realm, DelegateId::from_bytes(parent.realm.bytes()));
  const auto own = children(parent.realm, parent.id);
  std::size_t own_count = 0;
  std::size_t all = 0;
  TRY(kv_.scan(KeyRange::prefix("c" + Bytes(parent.realm.bytes())), Direction::kForward,
               [&](ByteView key, ByteView) {
                 if (key.starts_with(own.begin)) ++own_count;
                 if (!key.starts_with(of_root.begin)) ++all;
                 return Scan::kContinue;
               }));
  if (own_count < kMaxChildrenEach && all < kMaxChildrenOfDelegates) return {};
  return fail(Code::kTooManyEntries,
              "{}; a delegate makes up to {} others, and all delegates of a realm up to {}; its "
              "owner can make more",
              own_count >= kMaxChildrenEach ? "you have made enough" : "there are enough",
              kMaxChildrenEach, kMaxChildrenOfDelegates);
}

Result<CreatedDelegate> Delegates::create(const Session& parent, NewDelegate wanted) {
  const auto& above = parent.who();
  TRY(check_display_name(wanted.name));
  if (above.depth + 1 > Delegate::kMaxDepth) {
    return fail(Code::kMaxDepthExceeded,
                "you are at depth {}, and nobody can be deeper than {}; ask one above you to make "
                "the delegate",
                above.depth, Delegate::kMaxDepth);
  }
  if (wanted.can_upload && !parent.rights.can_upload()) return exceeded("canUpload");
  if (wanted.can_manage_depot && !parent.rights.can_manage_depot()) {
    return exceeded("canManageDepot");
  }
  TRY(check_within(parent.rights, wanted));
  TRY(check_room(above));
  Delegate child;
  child.id = DelegateId::make(clock_, random_);
  child.realm = parent.realm;
  child.parent = above.id;
  child.depth = above.depth + 1;
  child.name = std::move(wanted.name);
  child.can_upload = wanted.can_upload;
  child.can_manage_depot = wanted.can_manage_depot;
  child.depots = wanted.depots ? std::move(wanted.depots) : parent.rights.depots();
  child.scope = wanted.scope ? std::move(wanted.scope) : parent.rights.scope();
  child.directories = std::move(wanted.directories);
  child.created_at = clock_.now();
  child.expires_at = TRY(expiry(parent, wanted, child.created_at));
  Batch batch;
  batch.realm = child.realm;
  // A collector at work spares what the child is to see.
  for (const auto& root : child.scope.value_or(std::vector<ScopeRoot>())) {
    if (const auto* frozen = std::get_if<FrozenRoot>(&root)) batch.required.push_back(frozen->key);
  }
  auto key = delegate_key(child.realm, child.id);
  batch.conditions.push_back({key, std::nullopt});
  batch.puts.push_back({key, encode(child)});
  batch.puts.push_back({child_key(child.realm, above.id, child.id), Bytes()});
  auto tokens = add_tokens(batch, child);
  TRY(kv_.commit(std::move(batch)));
  return CreatedDelegate{std::move(child), std::move(tokens)};
}

// The delegate, when the caller is on its chain.
Result<Delegate> Delegates::below(const Session& caller, const DelegateId& id) const {
  auto found = TRY(load(caller.realm, id));
  const Delegate* at = &found;
  Delegate above;
  for (unsigned steps = 0; steps <= Delegate::kMaxDepth; ++steps) {
    if (at->id == caller.who().id) return found;
    if (!at->parent) break;
    above = TRY(load(caller.realm, *at->parent));
    at = &above;
  }
  // The same as for one that does not exist: callers learn nothing of delegates beside them.
  return no_delegate(id);
}

Result<Delegate> Delegates::get(const Session& caller, const DelegateId& id) const {
  return below(caller, id);
}

Result<DelegatePage> Delegates::list(const Session& caller, const DelegateId& parent,
                                     std::size_t limit,
                                     std::optional<std::string_view> cursor) const {
  TRY(check_limit(limit));
  TRY(below(caller, parent));
  auto range = children(caller.realm, parent);
  if (cursor) {
    auto last = TRY(parse_cursor(*cursor));
    if (last.size() != 16) return fail(Code::kInvalidCursor, "'{}' is not a cursor", *cursor);
    range.begin = child_key(caller.realm, parent, DelegateId::from_bytes(last)) + '\0';
  }
  std::vector<DelegateId> ids;
  DelegatePage page;
  TRY(kv_.scan(range, Direction::kForward, [&](ByteView key, ByteView) {
    if (ids.size() == limit) {
      page.next_cursor = render_cursor(ids.back().bytes());
      return Scan::kStop;
    }
    ids.push_back(DelegateId::from_bytes(key.substr(key.size() - 16)));
    return Scan::kContinue;
  }));
  for (const auto& id : ids) page.delegates.push_back(TRY(load(caller.realm, id)));
  return page;
}

Result<Delegate> Delegates::revoke(const Session& caller, const DelegateId& id) {
  const auto key = delegate_key(caller.realm, id);
  return update(kv_, key, "the delegate " + id.render(),
                // Not from the value update() read: that the caller is above it has to be known
                // too. The condition is on what was read before, so a change in between is noticed.
                [&](const auto&, Batch& batch) -> Result<Delegate> {
                  auto delegate = TRY(below(caller, id));
                  if (!delegate.parent) {
                    return fail(Code::kForbidden,
                                "a root delegate cannot be revoked; rotate its token instead");
                  }
                  if (delegate.revoked_at) return delegate;
                  delegate.revoked_at = clock_.now();
                  batch.puts.push_back({key, encode(delegate)});
                  return delegate;
                });
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
    if (!stored) return no_delegate(id);
    auto delegate = TRY(decode_delegate(key, *stored));
    delegate.epoch += 1;
    batch.puts.push_back({key, encode(delegate)});
    if (which == Which::kAll) TRY(forget_lasting(realm, id, batch));
    if (!replacement) return {};
    const TokenRecord record{.realm = realm,
                             .delegate = id,
                             .kind = TokenKind::kLasting,
                             .expires_at = std::nullopt,
                             .epoch = delegate.epoch,
                             .used = false};
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
  const auto hash = TRY(Token::parse(refresh_token)).hash();
  const auto key = token_key(hash);
  const auto change = [&](const auto& stored, Batch& batch) -> Result<CreatedDelegate> {
    auto record = TRY(known_token(stored));
    if (record.kind != TokenKind::kRefresh) {
      return fail(Code::kInvalidToken, "this is an access token; a refresh token is needed here");
    }
    auto chain = TRY(chain_of(record.realm, record.delegate));
    const auto& delegate = *chain.front();
    if (record.epoch != delegate.epoch) {
      return fail(Code::kInvalidToken, "the token is void: this delegate's tokens were replaced");
    }
    if (record.used) {
      // Committed by itself, and before the failure is returned: nothing of this batch will be.
      TRY(void_tokens(record.realm, record.delegate, Which::kIssued, std::nullopt));
      return fail(Code::kTokenReplayed,
                  "this refresh token was used before, so somebody else may have it: all tokens of "
                  "the delegate are void now; ask whoever made it for another");
    }
    if (record.expires_at && *record.expires_at <= clock_.now()) {
      return fail(Code::kTokenExpired,
                  "the refresh token has expired; ask whoever made the delegate for another");
    }
    TRY(session_for(chain, generation_.load()));
    // Nobody may void the tokens in between: the new ones would be of an old epoch.
    batch.conditions.push_back({delegate_key(delegate.realm, delegate.id), encode(delegate)});
    // Kept, not deleted: a second use must be recognised as one.
    record.used = true;
    batch.puts.push_back({key, encode(record)});
    return CreatedDelegate{delegate, add_tokens(batch, delegate)};
  };
  return update(kv_, key, "the token", change);
}

Result<IssuedTokens> Delegates::issue(const Delegate& delegate) {
  Batch batch;
  auto tokens = add_tokens(batch, delegate);
  TRY(kv_.commit(std::move(batch)));
  return tokens;
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

Result<std::uint64_t> Delegates::remove_all(const RealmId& realm) {
  // Tokens first: a token without a delegate is good for nothing, and one that is left is found
  // again by its realm.
  Batch batch;
  TRY(scan_records(kv_, all_tokens(), [&](ByteView key, ByteView value) -> Result<void> {
    const auto token = decode_token(value);
    if (token && token->realm == realm) batch.deletes.emplace_back(key);
    return {};
  }));
  if (!batch.deletes.empty()) TRY(kv_.commit(std::move(batch)));
  const auto count = TRY(delete_ranges(kv_, {{delegates(realm)}}));
  TRY(delete_ranges(kv_, {{KeyRange::prefix("c" + Bytes(realm.bytes()))}}));
  return count;
}

Result<std::uint64_t> Delegates::forget_expired() {
  const auto now = clock_.now();
  Batch batch;
  TRY(kv_.scan(all_tokens(), Direction::kForward, [&](ByteView key, ByteView value) {
    auto token = decode_token(value);
    // A damaged token record is left for fsck.
    if (token && token->expires_at && *token->expires_at <= now) batch.deletes.emplace_back(key);
    return Scan::kContinue;
  }));
  const auto count = batch.deletes.size();
  if (count > 0) TRY(kv_.commit(std::move(batch)));
  return count;
}

Result<std::vector<FrozenScope>> Delegates::frozen_scopes(const RealmId& realm) const {
  const auto now = clock_.now();
  std::map<DelegateId, Delegate> all;
  TRY(scan_records(kv_, delegates(realm), [&](ByteView key, ByteView value) -> Result<void> {
    auto delegate = TRY(decode_delegate(key, value));
    all.emplace(delegate.id, std::move(delegate));
    return {};
  }));
  auto can_act = [&](const Delegate& delegate) {
    std::optional<DelegateId> next = delegate.id;
    while (next) {
      // A delegate whose parent is missing cannot act.
      const auto found = all.find(*next);
      if (found == all.end() || !check_usable(found->second, true, now)) return false;
      next = found->second.parent;
    }
    return true;
  };
  std::vector<FrozenScope> out;
  for (const auto& [id, delegate] : all) {
    if (!delegate.scope || !can_act(delegate)) continue;
    for (const auto& root : *delegate.scope) {
      if (const auto* frozen = std::get_if<FrozenRoot>(&root))
        out.push_back({id, delegate.name, frozen->key});
    }
  }
  return out;
}

Result<std::vector<NodeKey>> Delegates::frozen_roots(const RealmId& realm) const {
  std::vector<NodeKey> out;
  for (const auto& scope : TRY(frozen_scopes(realm))) out.push_back(scope.root);
  return out;
}

}  // namespace cairn
