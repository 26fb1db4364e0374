// list_users, add_user, update_user: for admins.
#include "tools/admin/tools.h"
#include "tools/depots/depots.h"
#include "tools/executor/page.h"
#include "tools/executor/render.h"

namespace cairn {
namespace {

void add_tokens(json::Object& out, const IssuedTokens& tokens) {
  out["accessToken"] = tokens.access.text();
  out["accessTokenExpiresAt"] = tokens.access_expires_at;
  out["refreshToken"] = tokens.refresh.text();
}

Result<Reply> run_list(Call& call, const Arguments& arguments) {
  return list_page(call, arguments, "users", [&](auto limit, auto cursor) -> Result<RowPage> {
    return rendered(TRY(call.services().users.list(limit, cursor)), &UserPage::users, render_user);
  });
}

Result<Reply> run_add(Call& call, const Arguments& arguments) {
  auto& services = call.services();
  auto role = TRY(parse_role(arguments.maybe_text("role").value_or("authorized")));
  auto user =
      TRY(services.users.add(arguments.text("name"), role, arguments.maybe_text("password")));
  if (auto quota = arguments.maybe_number("quota")) {
    TRY(services.realms.get(user.id).set_quota(static_cast<std::uint64_t>(*quota)));
  }
  auto out = render_user(user);
  TRY(services.delegates.root(user.id));
  add_tokens(out, TRY(services.delegates.reissue(user.id)));
  return Reply(std::move(out));
}

Result<User> the_user(Call& call, std::string_view who) {
  auto id = RealmId::parse(who);
  return id ? call.services().users.get(*id) : call.services().users.find(who);
}

Result<Reply> run_update(Call& call, const Arguments& arguments) {
  auto& services = call.services();
  auto user = TRY(the_user(call, arguments.text("userId")));
  if (user.name == Users::kOwner && user.id != call.session().realm) {
    return fail(Code::kForbidden, "only the owner of the machine changes the owner");
  }
  UserChange wanted{.password = arguments.maybe_text("password")};
  if (auto role = arguments.maybe_text("role")) wanted.role = TRY(parse_role(*role));
  if (const auto* grants = json::find(arguments.object(), "directories")) {
    wanted.directories = grants_of(*grants);
  }
  // First what can be refused, so that all of it happens or nothing.
  if (wanted.role || wanted.password || wanted.directories)
    user = TRY(services.users.change(user.id, wanted));
  // Whoever signed in with the old one has to do it again.
  if (wanted.password) TRY(services.delegates.void_issued(user.id));
  if (auto quota = arguments.maybe_number("quota")) {
    TRY(services.realms.get(user.id).set_quota(static_cast<std::uint64_t>(*quota)));
  }
  auto out = render_user(user);
  if (arguments.flag("newToken")) {
    TRY(services.delegates.root(user.id));
    add_tokens(out, TRY(services.delegates.reissue(user.id)));
    // Whoever had the old one may have opened them.
    TRY(services.sign_ins.end_others(user.id, std::nullopt));
  }
  return Reply(std::move(out));
}

shape::Field role() {
  return {"role", shape::choice({"unauthorized", "authorized", "admin"}), shape::kOptional};
}

shape::Field password() {
  return {"password", shape::text("8 to 1000 bytes", Users::kMaxPasswordBytes), shape::kOptional};
}

shape::Field quota() {
  return {"quota", shape::integer("Bytes the realm may store; 0: no limit"), shape::kOptional};
}

json::Value user_with_token() {
  auto out = user_shape();
  auto& properties = out.as_object()["properties"].as_object();
  properties["accessToken"] = shape::text("Of the user's root delegate; shown this once");
  properties["accessTokenExpiresAt"] = shape::integer("Milliseconds since 1970");
  properties["refreshToken"] = shape::text("Trade in once for new tokens");
  return out;
}

}  // namespace

Tool list_users() {
  return {
      .name = "list_users",
      .title = "List users",
      .description = "Every user of this server, oldest first. For admins.",
      .input = shape::object({depots::limit("Users per page (default 100)"), depots::cursor()}),
      .output = shape::object({{"users", shape::list_of(user_shape())},
                               {"nextCursor", shape::nullable(shape::text())}}),
      .annotations = {.read_only = true, .idempotent = true},
      .right = Right::kAdmin,
      .audience = Audience::kPrograms,
      .run = run_list,
  };
}

Tool add_user() {
  return {
      .name = "add_user",
      .title = "Add a user",
      .description = "A new user with a realm of its own, and its access token. For admins.",
      .input =
          shape::object({{"name", shape::text("Letters, digits, . _ - @ +", Users::kMaxNameBytes)},
                         role(),
                         password(),
                         quota()}),
      .output = user_with_token(),
      .annotations = {},
      .right = Right::kAdmin,
      .audience = Audience::kPrograms,
      .audited = {"name"},
      .run = run_add,
  };
}

Tool update_user() {
  return {
      .name = "update_user",
      .title = "Change a user",
      .description =
          "Changes a user's role, password, quota or directories, or replaces its tokens. Somebody "
          "who is "
          "unauthorized can do nothing; what they stored stays. For admins.",
      .input = shape::object(
          {{"userId", shape::text("usr_…, or the name")},
           role(),
           password(),
           quota(),
           {"directories",
            grants_shape("Directories of this machine it may use, by name; admins may use all"),
            shape::kOptional},
           {"newToken", shape::flag("Void all its tokens, give a new one"), shape::kOptional}}),
      .output = user_with_token(),
      .annotations = {.destructive = true},
      .right = Right::kAdmin,
      .audience = Audience::kPrograms,
      .audited = {"userId"},
      .run = run_update,
  };
}

}  // namespace cairn
