// Users: one realm each, a role, and a password for whoever signs in with one.
//
// Invariants  names are unique. Passwords are stored as Argon2id hashes only. The machine's owner
//             is the first user, and an admin; at least one admin is left at any time.
// Threads     every function may be called from any thread.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/id.h"
#include "data/access/directory_grant.h"
#include "data/store/key_value.h"

namespace cairn {

enum class Role : std::uint8_t { kUnauthorized = 0, kAuthorized = 1, kAdmin = 2 };
std::string_view name(Role role);
Result<Role> parse_role(std::string_view text);

struct User {
  RealmId id;
  std::string name;
  Role role = Role::kAuthorized;
  std::string password;  // encoded Argon2id; empty: cannot sign in with one
  Millis created_at = 0;
  // Those of the server's directories that it may use; an admin may use all of them.
  std::vector<DirectoryGrant> directories = {};

  bool operator==(const User&) const = default;
};

struct UserChange {
  std::optional<Role> role = std::nullopt;
  std::optional<std::string_view> password = std::nullopt;
  std::optional<std::vector<DirectoryGrant>> directories = std::nullopt;
};

struct UserPage {
  std::vector<User> users;  // oldest first
  std::optional<std::string> next_cursor;
};

class Users final {
 public:
  static constexpr std::string_view kOwner = "owner";  // nobody else can have this name
  static constexpr std::size_t kMaxNameBytes = 100;
  static constexpr std::size_t kMinPasswordBytes = 8;
  static constexpr std::size_t kMaxPasswordBytes = 1000;

  // `work`: memory for one password hash, in KiB.
  Users(KeyValueStore& kv, const Clock& clock, Random& random, std::uint32_t work = 19 * 1024);
  ~Users();
  Users(const Users&) = delete;
  Users& operator=(const Users&) = delete;

  // The machine's owner, made when first asked for with the realm it owns.
  Result<User> owner(const RealmId& realm);
  // USER_EXISTS when the name is taken.
  Result<User> add(std::string_view name, Role role, std::optional<std::string_view> password);
  Result<User> get(const RealmId& id) const;
  Result<User> find(std::string_view name) const;
  Result<UserPage> list(std::size_t limit, std::optional<std::string_view> cursor) const;
  // All that is given, or nothing: FORBIDDEN for another role of the machine's owner,
  // INVALID_ARGUMENT for a password that is too short or long, or grants that cannot be.
  Result<User> change(const RealmId& id, const UserChange& wanted);
  Result<User> set_role(const RealmId& id, Role role) { return change(id, {.role = role}); }
  Result<User> set_password(const RealmId& id, std::string_view password) {
    return change(id, {.password = password});
  }
  // FORBIDDEN for the machine's owner. The realm is not touched.
  Result<void> remove(const RealmId& id);
  // The user, when name and password fit. INVALID_TOKEN otherwise, after the same work whether the
  // name exists or not.
  Result<User> sign_in(std::string_view name, std::string_view password) const;
  // A realm nobody has is unauthorised. From memory.
  Result<Role> role_of(const RealmId& id) const;
  // The use that a user has of a directory of the server's. From memory.
  Result<DirectoryUse> directory_use(const RealmId& id, std::string_view directory) const;

 private:
  Result<std::string> hash(std::string_view password) const;
  Result<User> insert(User user);
  template <typename Change>
  Result<User> update(const RealmId& id, Change change);

  KeyValueStore& kv_;
  const Clock& clock_;
  Random& random_;
  std::uint32_t work_;
  struct Known {
    Role role = Role::kUnauthorized;
    std::vector<DirectoryGrant> directories = {};
  };
  // Calls `look` with what is known of a user.
  template <typename Look>
  auto with_known(const RealmId& id, Look look) const -> Result<std::invoke_result_t<Look, Known>>;
  mutable Guarded<std::unordered_map<std::string, Known>> known_;
  std::unique_ptr<Subscription> watching_;
};

}  // namespace cairn
