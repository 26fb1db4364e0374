// Identities: people as a foreign provider knows them, and which user each of them is.
//
// Invariants  (issuer, subject) is one user's. A user may have several. They go with the user, in
//             the same step. What the provider says of an address of mail is for people to read.
// Threads     every function may be called from any thread.
// Fails with  NAME_TAKEN for one that is somebody's already, USER_NOT_FOUND, TOO_MANY_ENTRIES.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/access/users.h"
#include "data/store/key_value.h"

namespace cairn {

struct Identity {
  std::string issuer;
  std::string subject;
  RealmId user;
  std::string email;  // empty: not said
  Millis linked_at = 0;

  bool operator==(const Identity&) const = default;
};

class Identities final {
 public:
  static constexpr std::size_t kMaxEach = 20;  // of one user
  static constexpr std::size_t kMaxIssuerBytes = 500;
  static constexpr std::size_t kMaxSubjectBytes = 255;

  Identities(KeyValueStore& kv, const Clock& clock, Random& random)
      : kv_(kv), clock_(clock), random_(random) {}

  Result<std::optional<Identity>> find(std::string_view issuer, std::string_view subject) const;
  Result<std::vector<Identity>> of(const RealmId& user) const;

  // Who is new: the user and the identity are made in one step. USER_EXISTS for the name.
  Result<User> add_user(std::string_view name, Role role, std::string_view issuer,
                        std::string_view subject, std::string_view email);
  // Who is a user already.
  Result<Identity> link(const RealmId& user, std::string_view issuer, std::string_view subject,
                        std::string_view email);
  // These and no others: all that can be refused is refused before the first is changed.
  Result<void> set(const RealmId& user,
                   const std::vector<std::pair<std::string, std::string>>& wanted);
  // False: it was nobody's.
  Result<bool> unlink(std::string_view issuer, std::string_view subject);
  // As the provider says it now.
  Result<void> set_email(const Identity& identity, std::string_view email);

 private:
  KeyValueStore& kv_;
  const Clock& clock_;
  Random& random_;
};

// How they lie in the store; for users.cc, which removes them with their user.
namespace identity_records {
// The identities of a user: hashes of issuer and subject, one behind the other.
Bytes list_key(const RealmId& user);
Bytes key(ByteView hash);
std::vector<Bytes> hashes(ByteView list);
}  // namespace identity_records

}  // namespace cairn
