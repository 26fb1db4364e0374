#include "data/oauth/grants.h"

#include <algorithm>

#include "base/quote.h"
#include "data/oauth/record.h"
#include "data/realm/records.h"
#include "data/store/update.h"
#include "data/tree/path.h"

namespace cairn::oauth {
namespace {

constexpr Millis kMonth = Millis{30} * 24 * 3600 * 1000;

Bytes grant_key(const RealmId& realm, const DelegateId& delegate) {
  return "Og" + Bytes(realm.bytes()) + Bytes(delegate.bytes());
}
Bytes index_key(const RealmId& realm, std::string_view client, std::string_view resource) {
  return "Oi" + Bytes(realm.bytes()) + short_hash(fmt::format("{}\n{}", client, resource));
}
KeyRange grants_of(const RealmId& realm) { return KeyRange::prefix("Og" + Bytes(realm.bytes())); }

Bytes encode(const Grant& grant) {
  json::Object out{{"client", grant.client_id},     {"name", grant.client_name},
                   {"host", grant.client_host},     {"redirect", grant.redirect_place},
                   {"resource", grant.resource},    {"scopes", grant.scopes.render()},
                   {"createdAt", grant.created_at}, {"grantedAt", grant.granted_at},
                   {"address", grant.address}};
  if (grant.used_at) out["usedAt"] = *grant.used_at;
  if (grant.replayed_at) out["replayedAt"] = *grant.replayed_at;
  return write_record(out);
}

Result<Grant> decode(ByteView key, ByteView value) {
  const auto record = TRY(read_record(value, "a grant"));
  Grant out;
  out.realm = RealmId::from_bytes(key.substr(2, 16));
  out.delegate = DelegateId::from_bytes(key.substr(18));
  out.client_id = text_of(record, "client");
  out.client_name = text_of(record, "name");
  out.client_host = text_of(record, "host");
  out.redirect_place = text_of(record, "redirect");
  out.resource = text_of(record, "resource");
  out.scopes = parse_scopes(text_of(record, "scopes")).value_or(Scopes{});
  out.created_at = number_of(record, "createdAt");
  out.granted_at = number_of(record, "grantedAt");
  out.used_at = maybe_number_of(record, "usedAt");
  out.address = text_of(record, "address");
  out.replayed_at = maybe_number_of(record, "replayedAt");
  return out;
}

}  // namespace

Result<std::optional<Grant>> Grants::of_delegate(const RealmId& realm,
                                                 const DelegateId& delegate) const {
  const auto key = grant_key(realm, delegate);
  const auto value = TRY(kv_.get(key));
  if (!value) return std::nullopt;
  return TRY(decode(key, *value));
}

Result<std::optional<Grant>> Grants::find(const RealmId& realm, std::string_view client,
                                          std::string_view resource) const {
  const auto id = TRY(kv_.get(index_key(realm, client, resource)));
  if (!id || id->size() != 16) return std::nullopt;
  const auto delegate = DelegateId::from_bytes(*id);
  // One that has ended is not taken up again: what was below it ended too.
  if (!delegates_.act_as(realm, delegate)) return std::nullopt;
  return of_delegate(realm, delegate);
}

Result<GrantPage> Grants::list(const RealmId& realm, std::size_t limit,
                               std::optional<std::string_view> cursor) const {
  auto range = grants_of(realm);
  if (cursor) {
    const auto last = TRY(parse_cursor(*cursor));
    if (last.size() != 16)
      return fail(Code::kInvalidCursor, "'{}' is not a cursor", shown(*cursor));
    range.begin = grant_key(realm, DelegateId::from_bytes(last)) + '\0';
  }
  GrantPage page;
  std::optional<Error> error;
  TRY(kv_.scan(range, Direction::kForward, [&](ByteView key, ByteView value) {
    if (page.grants.size() == limit) {
      page.next_cursor = render_cursor(page.grants.back().delegate.bytes());
      return Scan::kStop;
    }
    auto grant = decode(key, value);
    if (!grant) {
      error = std::move(grant).error();
      return Scan::kStop;
    }
    page.grants.push_back(*std::move(grant));
    return Scan::kContinue;
  }));
  if (error) return Failure(std::move(*error));
  return page;
}

Result<Grant> Grants::revoke(const Session& caller, const DelegateId& id) {
  auto grant = TRY(of_delegate(caller.realm, id));
  if (!grant) {
    return fail(Code::kNotFound, "{} is no grant of yours; list_grants shows them", id.render());
  }
  TRY(delegates_.revoke(caller, id));
  return *std::move(grant);
}

Result<void> Grants::put(Batch& batch, const Grant& grant) const {
  const auto index = index_key(grant.realm, grant.client_id, grant.resource);
  const auto stored = TRY(kv_.get(index));
  batch.conditions.push_back({index, stored});
  batch.puts.push_back({index, Bytes(grant.delegate.bytes())});
  batch.puts.push_back({grant_key(grant.realm, grant.delegate), encode(grant)});
  if (stored) return {};
  std::size_t count = 0;
  TRY(kv_.scan(grants_of(grant.realm), Direction::kForward, [&](ByteView, ByteView) {
    return ++count < kMostEach ? Scan::kContinue : Scan::kStop;
  }));
  if (count < kMostEach) return {};
  return fail(Code::kTooManyEntries, "there are {} grants already; revoke some first", count);
}

void Grants::note_use(const Grant& grant, Millis now, std::string_view address) const {
  const auto key = grant_key(grant.realm, grant.delegate);
  (void)update(kv_, key, "the grant", [&](const auto& stored, Batch& batch) -> Result<void> {
    if (!stored) return {};
    auto fresh = TRY(decode(key, *stored));
    fresh.used_at = now;
    fresh.address = shown(address);
    batch.puts.push_back({key, encode(fresh)});
    batch.durability = Durability::kBuffered;
    return {};
  });
}

void Grants::note_replay(const Grant& grant, Millis now) const {
  const auto key = grant_key(grant.realm, grant.delegate);
  (void)update(kv_, key, "the grant", [&](const auto& stored, Batch& batch) -> Result<void> {
    if (!stored) return {};
    auto fresh = TRY(decode(key, *stored));
    fresh.replayed_at = now;
    batch.puts.push_back({key, encode(fresh)});
    return {};
  });
}

Result<void> Grants::remove_all(const RealmId& realm) {
  Batch batch;
  for (const auto* letters : {"Og", "Oi"}) {
    TRY(kv_.scan(KeyRange::prefix(letters + Bytes(realm.bytes())), Direction::kForward,
                 [&](ByteView key, ByteView) {
                   batch.deletes.emplace_back(key);
                   return Scan::kContinue;
                 }));
  }
  if (batch.deletes.empty()) return {};
  return kv_.commit(std::move(batch));
}

Result<void> Grants::tidy(Millis now) {
  std::vector<Grant> old;
  TRY(scan_records(kv_, KeyRange::prefix("Og"), [&](ByteView key, ByteView value) -> Result<void> {
    auto grant = decode(key, value);
    if (!grant) return {};  // left for fsck
    const auto last = std::max(grant->granted_at, grant->used_at.value_or(0));
    if (last + kMonth < now) old.push_back(*std::move(grant));
    return {};
  }));
  for (const auto& grant : old) {
    if (delegates_.act_as(grant.realm, grant.delegate)) continue;
    Batch batch;
    batch.deletes.push_back(grant_key(grant.realm, grant.delegate));
    const auto index = index_key(grant.realm, grant.client_id, grant.resource);
    const auto stored = TRY(kv_.get(index));
    if (stored == Bytes(grant.delegate.bytes())) {
      batch.conditions.push_back({index, stored});
      batch.deletes.push_back(index);
    }
    // A grant that was made anew meanwhile stays.
    (void)kv_.commit(std::move(batch));
  }
  return {};
}

}  // namespace cairn::oauth
