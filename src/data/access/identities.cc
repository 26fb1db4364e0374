#include "data/access/identities.h"

#include <algorithm>

#include "base/quote.h"
#include "base/sha256.h"
#include "data/access/user_records.h"
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

Failure name_taken(std::string_view name) {
  return fail(Code::kUserExists, "there is a user {} already", name);
}

Failure no_user(const RealmId& id) {
  return fail(Code::kUserNotFound, "there is no user {}", id.render());
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

Result<std::optional<Identity>> Identities::find(std::string_view issuer,
                                                 std::string_view subject) const {
  const auto value = TRY(kv_.get(identity_records::key(hash_of(issuer, subject))));
  if (!value) return std::optional<Identity>();
  return TRY(decode(*value));
}

Result<std::vector<Identity>> Identities::of(const RealmId& user) const {
  std::vector<Identity> out;
  const auto list = TRY(kv_.get(identity_records::list_key(user)));
  for (const auto& hash : identity_records::hashes(list.value_or(Bytes()))) {
    if (const auto value = TRY(kv_.get(identity_records::key(hash))))
      out.push_back(TRY(decode(*value)));
  }
  return out;
}

Result<User> Identities::add_user(std::string_view name, Role role, std::string_view issuer,
                                  std::string_view subject, std::string_view email) {
  TRY(user_records::check_name(name));
  // Reserved for the first user.
  if (name == Users::kOwner) return name_taken(name);
  const auto hash = hash_of(issuer, subject);
  const User user{.id = RealmId::make(clock_, random_),
                  .name = std::string(name),
                  .role = role,
                  .password = {},
                  .created_at = clock_.now()};
  const auto user_key = user_records::key(user.id);
  const auto name_key = user_records::name_key(name);
  Batch batch;
  for (const auto& absent : {user_key, name_key, identity_records::key(hash)}) {
    batch.conditions.push_back({absent, std::nullopt});
  }
  batch.puts.push_back({user_key, user_records::encode(user)});
  batch.puts.push_back({name_key, Bytes(user.id.bytes())});
  batch.puts.push_back({identity_records::key(hash), encode({.issuer = std::string(issuer),
                                                             .subject = std::string(subject),
                                                             .user = user.id,
                                                             .email = std::string(email),
                                                             .linked_at = clock_.now()})});
  batch.puts.push_back({identity_records::list_key(user.id), hash});
  auto done = kv_.commit(std::move(batch));
  if (done) return user;
  if (done.error().code != Code::kConflict) return Failure(std::move(done).error());
  if (TRY(kv_.get(identity_records::key(hash)))) return somebodys(subject);
  return name_taken(name);
}

Result<Identity> Identities::link(const RealmId& user, std::string_view issuer,
                                  std::string_view subject, std::string_view email) {
  const auto hash = hash_of(issuer, subject);
  return update(
      kv_, identity_records::list_key(user), "the user " + user.render(),
      [&](const auto& list, Batch& batch) -> Result<Identity> {
        const auto stored = TRY(kv_.get(user_records::key(user)));
        if (!stored) return no_user(user);
        auto known = identity_records::hashes(list.value_or(Bytes()));
        if (const auto there = TRY(find(issuer, subject))) {
          if (there->user == user) return *there;
          return somebodys(subject);
        }
        if (known.size() >= kMaxEach) {
          return fail(Code::kTooManyEntries,
                      "the user {} has {} identities at providers; remove one first", user.render(),
                      kMaxEach);
        }
        const Identity made{.issuer = std::string(issuer),
                            .subject = std::string(subject),
                            .user = user,
                            .email = std::string(email),
                            .linked_at = clock_.now()};
        // It may be removed meanwhile.
        batch.conditions.push_back({user_records::key(user), stored});
        batch.conditions.push_back({identity_records::key(hash), std::nullopt});
        batch.puts.push_back({identity_records::key(hash), encode(made)});
        batch.puts.push_back({identity_records::list_key(user), list.value_or(Bytes()) + hash});
        return made;
      });
}

Result<void> Identities::set(const RealmId& user,
                             const std::vector<std::pair<std::string, std::string>>& wanted) {
  if (wanted.size() > kMaxEach) {
    return fail(Code::kTooManyEntries, "{} identities are wanted; a user has {} at most",
                wanted.size(), kMaxEach);
  }
  for (const auto& [issuer, subject] : wanted) {
    if (issuer.empty() || issuer.size() > kMaxIssuerBytes || subject.empty() ||
        subject.size() > kMaxSubjectBytes) {
      return fail(Code::kInvalidArgument,
                  "an identity should have an issuer of 1 to {} bytes and a subject of 1 to {}",
                  kMaxIssuerBytes, kMaxSubjectBytes);
    }
    const auto known = TRY(find(issuer, subject));
    if (known && known->user != user) return somebodys(subject);
  }
  for (const auto& one : TRY(of(user))) {
    const std::pair same{one.issuer, one.subject};
    if (std::ranges::find(wanted, same) == wanted.end()) TRY(unlink(one.issuer, one.subject));
  }
  for (const auto& [issuer, subject] : wanted) TRY(link(user, issuer, subject, ""));
  return {};
}

Result<bool> Identities::unlink(std::string_view issuer, std::string_view subject) {
  const auto hash = hash_of(issuer, subject);
  return update(kv_, identity_records::key(hash), "the identity",
                [&](const auto& stored, Batch& batch) -> Result<bool> {
                  if (!stored) return false;
                  const auto user = TRY(decode(*stored)).user;
                  const auto list = TRY(kv_.get(identity_records::list_key(user)));
                  batch.conditions.push_back({identity_records::list_key(user), list});
                  Bytes left;
                  for (const auto& one : identity_records::hashes(list.value_or(Bytes()))) {
                    if (one != hash) left += one;
                  }
                  batch.deletes.push_back(identity_records::key(hash));
                  if (left.empty()) {
                    batch.deletes.push_back(identity_records::list_key(user));
                  } else {
                    batch.puts.push_back({identity_records::list_key(user), left});
                  }
                  return true;
                });
}

Result<void> Identities::set_email(const Identity& identity, std::string_view email) {
  const auto at = identity_records::key(hash_of(identity.issuer, identity.subject));
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
