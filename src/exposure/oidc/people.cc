#include "exposure/oidc/people.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/quote.h"

namespace cairn::oidc {
namespace {

constexpr int kMaxNames = 100;

std::string_view domain_of(std::string_view email) {
  const auto at = email.rfind('@');
  return at == email.npos ? std::string_view() : email.substr(at + 1);
}

std::string who(const Person& person) {
  return shown(person.email.empty() ? person.subject : person.email);
}

}  // namespace

Result<NewPeople> parse_new_people(std::string_view text) {
  if (text == "refuse") return NewPeople::kRefuse;
  if (text == "unauthorized") return NewPeople::kUnauthorized;
  if (text == "authorized") return NewPeople::kAuthorized;
  return fail(Code::kInvalidArgument, "'{}' should be one of refuse, unauthorized, authorized",
              shown(text));
}

std::string user_name_for(const Person& person) {
  const bool mail = person.email_verified;
  const auto& wanted = mail ? person.email : person.username;
  std::string out;
  for (const char c : wanted) {
    if (is_alphanumeric(c) || c == '.' || c == '_' || c == '-' ||
        (mail && (c == '@' || c == '+'))) {
      out.push_back(c);
    } else if (!out.ends_with('-')) {
      out.push_back('-');
    }
  }
  constexpr std::size_t kRoom = 4;  // for a number
  if (out.size() > Users::kMaxNameBytes - kRoom) out.resize(Users::kMaxNameBytes - kRoom);
  while (out.ends_with('-')) out.pop_back();
  return out.empty() ? "user" : out;
}

Result<void> People::check_lists(const Person& person) const {
  if (!policy_.domains.empty()) {
    const auto domain = lowered(domain_of(person.email));
    const bool fits =
        person.email_verified && std::ranges::any_of(policy_.domains, [&](const std::string& one) {
          return lowered(one) == domain;
        });
    if (!fits) {
      return fail(Code::kForbidden,
                  "'{}' is not of a domain whose people may sign in here, or the provider has not "
                  "verified the address; ask whoever runs this server",
                  who(person));
    }
  }
  if (!policy_.groups.empty()) {
    const bool fits = std::ranges::any_of(policy_.groups, [&](const std::string& one) {
      return std::ranges::find(person.groups, one) != person.groups.end();
    });
    if (!fits) {
      return fail(Code::kForbidden,
                  "'{}' is in none of the groups whose people may sign in here; ask whoever runs "
                  "this server",
                  who(person));
    }
  }
  return {};
}

Result<User> People::user_for(const Person& person) {
  TRY(check_lists(person));
  auto user = TRY(known_or_new(person));
  if (user.role != Role::kUnauthorized) return user;
  return fail(Code::kForbidden,
              "you are known here as '{}', and an admin of this server has yet to let you in: "
              "cairn user role {} authorized",
              user.name, user.name);
}

Result<User> People::known_or_new(const Person& person) {
  if (const auto known = TRY(identities_.find(person.issuer, person.subject))) {
    auto user = TRY(users_.get(known->user));
    if (known->email != person.email) TRY(identities_.set_email(*known, person.email));
    return user;
  }
  if (auto linked = TRY(by_email(person))) return *std::move(linked);
  if (policy_.new_people == NewPeople::kRefuse) {
    return fail(Code::kForbidden,
                "nobody here is '{}' at this provider, and new people are not let in; ask whoever "
                "runs this server to let you in",
                who(person));
  }
  TRY(take_turn());
  return add(person);
}

Result<std::optional<User>> People::by_email(const Person& person) {
  if (!policy_.link_by_email || !person.email_verified) return std::optional<User>();
  auto user = users_.find(person.email);
  if (!user) {
    if (user.error().code == Code::kUserNotFound) return std::optional<User>();
    return Failure(std::move(user).error());
  }
  // The address may have been somebody else's before.
  for (const auto& one : TRY(identities_.of(user->id))) {
    if (one.issuer == person.issuer) return std::optional<User>();
  }
  if (user->role == Role::kAdmin) {
    return fail(Code::kForbidden,
                "'{}' is an admin here, and no admin is given to somebody by an address of mail",
                shown(person.email));
  }
  TRY(identities_.link(user->id, person.issuer, person.subject, person.email));
  return *std::move(user);
}

Result<User> People::add(const Person& person) {
  const auto role =
      policy_.new_people == NewPeople::kAuthorized ? Role::kAuthorized : Role::kUnauthorized;
  const auto name = user_name_for(person);
  for (int number = 1; number < kMaxNames; ++number) {
    auto made = identities_.add_user(number == 1 ? name : fmt::format("{}-{}", name, number), role,
                                     person.issuer, person.subject, person.email);
    if (made) return made;
    // Signed in twice at once.
    if (made.error().code == Code::kNameTaken) {
      if (const auto known = TRY(identities_.find(person.issuer, person.subject))) {
        return users_.get(known->user);
      }
    }
    if (made.error().code != Code::kUserExists) return made;
  }
  return fail(Code::kUserExists, "too many users are called {} and a number", name);
}

Result<void> People::take_turn() {
  auto room = room_.lock();
  const auto now = clock_.monotonic();
  const std::chrono::duration<double, std::ratio<3600>> hours = now - room->at;
  room->level = std::min(kNewAtOnce, room->level + hours.count() * kNewEachHour);
  room->at = now;
  if (room->level < 1) {
    return fail(Code::kRateLimited,
                "too many new people have come in the last hour; try again in a while");
  }
  room->level -= 1;
  return {};
}

}  // namespace cairn::oidc
