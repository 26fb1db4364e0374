#include "data/access/users.h"

#include <algorithm>

#include <argon2.h>

#include "base/ascii.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "data/access/identities.h"
#include "data/access/user_records.h"
#include "data/store/update.h"
#include "data/tree/path.h"

namespace cairn {
namespace {

// Part of each encoded hash: changing it leaves earlier passwords valid.
constexpr std::uint32_t kPasses = 2;
constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kHashBytes = 32;

Failure taken(std::string_view name) {
  return fail(Code::kUserExists, "there is a user {} already", name);
}

Failure no_user(std::string_view who) {
  return fail(Code::kUserNotFound, "there is no user {}", shown(who));
}

}  // namespace

namespace user_records {
namespace {

// 2: with directories.
constexpr char kVersion = 2;

}  // namespace

Bytes key(const RealmId& id) { return "u" + Bytes(id.bytes()); }
Bytes name_key(std::string_view name) { return "n" + Bytes(name); }
KeyRange all() { return KeyRange::prefix("u"); }

Bytes encode(const User& user) {
  Bytes out(1, kVersion);
  put_text(out, user.name);
  out.push_back(static_cast<char>(user.role));
  put_text(out, user.password);
  put_varint(out, static_cast<std::uint64_t>(user.created_at));
  put_grants(out, user.directories);
  return out;
}

Result<User> decode(ByteView at, ByteView value) {
  ByteReader in(value);
  User user;
  const auto version = in.byte();
  const bool known = (version == 1 || version == kVersion) && at.size() == 17;
  user.name = in.text();
  const auto role = in.byte();
  user.password = in.text();
  user.created_at = static_cast<Millis>(in.varint());
  if (version > 1) user.directories = take_grants(in);
  if (!known || in.failed() || !in.at_end() || role > 2) {
    return fail(Code::kIoError, "a user record in the store is damaged; run cairn fsck");
  }
  user.id = RealmId::from_bytes(at.substr(1));
  user.role = static_cast<Role>(role);
  return user;
}

Result<void> check_name(std::string_view name) {
  const bool plain = std::ranges::all_of(
      name, [](char c) { return is_alphanumeric(c) || std::string_view("._-@+").contains(c); });
  if (!name.empty() && name.size() <= Users::kMaxNameBytes && plain) return {};
  return fail(Code::kInvalidArgument,
              "the user name '{}' should be 1 to {} letters, digits or any of . _ - @ +",
              shown(name), Users::kMaxNameBytes);
}

}  // namespace user_records

std::string_view name(Role role) {
  switch (role) {
    case Role::kUnauthorized:
      return "unauthorized";
    case Role::kAuthorized:
      return "authorized";
    case Role::kAdmin:
      return "admin";
  }
  return "";
}

Result<Role> parse_role(std::string_view text) {
  for (auto role : {Role::kUnauthorized, Role::kAuthorized, Role::kAdmin}) {
    if (name(role) == text) return role;
  }
  return fail(Code::kInvalidArgument,
              "the role '{}' should be one of unauthorized, authorized, admin", shown(text));
}

Users::Users(KeyValueStore& kv, const Clock& clock, Random& random, std::uint32_t work)
    : kv_(kv), clock_(clock), random_(random), work_(work) {
  watching_ = kv_.watch(user_records::all(), [this](const std::vector<Bytes>& keys) {
    auto known = known_.lock();
    for (const auto& key : keys) known->erase(key);
  });
}

Users::~Users() = default;

Result<std::string> Users::hash(std::string_view password) const {
  if (password.size() < kMinPasswordBytes || password.size() > kMaxPasswordBytes) {
    return fail(Code::kInvalidArgument, "the password has {} bytes; it should have {} to {}",
                password.size(), kMinPasswordBytes, kMaxPasswordBytes);
  }
  const auto salt = random_.bytes(kSaltBytes);
  std::string encoded(argon2_encodedlen(kPasses, work_, 1, kSaltBytes, kHashBytes, Argon2_id),
                      '\0');
  const int failed =
      argon2id_hash_encoded(kPasses, work_, 1, password.data(), password.size(), salt.data(),
                            salt.size(), kHashBytes, encoded.data(), encoded.size());
  if (failed != ARGON2_OK) {
    return fail(Code::kInternal, "hashing a password failed: {}", argon2_error_message(failed));
  }
  encoded.resize(encoded.find('\0'));
  return encoded;
}

Result<User> Users::insert(User user) {
  Batch batch;
  auto key = user_records::key(user.id);
  batch.conditions.push_back({key, std::nullopt});
  // Both conditions are checked in the same step as the puts: two users of one name cannot be made
  // at once.
  batch.conditions.push_back({user_records::name_key(user.name), std::nullopt});
  batch.puts.push_back({key, user_records::encode(user)});
  batch.puts.push_back({user_records::name_key(user.name), Bytes(user.id.bytes())});
  auto done = kv_.commit(std::move(batch));
  if (done) return user;
  if (done.error().code != Code::kConflict) return Failure(std::move(done).error());
  return taken(user.name);
}

Result<User> Users::owner(const RealmId& realm) {
  auto known = get(realm);
  if (known || known.error().code != Code::kUserNotFound) return known;
  auto made = insert({.id = realm,
                      .name = std::string(Users::kOwner),
                      .role = Role::kAdmin,
                      .password = {},
                      .created_at = clock_.now()});
  // Another thread made it in between.
  return made || made.error().code != Code::kUserExists ? made : get(realm);
}

Result<User> Users::add(std::string_view name, Role role,
                        std::optional<std::string_view> password) {
  TRY(user_records::check_name(name));
  // Reserved for the first user, whether it exists yet or not.
  if (name == kOwner) return taken(name);
  return insert({.id = RealmId::make(clock_, random_),
                 .name = std::string(name),
                 .role = role,
                 .password = password ? TRY(hash(*password)) : std::string(),
                 .created_at = clock_.now()});
}

Result<User> Users::get(const RealmId& id) const {
  auto key = user_records::key(id);
  auto value = TRY(kv_.get(key));
  if (!value) return no_user(id.render());
  return user_records::decode(key, *value);
}

Result<User> Users::find(std::string_view name) const {
  auto id = TRY(kv_.get(user_records::name_key(name)));
  if (!id) return no_user(name);
  return get(RealmId::from_bytes(*id));
}

Result<UserPage> Users::list(std::size_t limit, std::optional<std::string_view> cursor) const {
  if (limit < 1 || limit > 1000) {
    return fail(Code::kInvalidArgument, "limit is {}; it should be 1 to 1000", limit);
  }
  auto range = user_records::all();
  if (cursor) {
    auto last = TRY(parse_cursor(*cursor));
    if (last.size() != 16) return fail(Code::kInvalidCursor, "'{}' is not a cursor", *cursor);
    range.begin = user_records::key(RealmId::from_bytes(last)) + '\0';
  }
  UserPage page;
  std::optional<Error> error;
  TRY(kv_.scan(range, Direction::kForward, [&](ByteView key, ByteView value) {
    if (page.users.size() == limit) {
      page.next_cursor = render_cursor(page.users.back().id.bytes());
      return Scan::kStop;
    }
    auto user = user_records::decode(key, value);
    if (!user) {
      error = std::move(user).error();
      return Scan::kStop;
    }
    page.users.push_back(std::move(*user));
    return Scan::kContinue;
  }));
  if (error) return Failure(std::move(*error));
  return page;
}

template <typename Change>
Result<User> Users::update(const RealmId& id, Change change) {
  const auto key = user_records::key(id);
  return cairn::update(kv_, key, "the user " + id.render(),
                       [&](const auto& stored, Batch& batch) -> Result<User> {
                         if (!stored) return no_user(id.render());
                         auto user = TRY(user_records::decode(key, *stored));
                         TRY(change(user));
                         batch.puts.push_back({key, user_records::encode(user)});
                         return user;
                       });
}

Result<User> Users::change(const RealmId& id, const UserChange& wanted) {
  std::optional<std::string> hashed;
  if (wanted.directories) TRY(check_grants(*wanted.directories));
  if (wanted.password) hashed = TRY(hash(*wanted.password));
  return update(id, [&](User& user) -> Result<void> {
    if (user.name == kOwner && wanted.role.value_or(Role::kAdmin) != Role::kAdmin) {
      return fail(Code::kForbidden, "the machine's owner stays an admin");
    }
    if (wanted.role) user.role = *wanted.role;
    if (hashed) user.password = *hashed;
    if (wanted.directories) user.directories = *wanted.directories;
    return {};
  });
}

Result<void> Users::remove(const RealmId& id) {
  const auto key = user_records::key(id);
  return cairn::update(kv_, key, "the user " + id.render(),
                       [&](const auto& stored, Batch& batch) -> Result<void> {
                         if (!stored) return no_user(id.render());
                         const auto user = TRY(user_records::decode(key, *stored));
                         if (user.name == kOwner) {
                           return fail(Code::kForbidden, "the machine's owner cannot be deleted");
                         }
                         batch.deletes.push_back(key);
                         batch.deletes.push_back(user_records::name_key(user.name));
                         // Linking requires the user, so what is linked meanwhile is seen.
                         const auto list_key = identity_records::list_key(id);
                         const auto list = TRY(kv_.get(list_key));
                         batch.conditions.push_back({list_key, list});
                         if (list) batch.deletes.push_back(list_key);
                         for (const auto& hash : identity_records::hashes(list.value_or(Bytes()))) {
                           batch.deletes.push_back(identity_records::key(hash));
                         }
                         return {};
                       });
}

Result<User> Users::sign_in(std::string_view name, std::string_view password) const {
  auto user = name.size() <= kMaxNameBytes ? find(name) : Result<User>(no_user(name));
  if (!user && user.error().code != Code::kUserNotFound) return user;
  // A longer password cannot have been set, so it need not be hashed.
  const bool known = user && !user->password.empty() && password.size() <= kMaxPasswordBytes;
  if (known) {
    const auto& encoded = user->password;
    if (argon2id_verify(encoded.c_str(), password.data(), password.size()) == ARGON2_OK) {
      return user;
    }
  } else {
    // Somebody nobody knows costs one hash as well, so that time does not tell who is known.
    TRY(hash("a password that nobody has"));
  }
  return fail(Code::kInvalidToken, "the name or the password is wrong");
}

template <typename Look>
auto Users::with_known(const RealmId& id, Look look) const
    -> Result<std::invoke_result_t<Look, Known>> {
  auto key = user_records::key(id);
  // Held over the read, so that a change cannot come between it and the memory of it.
  auto known = known_.lock();
  if (auto found = known->find(key); found != known->end()) return look(found->second);
  auto value = TRY(kv_.get(key));
  Known read;
  if (value) {
    auto user = TRY(user_records::decode(key, *value));
    read = {user.role, std::move(user.directories)};
  }
  return look(known->insert_or_assign(key, std::move(read)).first->second);
}

Result<Role> Users::role_of(const RealmId& id) const {
  return with_known(id, [](const Known& user) { return user.role; });
}

Result<DirectoryUse> Users::directory_use(const RealmId& id, std::string_view directory) const {
  return with_known(id, [&](const Known& user) {
    switch (user.role) {
      case Role::kUnauthorized:
        break;
      case Role::kAuthorized:
        return use_in(user.directories, directory);
      case Role::kAdmin:
        return DirectoryUse::kWrite;
    }
    return DirectoryUse::kNone;
  });
}

}  // namespace cairn
