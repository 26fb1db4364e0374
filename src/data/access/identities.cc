#include "data/access/identities.h"

#include <algorithm>

#include "base/quote.h"
#include "base/sha256.h"
#include "data/store/update.h"

namespace cairn {
namespace {

constexpr char kVersion = 1;
constexpr std::size_t kHashBytes = 32;

Bytes hash_of(std::string_view issuer, std::string_view subject) {
  Bytes both;
  put_text(both, issuer);
  put_text(both, subject);
  const auto digest = sha256(both);
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Bytes encode(const Identity& identity) {
  Bytes out(1, kVersion);
  out += identity.user.bytes();
  put_text(out, identity.issuer);
  put_text(out, identity.subject);
  put_text(out, identity.email);
  put_varint(out, static_cast<std::uint64_t>(identity.linked_at));
  return out;
}

Result<Identity> decode(ByteView value) {
  ByteReader in(value);
  const auto version = in.byte();
  const auto user = in.take(16);
  Identity out;
  out.issuer = in.text();
  out.subject = in.text();
  out.email = in.text();
  out.linked_at = static_cast<Millis>(in.varint());
  if (version != kVersion || in.failed() || !in.at_end()) {
    return fail(Code::kIoError,
                "the record of a provider's identity in the store is damaged; run cairn fsck");
  }
  out.user = RealmId::from_bytes(user);
  return out;
}

Failure somebodys(std::string_view subject) {
  return fail(Code::kNameTaken, "'{}' at this provider is another user already", shown(subject));
}

}  // namespace

namespace identity_records {

Bytes list_key(const RealmId& user) { return "P" + Bytes(user.bytes()); }
Bytes key(ByteView hash) { return "I" + Bytes(hash); }

std::vector<Bytes> hashes(ByteView list) {
  std::vector<Bytes> out;
  for (; list.size() >= kHashBytes; list.remove_prefix(kHashBytes)) {
    out.emplace_back(list.substr(0, kHashBytes));
  }
  return out;
}

}  // namespace identity_records

using identity_records::hashes;
using identity_records::key;
using identity_records::list_key;

Result<std::optional<Identity>> Identities::find(std::string_view issuer,
                                                 std::string_view subject) const {
  const auto value = TRY(kv_.get(key(hash_of(issuer, subject))));
  if (!value) return std::optional<Identity>();
  return TRY(decode(*value));
}

Result<std::vector<Identity>> Identities::of(const RealmId& user) const {
  std::vector<Identity> out;
  const auto list = TRY(kv_.get(list_key(user)));
  for (const auto& hash : hashes(list.value_or(Bytes()))) {
    if (const auto value = TRY(kv_.get(key(hash)))) out.push_back(TRY(decode(*value)));
  }
  return out;
}

Result<User> Identities::add_user(std::string_view name, Role role, std::string_view issuer,
                                  std::string_view subject, std::string_view email) {
  const auto hash = hash_of(issuer, subject);
  auto made = users_.add(name, role, std::nullopt, [&](const User& user, Batch& batch) {
    batch.conditions.push_back({key(hash), std::nullopt});
    batch.puts.push_back({key(hash), encode({.issuer = std::string(issuer),
                                             .subject = std::string(subject),
                                             .user = user.id,
                                             .email = std::string(email),
                                             .linked_at = clock_.now()})});
    batch.puts.push_back({list_key(user.id), hash});
  });
  // Two conditions can fail: that of the name, and that nobody has the identity.
  if (!made && made.error().code == Code::kUserExists && TRY(kv_.get(key(hash)))) {
    return somebodys(subject);
  }
  return made;
}

Result<Identity> Identities::link(const RealmId& user, std::string_view issuer,
                                  std::string_view subject, std::string_view email) {
  const auto hash = hash_of(issuer, subject);
  return update(kv_, list_key(user), "the user " + user.render(),
                [&](const auto& list, Batch& batch) -> Result<Identity> {
                  // A user that is removed meanwhile changes the list, or has none.
                  TRY(users_.get(user));
                  auto known = hashes(list.value_or(Bytes()));
                  if (const auto there = TRY(find(issuer, subject))) {
                    if (there->user == user) return *there;
                    return somebodys(subject);
                  }
                  if (known.size() >= kMaxEach) {
                    return fail(Code::kTooManyEntries,
                                "the user {} has {} identities at providers; remove one first",
                                user.render(), kMaxEach);
                  }
                  const Identity made{.issuer = std::string(issuer),
                                      .subject = std::string(subject),
                                      .user = user,
                                      .email = std::string(email),
                                      .linked_at = clock_.now()};
                  TRY(users_.require(user, batch));
                  batch.conditions.push_back({key(hash), std::nullopt});
                  batch.puts.push_back({key(hash), encode(made)});
                  batch.puts.push_back({list_key(user), list.value_or(Bytes()) + hash});
                  return made;
                });
}

Result<bool> Identities::unlink(std::string_view issuer, std::string_view subject) {
  const auto hash = hash_of(issuer, subject);
  return update(kv_, key(hash), "the identity",
                [&](const auto& stored, Batch& batch) -> Result<bool> {
                  if (!stored) return false;
                  const auto user = TRY(decode(*stored)).user;
                  const auto list = TRY(kv_.get(list_key(user)));
                  batch.conditions.push_back({list_key(user), list});
                  Bytes left;
                  for (const auto& one : hashes(list.value_or(Bytes()))) {
                    if (one != hash) left += one;
                  }
                  batch.deletes.push_back(key(hash));
                  if (left.empty()) {
                    batch.deletes.push_back(list_key(user));
                  } else {
                    batch.puts.push_back({list_key(user), left});
                  }
                  return true;
                });
}

Result<void> Identities::set_email(const Identity& identity, std::string_view email) {
  const auto at = key(hash_of(identity.issuer, identity.subject));
  return update(kv_, at, "the identity", [&](const auto& stored, Batch& batch) -> Result<void> {
    if (!stored) return {};
    auto now = TRY(decode(*stored));
    if (now.email == email) return {};
    now.email = email;
    batch.puts.push_back({at, encode(now)});
    return {};
  });
}

}  // namespace cairn
