// New and changed delegates: a child has no more than its parent.
#include <algorithm>
#include <chrono>

#include "base/utf8.h"
#include "data/access/delegates.h"
#include "data/store/update.h"

namespace cairn {
namespace {

using namespace access_records;

Result<void> check_display_name(std::string_view name) {
  bool printable = std::ranges::none_of(
      name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (name.size() <= Delegate::kMaxNameBytes && printable && valid_utf8(name)) return {};
  return fail(Code::kInvalidArgument,
              "the name should be at most {} bytes of UTF-8 without control characters",
              Delegate::kMaxNameBytes);
}

Result<std::optional<Millis>> expiry(const Session& parent, DelegateKind kind,
                                     std::optional<std::chrono::seconds> expires_in, Millis now) {
  const bool key = kind == DelegateKind::kKey;
  if (key && expires_in && *expires_in > kMaxKeyLifetime) {
    return fail(Code::kInvalidArgument,
                "expiresIn is {} seconds; a key lives at most {} days ({} seconds), and can be "
                "replaced before it ends",
                expires_in->count(), kMaxKeyLifetime / std::chrono::hours(24),
                kMaxKeyLifetime.count());
  }
  // The nearest expiry above bounds the child's.
  std::optional<Millis> bound;
  for (const auto& above : parent.chain) {
    if (above->expires_at) bound = std::min(bound.value_or(*above->expires_at), *above->expires_at);
  }
  if (!expires_in && key) {
    const auto end = now + std::chrono::milliseconds(kKeyLifetime).count();
    return std::min(bound.value_or(end), end);
  }
  if (!expires_in) return bound;
  constexpr std::chrono::seconds kMost = std::chrono::hours(24 * 365 * 100);
  if (*expires_in <= std::chrono::seconds(0) || *expires_in > kMost) {
    return fail(Code::kInvalidArgument, "expiresIn is {}; it should be 1 to {} seconds",
                expires_in->count(), kMost.count());
  }
  const auto at = now + std::chrono::milliseconds(*expires_in).count();
  if (bound && at > *bound) {
    return fail(Code::kPermissionExceeded,
                "expiresIn is {} seconds, but you expire in {}; ask for less or leave it out",
                expires_in->count(), (*bound - now) / 1000);
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
  std::size_t bytes = 0;
  for (const auto& root : wanted.scope.value_or(std::vector<ScopeRoot>())) {
    const auto* place = std::get_if<Place>(&root);
    if (place == nullptr) continue;
    bytes += place->path.render().size();
    const auto around = parent.places(place->depot);
    if (std::ranges::none_of(around, [&](const Place& own) { return is_within(*place, own); })) {
      return exceeded(place->render());
    }
  }
  if (bytes > Delegate::kMaxPathBytes) {
    return fail(Code::kInvalidScope,
                "the paths of the scope take {} bytes; the most is {}: give directories instead of "
                "files",
                bytes, Delegate::kMaxPathBytes);
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

}  // namespace

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

namespace {

Result<void> check_given(const Rights& parent, const NewDelegate& wanted) {
  TRY(check_display_name(wanted.name));
  if (wanted.can_upload && !parent.can_upload()) return exceeded("canUpload");
  if (wanted.can_manage_depot && !parent.can_manage_depot()) return exceeded("canManageDepot");
  return check_within(parent, wanted);
}

// A collector at work spares what the delegate is to see.
void require_scope(const Delegate& delegate, Batch& batch) {
  batch.realm = delegate.realm;
  for (const auto& root : delegate.scope.value_or(std::vector<ScopeRoot>())) {
    if (const auto* frozen = std::get_if<FrozenRoot>(&root)) batch.required.push_back(frozen->key);
  }
}

// When a scope is given now: after all above were last narrowed.
Millis given_at(const Session& parent, Millis now) {
  return std::max(now, narrowed_at(parent.chain).value_or(-1) + 1);
}

// Whether a delegate is given to see all that it was before.
bool sees_all_of(const Delegate& now, const Delegate& before) {
  if (now.depots) {
    if (!before.depots) return false;
    for (const auto& depot : *before.depots) {
      if (std::ranges::find(*now.depots, depot) == now.depots->end()) return false;
    }
  }
  if (!now.scope) return true;
  if (!before.scope) return false;
  return std::ranges::all_of(*before.scope, [&](const ScopeRoot& root) {
    return std::ranges::any_of(*now.scope, [&](const ScopeRoot& outer) {
      if (root == outer) return true;
      const auto* place = std::get_if<Place>(&root);
      const auto* around = std::get_if<Place>(&outer);
      return place != nullptr && around != nullptr && is_within(*place, *around);
    });
  });
}

}  // namespace

Result<Delegate> Delegates::add(Batch& batch, const Session& parent, NewDelegate wanted) const {
  const auto& above = parent.who();
  if (above.depth + 1 > Delegate::kMaxDepth) {
    return fail(Code::kMaxDepthExceeded,
                "you are at depth {}, and nobody can be deeper than {}; ask one above you to make "
                "the delegate",
                above.depth, Delegate::kMaxDepth);
  }
  TRY(check_given(parent.rights, wanted));
  TRY(check_room(above));
  Delegate child;
  child.id = DelegateId::make(clock_, random_);
  child.realm = parent.realm;
  child.parent = above.id;
  child.depth = above.depth + 1;
  child.name = std::move(wanted.name);
  child.kind = wanted.kind;
  child.can_upload = wanted.can_upload;
  child.can_manage_depot = wanted.can_manage_depot;
  child.depots = wanted.depots ? std::move(wanted.depots) : parent.rights.depots();
  child.scope = wanted.scope ? std::move(wanted.scope) : parent.rights.scope();
  child.directories = std::move(wanted.directories);
  child.history = wanted.history && parent.rights.sees_history();
  child.created_at = clock_.now();
  if (child.kind == DelegateKind::kKey) child.key_made_at = child.created_at;
  child.scope_at = given_at(parent, child.created_at);
  child.expires_at = TRY(expiry(parent, child.kind, wanted.expires_in, child.created_at));
  require_scope(child, batch);
  auto key = delegate_key(child.realm, child.id);
  batch.conditions.push_back({key, std::nullopt});
  batch.puts.push_back({key, encode(child)});
  batch.puts.push_back({child_key(child.realm, above.id, child.id), Bytes()});
  return child;
}

Result<CreatedDelegate> Delegates::create(const Session& parent, NewDelegate wanted) {
  Batch batch;
  auto child = TRY(add(batch, parent, std::move(wanted)));
  auto tokens = add_tokens(batch, child);
  TRY(kv_.commit(std::move(batch)));
  return CreatedDelegate{std::move(child), std::move(tokens)};
}

Result<Delegate> Delegates::change(const Session& caller, const DelegateId& id,
                                   const DelegateChange& wanted) {
  const auto key = delegate_key(caller.realm, id);
  return update(kv_, key, "the delegate " + id.render(),
                // As with revoke(): that the caller is above it has to be known too.
                [&](const auto&, Batch& batch) -> Result<Delegate> {
                  auto delegate = TRY(below(caller, id));
                  if (!delegate.parent || id == caller.who().id) {
                    return fail(Code::kForbidden,
                                "nobody changes their own rights; ask whoever made you");
                  }
                  if (delegate.revoked_at) {
                    return fail(Code::kDelegateRevoked, "the delegate {} was revoked; make another",
                                id.render());
                  }
                  const auto parent = TRY(act_as(caller.realm, *delegate.parent));
                  const auto before = delegate;
                  TRY(apply(delegate, *parent, wanted));
                  if (delegate == before) return delegate;
                  require_scope(delegate, batch);
                  batch.puts.push_back({key, encode(delegate)});
                  return delegate;
                });
}

Result<void> Delegates::apply(Delegate& delegate, const Session& parent,
                              const DelegateChange& wanted) const {
  const auto now = clock_.now();
  const auto before = delegate;
  // Only what is given is checked: the rest was, and its parent may have less by now.
  NewDelegate given;
  given.name = wanted.name.value_or(delegate.name);
  given.can_upload = wanted.can_upload.value_or(false);
  given.can_manage_depot = wanted.can_manage_depot.value_or(false);
  if (wanted.depots) given.depots = *wanted.depots;
  if (wanted.scope) given.scope = *wanted.scope;
  if (wanted.directories) given.directories = *wanted.directories;
  TRY(check_given(parent.rights, given));
  delegate.name = std::move(given.name);
  if (wanted.can_upload) delegate.can_upload = *wanted.can_upload;
  if (wanted.can_manage_depot) delegate.can_manage_depot = *wanted.can_manage_depot;
  if (wanted.depots) delegate.depots = given.depots ? given.depots : parent.rights.depots();
  if (wanted.scope) delegate.scope = given.scope ? given.scope : parent.rights.scope();
  if (wanted.directories) delegate.directories = std::move(given.directories);
  if (wanted.expires_in) {
    delegate.expires_at = TRY(expiry(parent, delegate.kind, *wanted.expires_in, now));
  }
  if (wanted.scope) delegate.scope_at = given_at(parent, now);
  if (!sees_all_of(delegate, before)) {
    // Later than whatever was given to those below, also when the clock stands still.
    delegate.narrowed_at = std::max(now, before.narrowed_at.value_or(0) + 1);
  }
  return {};
}

}  // namespace cairn
