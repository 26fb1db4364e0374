#include "tools/executor/call.h"
#include "tools/executor/shape.h"
#include "tools/executor/sign_in_limits.h"
#include "tools/people/tools.h"

namespace cairn {
namespace {

// Whoever has found a browser open does not get to keep the account.
Result<void> check_current(Call& call, const User& user, std::optional<std::string_view> given) {
  if (user.password.empty()) return {};
  if (!given) {
    return fail(Code::kInvalidArgument, "currentPassword is needed: there is a password already");
  }
  auto& limits = call.services().password_limits;
  // Tries here are counted apart from those of people who are not in.
  constexpr std::string_view kHere = "(signed in)";
  TRY(limits.begin(user.name, kHere, true));
  if (!call.services().users.sign_in(user.name, *given)) {
    return fail(Code::kForbidden, "the current password is another");
  }
  limits.succeeded(user.name, kHere);
  return {};
}

Result<Reply> run_change_password(Call& call, const Arguments& arguments) {
  auto& services = call.services();
  const auto user = TRY(services.users.get(call.session().realm));
  TRY(check_current(call, user, arguments.maybe_text("currentPassword")));
  TRY(services.users.set_password(user.id, arguments.text("newPassword")));
  // All that was opened under the old one is void; whoever changed it goes on.
  const auto& own = call.caller().sign_in();
  if (own) TRY(services.sign_ins.keep(*own));
  const auto ended =
      TRY(services.sign_ins.end_others(user.id, own ? std::optional(own->id) : std::nullopt));
  TRY(services.delegates.void_issued(user.id));
  return Reply(json::Object{{"ended", ended}});
}

}  // namespace

Tool change_password() {
  return {
      .name = "change_password",
      .title = "Change one's password",
      .description =
          "Sets the user's own password. Ends all other sign-ins, and the tokens that were given "
          "out for the old one.",
      .input = shape::object(
          {{"currentPassword", shape::text("Needed when there is one", Users::kMaxPasswordBytes),
            shape::kOptional},
           {"newPassword", shape::text("8 to 1000 bytes", Users::kMaxPasswordBytes)}}),
      .output = shape::object({{"ended", shape::integer("How many other sign-ins")}}),
      .annotations = {.destructive = true},
      .right = Right::kOwn,
      .audience = Audience::kPrograms,
      .run = run_change_password,
  };
}

}  // namespace cairn
