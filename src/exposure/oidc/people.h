// Who of the people that a provider knows is let in, and as which user.
//
// Invariants  an identity is its issuer and subject. Nobody becomes an admin by what a provider
//             says, and no admin's user is given to an identity by an address of mail.
// Threads     every function may be called from any thread.
// Fails with  FORBIDDEN, with what would help; RATE_LIMITED when too many new people come at once.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "data/access/identities.h"
#include "exposure/oidc/provider.h"

namespace cairn::oidc {

enum class NewPeople {
  kRefuse,        // who is not linked to a user is not let in
  kUnauthorized,  // becomes a user who may do nothing until an admin says so
  kAuthorized,
};
Result<NewPeople> parse_new_people(std::string_view text);

struct PeoplePolicy {
  NewPeople new_people = NewPeople::kRefuse;
  // Asked at every sign-in, also of those who are users; empty: everybody fits.
  std::vector<std::string> domains = {};  // of a verified address of mail
  std::vector<std::string> groups = {};   // one of them is enough
  // A verified address of mail that is the name of a user is that user.
  bool link_by_email = false;
};

class People final {
 public:
  static constexpr double kNewAtOnce = 300;
  static constexpr double kNewEachHour = 300;

  People(PeoplePolicy policy, Users& users, Identities& identities, const Clock& clock)
      : policy_(std::move(policy)), users_(users), identities_(identities), clock_(clock) {}

  // The user, whose role lets them in.
  Result<User> user_for(const Person& person);

 private:
  Result<void> check_lists(const Person& person) const;
  Result<User> known_or_new(const Person& person);
  Result<std::optional<User>> by_email(const Person& person);
  Result<User> add(const Person& person);
  Result<void> take_turn();

  const PeoplePolicy policy_;
  Users& users_;
  Identities& identities_;
  const Clock& clock_;
  struct Room {
    double level = kNewAtOnce;
    std::chrono::nanoseconds at{};
  };
  Guarded<Room> room_;
};

// A name for somebody new, of what may stand in a user's name. Only a verified address looks like
// one.
std::string user_name_for(const Person& person);

}  // namespace cairn::oidc
