// Delegates::create: a child has no more than its parent.
#include <algorithm>
#include <chrono>

#include "base/utf8.h"
#include "data/access/delegates.h"

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
  child.history = wanted.history && parent.rights.sees_history();
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

}  // namespace cairn
