#include "data/access/delegate.h"

namespace cairn::access_records {
namespace {

// 2: with the time of use, client and audience.
constexpr char kTokenVersion = 2;
// 2: with directories. 3: with the kind, what is known of the key, when it was narrowed, and
// whether it sees history.
constexpr char kDelegateVersion = 3;
constexpr std::size_t kIdBytes = 16;

Bytes key(char kind, std::initializer_list<ByteView> parts) {
  Bytes out(1, kind);
  for (auto part : parts) out.append(part);
  return out;
}

void put_time(Bytes& out, std::optional<Millis> time) {
  // One more than the time, so that zero can stand for none.
  put_varint(out, time ? static_cast<std::uint64_t>(*time) + 1 : 0);
}

std::optional<Millis> take_time(ByteReader& in) {
  const auto value = in.varint();
  if (value == 0) return std::nullopt;
  return static_cast<Millis>(value - 1);
}

Failure damaged(std::string_view what) {
  return fail(Code::kIoError, "a {} record in the store is damaged; run cairn fsck", what);
}

void put_root(Bytes& out, const ScopeRoot& root) {
  if (const auto* frozen = std::get_if<FrozenRoot>(&root)) {
    out.push_back('n');
    out.append(frozen->key.bytes());
    return;
  }
  const auto& place = std::get<Place>(root);
  out.push_back('d');
  out.append(place.depot.bytes());
  put_text(out, place.path.render());
}

std::optional<ScopeRoot> take_root(ByteReader& in) {
  const auto kind = in.byte();
  if (kind == 'n') {
    auto bytes = in.take(NodeKey::kSize);
    if (in.failed()) return std::nullopt;
    return FrozenRoot{NodeKey::from_bytes(bytes)};
  }
  auto depot = in.take(kIdBytes);
  auto path = Path::parse(in.text());
  if (kind != 'd' || in.failed() || !path) return std::nullopt;
  return Place{DepotId::from_bytes(depot), std::move(*path)};
}

}  // namespace

Bytes delegate_key(const RealmId& realm, const DelegateId& delegate) {
  return key('g', {realm.bytes(), delegate.bytes()});
}

KeyRange delegates(const RealmId& realm) { return KeyRange::prefix(key('g', {realm.bytes()})); }

KeyRange all_delegates() { return KeyRange::prefix("g"); }

Bytes child_key(const RealmId& realm, const DelegateId& parent, const DelegateId& child) {
  return key('c', {realm.bytes(), parent.bytes(), child.bytes()});
}

KeyRange children(const RealmId& realm, const DelegateId& parent) {
  return KeyRange::prefix(key('c', {realm.bytes(), parent.bytes()}));
}

Bytes token_key(const Digest& hash) {
  return key('t', {{reinterpret_cast<const char*>(hash.data()), hash.size()}});
}

KeyRange all_tokens() { return KeyRange::prefix("t"); }

Bytes encode(const Delegate& delegate) {
  Bytes out(1, kDelegateVersion);
  out.push_back(delegate.parent ? 1 : 0);
  if (delegate.parent) out.append(delegate.parent->bytes());
  put_varint(out, delegate.depth);
  put_text(out, delegate.name);
  out.push_back(delegate.can_upload ? 1 : 0);
  out.push_back(delegate.can_manage_depot ? 1 : 0);
  // One more than the number: an empty list sees nothing, no list sees everything, and the two must
  // never be confused.
  put_varint(out, delegate.depots ? delegate.depots->size() + 1 : 0);
  if (delegate.depots) {
    for (const auto& depot : *delegate.depots) out.append(depot.bytes());
  }
  put_varint(out, delegate.scope ? delegate.scope->size() + 1 : 0);
  if (delegate.scope) {
    for (const auto& root : *delegate.scope) put_root(out, root);
  }
  put_time(out, delegate.expires_at);
  put_time(out, delegate.created_at);
  put_time(out, delegate.revoked_at);
  put_varint(out, delegate.epoch);
  put_grants(out, delegate.directories);
  out.push_back(static_cast<char>(delegate.kind));
  put_time(out, delegate.key_made_at);
  put_time(out, delegate.old_key_until);
  put_time(out, delegate.narrowed_at);
  put_varint(out, static_cast<std::uint64_t>(delegate.scope_at));
  out.push_back(delegate.history ? 1 : 0);
  return out;
}

Result<Delegate> decode_delegate(ByteView at, ByteView value) {
  ByteReader in(value);
  Delegate out;
  const auto version = in.byte();
  const bool known = version >= 1 && version <= kDelegateVersion;
  if (at.size() != 1 + 2 * kIdBytes || !known) return damaged("delegate");
  out.realm = RealmId::from_bytes(at.substr(1, kIdBytes));
  out.id = DelegateId::from_bytes(at.substr(1 + kIdBytes));
  if (in.byte() == 1) {
    auto parent = in.take(kIdBytes);
    if (in.failed()) return damaged("delegate");
    out.parent = DelegateId::from_bytes(parent);
  }
  out.depth = static_cast<unsigned>(in.varint());
  out.name = in.text();
  out.can_upload = in.byte() == 1;
  out.can_manage_depot = in.byte() == 1;
  if (auto count = in.varint(); count > 0) {
    out.depots.emplace();
    for (std::uint64_t i = 1; i < count && !in.failed(); ++i) {
      if (auto id = in.take(kIdBytes); !in.failed()) {
        out.depots->push_back(DepotId::from_bytes(id));
      }
    }
  }
  if (auto count = in.varint(); count > 0) {
    out.scope.emplace();
    for (std::uint64_t i = 1; i < count; ++i) {
      auto root = take_root(in);
      if (!root) return damaged("delegate");
      out.scope->push_back(std::move(*root));
    }
  }
  out.expires_at = take_time(in);
  out.created_at = take_time(in).value_or(0);
  out.revoked_at = take_time(in);
  out.epoch = in.varint();
  if (version > 1) out.directories = take_grants(in);
  const auto kind = version > 2 ? in.byte() : 0;
  if (kind > static_cast<std::uint8_t>(DelegateKind::kGrant)) return damaged("delegate");
  out.kind = static_cast<DelegateKind>(kind);
  if (version > 2) {
    out.key_made_at = take_time(in);
    out.old_key_until = take_time(in);
    out.narrowed_at = take_time(in);
    out.scope_at = static_cast<Millis>(in.varint());
    out.history = in.byte() == 1;
  }
  if (in.failed() || !in.at_end()) return damaged("delegate");
  return out;
}

Bytes encode(const TokenRecord& token) {
  Bytes out(1, kTokenVersion);
  out.append(token.realm.bytes());
  out.append(token.delegate.bytes());
  out.push_back(static_cast<char>(token.kind));
  put_time(out, token.expires_at);
  put_varint(out, token.epoch);
  put_time(out, token.used_at);
  put_text(out, token.client);
  put_text(out, token.audience);
  return out;
}

Result<TokenRecord> decode_token(ByteView value) {
  ByteReader in(value);
  const auto version = in.byte();
  if (version < 1 || version > kTokenVersion) return damaged("token");
  auto realm = in.take(kIdBytes);
  auto delegate = in.take(kIdBytes);
  TokenRecord out;
  const auto kind = in.byte();
  out.expires_at = take_time(in);
  out.epoch = in.varint();
  if (version == 1) {
    // Only that it was used was known, not when.
    if (in.byte() == 1) out.used_at = 0;
  } else {
    out.used_at = take_time(in);
    out.client = in.text();
    out.audience = in.text();
  }
  if (in.failed() || !in.at_end() || !std::string_view("arlk").contains(static_cast<char>(kind))) {
    return damaged("token");
  }
  out.kind = static_cast<TokenKind>(kind);
  out.realm = RealmId::from_bytes(realm);
  out.delegate = DelegateId::from_bytes(delegate);
  return out;
}

}  // namespace cairn::access_records
