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

Delegates::Delegates(KeyValueStore& kv, const Clock& clock, Random& random, DelegateOptions options)
    : kv_(kv), clock_(clock), random_(random), options_(options), uses_(kv, clock) {
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
  const auto stands = standing(token, session->who());
  if (!stands.good) {
    return fail(Code::kInvalidToken, "the token is void: this delegate's tokens were replaced");
  }
  session->token = hash;
  session->client = std::move(token.client);
  session->audience = std::move(token.audience);
  for (const auto& end : {token.expires_at, stands.until}) {
    if (end) session->valid_until = std::min(session->valid_until.value_or(*end), *end);
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

Result<void> Delegates::check_unchanged(const Session& session) const {
  if (is_current(session)) return {};
  // Without its stand-ins: what these see of it does not change.
  const auto now = session.token ? TRY(session_of(*session.token))
                                 : TRY(act_as(session.realm, session.answers_for()));
  if (now->rights == Rights::of(std::span(session.chain).subspan(session.stand_ins))) return {};
  return fail(Code::kForbidden, "your rights were changed meanwhile; begin again");
}

Result<SessionPtr> Delegates::as_now(const SessionPtr& session) const {
  if (is_current(*session)) return session;
  auto now = session->token ? TRY(session_of(*session->token))
                            : TRY(act_as(session->realm, session->answers_for()));
  for (auto i = session->stand_ins; i > 0; --i) {
    const auto& stand_in = *session->chain[i - 1];
    now = confined(*now, std::get<Place>(stand_in.scope->front()), stand_in.id);
  }
  return now;
}

Result<SessionPtr> Delegates::session_of(const Digest& hash) const {
  const auto generation = generation_.load();
  const auto now = clock_.now();
  {
    auto sessions = sessions_.lock();
    auto found = sessions->find(hash);
    if (found != sessions->end() && found->second.generation == generation) {
      auto& [session, checked_at, noted] = found->second;
      // Time passes without a write, so the generation does not tell.
      if (!session->valid_until || *session->valid_until > now) {
        if (now - noted >= DelegateUses::kGrain) {
          noted = now;
          uses_.note(session->realm, session->who().id);
        }
        return session;
      }
    }
  }
  auto session = TRY(verify(hash));
  uses_.note(session->realm, session->who().id);
  auto sessions = sessions_.lock();
  // Rarely full, and everything in it can be read again.
  if (sessions->size() >= kMaxCached) sessions->clear();
  sessions->insert_or_assign(hash, Cached{session, generation, now});
  return session;
}

Result<SessionPtr> Delegates::act_as(const RealmId& realm, const DelegateId& delegate) const {
  const auto generation = generation_.load();
  return session_for(TRY(chain_of(realm, delegate)), generation);
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
  TRY(uses_.remove_all(realm));
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
