#include "data/access/delegate_uses.h"

#include <algorithm>

#include "data/realm/remove_realm.h"

namespace cairn {
namespace {

Bytes use_key(const RealmId& realm, const DelegateId& delegate) {
  return "U" + Bytes(realm.bytes()) + Bytes(delegate.bytes());
}

// Damage is as if nothing was known: rights do not hang on it.
std::optional<Millis> decode(const std::optional<Bytes>& value) {
  if (!value) return std::nullopt;
  ByteReader in(*value);
  const auto time = static_cast<Millis>(in.varint());
  if (in.failed() || !in.at_end()) return std::nullopt;
  return time;
}

}  // namespace

void DelegateUses::note(const RealmId& realm, const DelegateId& delegate) {
  const auto now = clock_.now();
  noted_.lock()->insert_or_assign({realm, delegate}, now - now % kGrain);
}

Result<std::optional<Millis>> DelegateUses::last(const RealmId& realm,
                                                 const DelegateId& delegate) const {
  auto out = decode(TRY(kv_.get(use_key(realm, delegate))));
  auto noted = noted_.lock();
  const auto found = noted->find({realm, delegate});
  if (found != noted->end()) out = std::max(out.value_or(found->second), found->second);
  return out;
}

Result<void> DelegateUses::keep() {
  // Copied, and still there while it is written: who asks meanwhile finds it.
  const auto noted = *noted_.lock();
  if (noted.empty()) return {};
  Batch batch;
  for (const auto& [who, time] : noted) {
    Bytes value;
    put_varint(value, static_cast<std::uint64_t>(time));
    batch.puts.push_back({use_key(who.first, who.second), std::move(value)});
  }
  TRY(kv_.commit(std::move(batch)));
  auto left = noted_.lock();
  for (const auto& [who, time] : noted) {
    const auto found = left->find(who);
    if (found != left->end() && found->second == time) left->erase(found);
  }
  return {};
}

Result<void> DelegateUses::remove_all(const RealmId& realm) {
  std::erase_if(*noted_.lock(), [&](const auto& one) { return one.first.first == realm; });
  TRY(delete_ranges(kv_, {{KeyRange::prefix("U" + Bytes(realm.bytes()))}}));
  return {};
}

}  // namespace cairn
