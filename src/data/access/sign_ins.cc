#include "data/access/sign_ins.h"

#include <algorithm>
#include <utility>

#include "base/base32.h"
#include "base/base64.h"
#include "base/quote.h"
#include "data/realm/records.h"
#include "data/store/update.h"

namespace cairn {
namespace {

//   s realm sign-in   a sign-in
//   j hash            a link, by the hash of its ticket
constexpr char kVersion = 1;
constexpr std::string_view kPrefix = "sgn_";
// With the realm and the id: no padding in base64.
constexpr std::size_t kSecretBytes = 34;
constexpr std::size_t kCookieBytes = 16 + SignInId::kBytes + kSecretBytes;
constexpr std::size_t kTicketBytes = 20;
constexpr std::size_t kCsrfBytes = 20;
constexpr std::size_t kMaxAddressBytes = 60;
// The store learns of uses that are further apart.
constexpr std::chrono::minutes kCoarse{10};

Bytes record_key(const RealmId& realm, const SignInId& id) {
  return Bytes("s").append(realm.bytes()).append(id.bytes());
}
KeyRange all_of(const RealmId& realm) { return KeyRange::prefix(Bytes("s").append(realm.bytes())); }
Bytes link_key(std::string_view ticket) {
  const auto hash = sha256(ticket);
  return Bytes("j").append(reinterpret_cast<const char*>(hash.data()), hash.size());
}

ByteView view(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// What a sign-in rests on. Another password or role is another.
Bytes standing_of(const User& user) {
  auto text = user.password;
  text.push_back('\0');
  text.push_back(static_cast<char>(user.role));
  return Bytes(view(sha256(text)).substr(0, 16));
}

std::string csrf_of(std::string_view cookie) {
  return base32_encode(view(hmac_sha256(cookie, "a form of Cairn")).substr(0, kCsrfBytes));
}

Failure signed_out() {
  return fail(Code::kInvalidToken, "you are not signed in here any more; sign in again");
}

Failure no_link() {
  return fail(
      Code::kInvalidToken,
      "the link was used already, or there never was one like it; 'cairn web' makes another");
}

Failure damaged() {
  return fail(Code::kIoError, "a sign-in in the store is damaged; run cairn fsck");
}

}  // namespace

std::string_view name(SignInBy by) {
  switch (by) {
    case SignInBy::kPassword:
      return "password";
    case SignInBy::kLink:
      return "link";
    case SignInBy::kProvider:
      return "provider";
  }
  return "";
}

Result<SignInId> SignInId::parse(std::string_view text) {
  if (text.starts_with(kPrefix)) {
    if (auto bytes = base32_decode(text.substr(kPrefix.size()), kBytes)) {
      return SignInId(*std::move(bytes));
    }
  }
  return fail(Code::kInvalidKey, "'{}' is no sign-in's id, which begins with {}", shown(text),
              kPrefix);
}

std::string SignInId::render() const { return std::string(kPrefix) + base32_encode(bytes_); }

Bytes SignIns::encode(const Record& record) {
  const auto& sign_in = record.sign_in;
  Bytes out(1, kVersion);
  out.push_back(static_cast<char>(sign_in.by));
  out.append(view(record.secret));
  put_text(out, record.under);
  put_text(out, sign_in.from.address);
  put_text(out, sign_in.from.agent);
  put_varint(out, static_cast<std::uint64_t>(sign_in.opened_at));
  put_varint(out, static_cast<std::uint64_t>(sign_in.used_at));
  return out;
}

Result<SignIns::Record> SignIns::decode(ByteView key, ByteView value) {
  constexpr std::size_t kRealmBytes = 16;
  if (key.size() != 1 + kRealmBytes + SignInId::kBytes) return damaged();
  ByteReader in(value);
  const auto version = in.byte();
  const auto by = in.byte();
  const auto secret = in.take(sizeof(Digest));
  Record out{.sign_in = {.id = SignInId::from_bytes(key.substr(1 + kRealmBytes)),
                         .realm = RealmId::from_bytes(key.substr(1, kRealmBytes)),
                         .by = static_cast<SignInBy>(by),
                         .from = {}},
             .secret = {},
             .under = {}};
  out.under = in.text();
  out.sign_in.from.address = in.text();
  out.sign_in.from.agent = in.text();
  out.sign_in.opened_at = static_cast<Millis>(in.varint());
  out.sign_in.used_at = static_cast<Millis>(in.varint());
  if (version != kVersion || in.failed() || !in.at_end() || name(out.sign_in.by).empty()) {
    return damaged();
  }
  std::ranges::copy(secret, out.secret.begin());
  return out;
}

Bytes SignIns::encode(const Link& link) {
  Bytes out(1, kVersion);
  out.append(link.realm.bytes());
  put_varint(out, static_cast<std::uint64_t>(link.ends_at));
  put_text(out, link.under);
  return out;
}

Result<SignIns::Link> SignIns::decode_link(ByteView value) {
  ByteReader in(value);
  const auto version = in.byte();
  const auto realm = in.take(16);
  Link link;
  link.ends_at = static_cast<Millis>(in.varint());
  link.under = in.text();
  if (version != kVersion || in.failed() || !in.at_end()) return damaged();
  link.realm = RealmId::from_bytes(realm);
  return link;
}

Millis SignIns::last_used(ByteView key, const SignIn& sign_in) const {
  auto uses = uses_.lock();
  const auto found = uses->find(key);
  return found == uses->end() ? sign_in.used_at : std::max(sign_in.used_at, found->second);
}

Millis SignIns::end_of(const SignIn& sign_in, Millis used_at) const {
  constexpr auto kIdleMillis = std::chrono::milliseconds(kIdle).count();
  constexpr auto kLifeMillis = std::chrono::milliseconds(kLife).count();
  return std::min(used_at + kIdleMillis, sign_in.opened_at + kLifeMillis);
}

Result<SignIns::Record> SignIns::load(const RealmId& realm, const SignInId& id) const {
  const auto key = record_key(realm, id);
  const auto stored = TRY(kv_.get(key));
  if (!stored) return signed_out();
  auto record = TRY(decode(key, *stored));
  record.sign_in.used_at = last_used(key, record.sign_in);
  record.sign_in.ends_at = end_of(record.sign_in, record.sign_in.used_at);
  return record;
}

Result<void> SignIns::check(const Record& record) const {
  if (record.sign_in.ends_at <= clock_.now()) {
    return fail(Code::kTokenExpired, "you were signed in a long time ago; sign in again");
  }
  const auto user = users_.get(record.sign_in.realm);
  if (!user && user.error().code == Code::kUserNotFound) return signed_out();
  if (!user) return Failure(user.error());
  if (standing_of(*user) != record.under) {
    return fail(Code::kInvalidToken,
                "the password or the role was changed since you signed in; sign in again");
  }
  return {};
}

Result<void> SignIns::check_again(const SignIn& sign_in) const {
  return check(TRY(load(sign_in.realm, sign_in.id)));
}

Result<SignInPtr> SignIns::verify(std::string_view cookie) {
  const auto bytes = base64_decode(cookie);
  if (!bytes || bytes->size() != kCookieBytes) return signed_out();
  const ByteView all = *bytes;
  const auto realm = RealmId::from_bytes(all.substr(0, 16));
  const auto id = SignInId::from_bytes(all.substr(16, SignInId::kBytes));
  auto record = TRY(load(realm, id));
  const auto secret = sha256(all.substr(16 + SignInId::kBytes));
  if (!same_secret(view(secret), view(record.secret))) return signed_out();
  TRY(check(record));
  const auto now = clock_.now();
  if (now - record.sign_in.used_at >= std::chrono::milliseconds(kCoarse).count()) {
    uses_.lock()->insert_or_assign(record_key(realm, id), now);
    record.sign_in.used_at = now;
    record.sign_in.ends_at = end_of(record.sign_in, now);
  }
  record.sign_in.csrf = csrf_of(cookie);
  return std::make_shared<const SignIn>(std::move(record.sign_in));
}

// Without one more there are as many as there may be: whoever was away longest makes room.
Result<void> SignIns::make_room(const RealmId& realm, Batch& batch) const {
  auto all = TRY(list(realm));
  for (; all.size() >= kMaxEach; all.pop_back()) {
    batch.deletes.push_back(record_key(realm, all.back().id));
  }
  return {};
}

OpenedSignIn SignIns::add(Batch& batch, const User& user, SignInBy by, BrowserSeen from) {
  const auto now = clock_.now();
  const auto secret = random_.bytes(kSecretBytes);
  Record record{.sign_in = {.id = SignInId::make(random_),
                            .realm = user.id,
                            .by = by,
                            .from = {.address = shown(from.address, kMaxAddressBytes),
                                     .agent = shown(from.agent, kMaxAgentBytes)},
                            .opened_at = now,
                            .used_at = now},
                .secret = sha256(secret),
                .under = standing_of(user)};
  const auto key = record_key(user.id, record.sign_in.id);
  batch.conditions.push_back({key, std::nullopt});
  batch.puts.push_back({key, encode(record)});
  auto cookie =
      base64_encode(Bytes(user.id.bytes()).append(record.sign_in.id.bytes()).append(secret));
  record.sign_in.ends_at = end_of(record.sign_in, now);
  record.sign_in.csrf = csrf_of(cookie);
  return {std::move(record.sign_in), std::move(cookie)};
}

Result<OpenedSignIn> SignIns::open(const User& user, SignInBy by, BrowserSeen from) {
  Batch batch;
  TRY(make_room(user.id, batch));
  auto opened = add(batch, user, by, std::move(from));
  TRY(kv_.commit(std::move(batch)));
  return opened;
}

Result<std::vector<SignIn>> SignIns::list(const RealmId& realm) const {
  std::vector<SignIn> out;
  const auto now = clock_.now();
  TRY(scan_records(kv_, all_of(realm), [&](ByteView key, ByteView value) -> Result<void> {
    auto sign_in = TRY(decode(key, value)).sign_in;
    sign_in.used_at = last_used(key, sign_in);
    sign_in.ends_at = end_of(sign_in, sign_in.used_at);
    if (sign_in.ends_at > now) out.push_back(std::move(sign_in));
    return {};
  }));
  std::ranges::sort(out, std::greater<>(),
                    [](const SignIn& one) { return std::pair(one.used_at, one.opened_at); });
  return out;
}

Result<void> SignIns::end(const RealmId& realm, const SignInId& id) {
  const auto key = record_key(realm, id);
  return update(kv_, key, "the sign-in", [&](const auto& stored, Batch& batch) -> Result<void> {
    if (!stored) return fail(Code::kNotFound, "there is no sign-in {} of yours", id.render());
    batch.deletes.push_back(key);
    batch.growth = Growth::kFrees;
    return {};
  });
}

Result<std::uint64_t> SignIns::end_others(const RealmId& realm,
                                          const std::optional<SignInId>& kept) {
  Batch batch;
  batch.growth = Growth::kFrees;
  const auto spared = kept ? record_key(realm, *kept) : Bytes();
  TRY(scan_records(kv_, all_of(realm), [&](ByteView key, ByteView) -> Result<void> {
    if (key != spared) batch.deletes.emplace_back(key);
    return {};
  }));
  const auto count = batch.deletes.size();
  if (count > 0) TRY(kv_.commit(std::move(batch)));
  return count;
}

Result<void> SignIns::keep(const SignIn& sign_in) {
  const auto key = record_key(sign_in.realm, sign_in.id);
  const auto user = TRY(users_.get(sign_in.realm));
  return update(kv_, key, "the sign-in", [&](const auto& stored, Batch& batch) -> Result<void> {
    if (!stored) return signed_out();
    auto record = TRY(decode(key, *stored));
    record.under = standing_of(user);
    batch.puts.push_back({key, encode(record)});
    return {};
  });
}

Result<SignInLink> SignIns::make_link(const RealmId& realm) {
  const auto user = TRY(users_.get(realm));
  SignInLink out{.ticket = base32_encode(random_.bytes(kTicketBytes)),
                 .ends_at = clock_.now() + std::chrono::milliseconds(kLinkLife).count()};
  Batch batch;
  batch.puts.push_back(
      {link_key(out.ticket),
       encode(Link{.realm = realm, .ends_at = out.ends_at, .under = standing_of(user)})});
  TRY(kv_.commit(std::move(batch)));
  return out;
}

Result<OpenedSignIn> SignIns::redeem(std::string_view ticket, BrowserSeen from) {
  // People type it, too.
  const auto plain = base32_normalise(ticket);
  if (!plain) return no_link();
  const auto key = link_key(*plain);
  return update(kv_, key, "the link",
                [&](const auto& stored, Batch& batch) -> Result<OpenedSignIn> {
                  if (!stored) return no_link();
                  const auto link = TRY(decode_link(*stored));
                  if (link.ends_at <= clock_.now()) {
                    return fail(Code::kTokenExpired,
                                "the link was good for ten minutes; 'cairn web' makes another");
                  }
                  const auto user = users_.get(link.realm);
                  if (!user || standing_of(*user) != link.under) return no_link();
                  TRY(make_room(link.realm, batch));
                  batch.deletes.push_back(key);
                  return add(batch, *user, SignInBy::kLink, from);
                });
}

Result<void> SignIns::write_uses() {
  auto uses = std::exchange(*uses_.lock(), {});
  for (const auto& [key, used_at] : uses) {
    TRY(update(kv_, key, "the sign-in", [&](const auto& stored, Batch& batch) -> Result<void> {
      if (!stored) return {};
      auto record = TRY(decode(key, *stored));
      if (record.sign_in.used_at >= used_at) return {};
      record.sign_in.used_at = used_at;
      batch.durability = Durability::kBuffered;
      batch.puts.push_back({key, encode(record)});
      return {};
    }));
  }
  return {};
}

Result<std::uint64_t> SignIns::forget_expired() {
  TRY(write_uses());
  const auto now = clock_.now();
  Batch batch;
  TRY(kv_.scan(KeyRange::prefix("s"), Direction::kForward, [&](ByteView key, ByteView value) {
    const auto record = decode(key, value);
    // A damaged one is left for fsck.
    if (record && end_of(record->sign_in, last_used(key, record->sign_in)) <= now) {
      batch.deletes.emplace_back(key);
    }
    return Scan::kContinue;
  }));
  TRY(kv_.scan(KeyRange::prefix("j"), Direction::kForward, [&](ByteView key, ByteView value) {
    const auto link = decode_link(value);
    if (link && link->ends_at <= now) batch.deletes.emplace_back(key);
    return Scan::kContinue;
  }));
  const auto count = batch.deletes.size();
  if (count > 0) TRY(kv_.commit(std::move(batch)));
  return count;
}

}  // namespace cairn
