// list_sign_ins, end_sign_in, create_sign_in_link.
#include "tools/executor/call.h"
#include "tools/executor/shape.h"
#include "tools/people/sign_in_rows.h"
#include "tools/people/tools.h"

namespace cairn {
namespace {

std::optional<SignInId> own_sign_in(const Call& call) {
  const auto& sign_in = call.caller().sign_in();
  return sign_in ? std::optional(sign_in->id) : std::nullopt;
}

Result<Reply> run_list(Call& call, const Arguments&) {
  const auto own = own_sign_in(call);
  json::Array rows;
  for (const auto& one : TRY(call.services().sign_ins.list(call.session().realm))) {
    auto row = render_sign_in(one);
    row["current"] = own == one.id;
    rows.emplace_back(std::move(row));
  }
  return Reply(json::Object{{"signIns", std::move(rows)}});
}

Result<Reply> run_end(Call& call, const Arguments& arguments) {
  auto& sign_ins = call.services().sign_ins;
  const auto& realm = call.session().realm;
  std::uint64_t ended = 1;
  if (const auto id = arguments.maybe_text("signInId")) {
    TRY(sign_ins.end(realm, TRY(SignInId::parse(*id))));
  } else {
    ended = TRY(sign_ins.end_others(realm, own_sign_in(call)));
  }
  return Reply(json::Object{{"ended", ended}});
}

Result<User> the_user(Call& call, std::string_view who) {
  auto id = RealmId::parse(who);
  return id ? call.services().users.get(*id) : call.services().users.find(who);
}

// Whoever has a link becomes its user. Only admins learn who there is.
Result<User> whom(Call& call, std::optional<std::string_view> who) {
  auto& users = call.services().users;
  const auto& own = call.session().realm;
  if (!who) return users.get(own);
  if (TRY(users.role_of(own)) != Role::kAdmin) {
    return fail(Code::kForbidden, "only admins make sign-in links for others");
  }
  auto user = TRY(the_user(call, *who));
  if (user.name == Users::kOwner && user.id != own) {
    return fail(Code::kForbidden, "only the owner of the machine makes the owner's sign-in links");
  }
  if (user.role == Role::kUnauthorized) {
    return fail(Code::kForbidden, "{} is not authorised, so a link would open nothing", user.name);
  }
  return user;
}

Result<Reply> run_link(Call& call, const Arguments& arguments) {
  const auto user = TRY(whom(call, arguments.maybe_text("userId")));
  const auto link = TRY(call.services().sign_ins.make_link(user.id));
  return Reply(json::Object{{"userId", user.id.render()},
                            {"name", user.name},
                            {"ticket", link.ticket},
                            {"path", "/sign-in#" + link.ticket},
                            {"endsAt", link.ends_at}});
}

}  // namespace

Tool list_sign_ins() {
  auto row = sign_in_shape();
  row.as_object()["properties"].as_object()["current"] = shape::flag("The caller's own");
  row.as_object()["required"].as_array().emplace_back("current");
  return {
      .name = "list_sign_ins",
      .title = "List sign-ins",
      .description = "Where the user is signed in with a browser, last used first.",
      .input = shape::object({}),
      .output = shape::object({{"signIns", shape::list_of(std::move(row))}}),
      .annotations = {.read_only = true, .idempotent = true},
      .right = Right::kOwn,
      .audience = Audience::kPrograms,
      .run = run_list,
  };
}

Tool end_sign_in() {
  return {
      .name = "end_sign_in",
      .title = "Sign out",
      .description =
          "Ends a sign-in of the user at once; without a name, all but the caller's own. Tokens "
          "and "
          "delegates stay.",
      .input =
          shape::object({{"signInId", shape::text("sgn_…; absent: all others"), shape::kOptional}}),
      .output = shape::object({{"ended", shape::integer("How many")}}),
      .annotations = {.destructive = true},
      .right = Right::kOwn,
      .audience = Audience::kPrograms,
      .audited = {"signInId"},
      .run = run_end,
  };
}

Tool create_sign_in_link() {
  return {
      .name = "create_sign_in_link",
      .title = "Make a sign-in link",
      .description =
          "A link that signs a browser in once, within ten minutes. Admins make them for others, "
          "too.",
      .input = shape::object(
          {{"userId", shape::text("usr_…, or the name; absent: your own"), shape::kOptional}}),
      .output = shape::object({{"userId", shape::text()},
                               {"name", shape::text()},
                               {"ticket", shape::text("Shown this once")},
                               {"path", shape::text("Of the link, behind the server's address")},
                               {"endsAt", shape::integer("Milliseconds since 1970")}}),
      .annotations = {},
      .right = Right::kOwn,
      .audience = Audience::kPrograms,
      .audited = {"userId"},
      .run = run_link,
  };
}

}  // namespace cairn
