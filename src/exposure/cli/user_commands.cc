// cairn user add, list, role, password, token, delete; cairn token show, rotate.
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "base/quote.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/directory_options.h"
#include "exposure/cli/kit.h"
#include "exposure/client/pages.h"
#include "tools/engine/engine.h"

namespace cairn::cli {
namespace {

struct UserArguments {
  std::string name;
  std::string role;
  std::string quota;
  DirectoryOptions directories;
  bool admin = false;
  bool password = false;
  bool yes = false;
  bool dry_run = false;
};

// The first line of standard input, so that it is in no command line and no history.
Result<std::string> read_password() {
  std::string line;
  std::getline(std::cin, line);
  if (line.ends_with('\r')) line.pop_back();
  if (!line.empty()) return line;
  return fail(Code::kInvalidArgument, "there is no password on standard input");
}

void show_user(Output& out, const Arguments& user) {
  out.print("{}  {}  {}\n", out.paint(Style::kBold, user.text("userId")),
            out.safe(user.text("name")), user.text("role"));
  for (const auto& item : client::rows_of(user.object(), "directories")) {
    const Arguments directory(item.as_object());
    out.print("  may {}  {}\n", directory.flag("write") ? "write" : "read ",
              directory.text("name"));
  }
  if (auto token = user.maybe_text("accessToken")) {
    out.print("  access   {}\n", *token);
    note("the token is shown this once");
  }
}

Result<int> print_user(Kit& kit, const json::Value& answer) {
  if (kit.options.json) {
    kit.out.print_json(answer);
  } else {
    show_user(kit.out, Arguments(answer.as_object()));
  }
  return 0;
}

Result<int> run_add(Kit& kit, const UserArguments& given) {
  json::Object arguments{{"name", given.name}, {"role", given.admin ? "admin" : "authorized"}};
  if (!given.quota.empty()) arguments["quota"] = TRY(parse_size(given.quota));
  if (given.password) arguments["password"] = TRY(read_password());
  auto& client = *TRY(kit.client(Create::kYes));
  return print_user(kit, TRY(client.call("add_user", arguments)));
}

Result<int> run_list(Kit& kit) {
  auto& client = *TRY(kit.client());
  const auto answer = TRY(collect(client, "list_users", {{"limit", 1000}}, "users"));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  Table table({{"USER"}, {"NAME"}, {"ROLE"}, {"PASSWORD"}, {"CREATED"}});
  for (const auto& item : client::rows_of(answer.as_object(), "users")) {
    Arguments row(item.as_object());
    table.add({{std::string(row.text("userId")), Style::kCyan},
               kit.out.safe(row.text("name")),
               std::string(row.text("role")),
               std::string(row.flag("hasPassword") ? "yes" : "no"),
               human_time(row.number("createdAt"))});
  }
  table.print(kit.out);
  return 0;
}

Result<int> update(Kit& kit, const UserArguments& given, json::Object change) {
  auto& client = *TRY(kit.client());
  change["userId"] = given.name;
  return print_user(kit, TRY(client.call("update_user", change)));
}

Result<int> run_password(Kit& kit, const UserArguments& given) {
  if (!given.password) {
    return fail(Code::kInvalidArgument,
                "a password is read from standard input only; give --password-stdin");
  }
  return update(kit, given, {{"password", TRY(read_password())}});
}

Result<int> run_delete(Kit& kit, const UserArguments& given) {
  if (!given.yes && !given.dry_run) {
    return fail(Code::kInvalidArgument,
                "deleting a user with all it has cannot be undone; give --yes, or --dry-run to see "
                "what would go");
  }
  auto& client = *TRY(kit.client());
  json::Object arguments{{"userId", given.name}};
  if (given.dry_run) arguments["dryRun"] = true;
  const auto answer = TRY(client.call("delete_user", arguments));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  Arguments gone(answer.as_object());
  kit.out.print("{} {} ({}): {}, {}, {}\n", given.dry_run ? "would delete" : "deleted",
                kit.out.safe(gone.text("name")), gone.text("userId"),
                counted(gone.number("depots"), "depot"), counted(gone.number("nodes"), "node"),
                human_size(gone.number("bytes")));
  if (!given.dry_run) note("backups made before still have it");
  return 0;
}

Result<int> print_token(Kit& kit, const std::string& token) {
  if (kit.options.json) {
    kit.out.print_json(json::Object{{"accessToken", token}});
  } else {
    kit.out.print("{}\n", token);
  }
  return 0;
}

Result<std::unique_ptr<Engine>> own_engine(Kit& kit) {
  if (!kit.options.server.empty()) {
    return fail(Code::kInvalidArgument,
                "the owner's token belongs to the data directory; name it with --data");
  }
  return open_engine(kit.options, Create::kNo, kit.world());
}

Result<int> run_token_show(Kit& kit) {
  if (auto token = read_owner_token(data_directory(kit.options))) {
    return print_token(kit, *token);
  }
  auto engine = TRY(own_engine(kit));
  return print_token(kit, TRY(owner_token(*engine, data_directory(kit.options))));
}

Result<int> run_token_rotate(Kit& kit) {
  auto engine = own_engine(kit);
  if (!engine && engine.error().code == Code::kStoreLocked) {
    return fail(Code::kStoreLocked, "the data directory is in use; stop the server first");
  }
  if (!engine) return Failure(std::move(engine).error());
  return print_token(kit, TRY(rotate_owner_token(**engine, data_directory(kit.options))));
}

void add_token_commands(Commands& commands) {
  auto group = commands.add_group({.name = "token",
                                   .description = "The owner's token of a data directory",
                                   .example = "cairn token show --data /srv/cairn",
                                   .group = "Access"});
  commands.add(
      group,
      {.name = "show", .description = "Print it", .example = "cairn token show --data /srv/cairn"},
      run_token_show);
  commands.add(group,
               {.name = "rotate",
                .description = "Make a new one and print it; the old one is void",
                .example = "cairn token rotate --data /srv/cairn"},
               run_token_rotate);
}

void add_password_flag(Command command, UserArguments& given) {
  command.add_flag("--password-stdin", given.password,
                   "Read a password from the first line of standard input");
}

}  // namespace

void add_user_commands(Commands& commands) {
  auto group = commands.add_group({.name = "user",
                                   .description = "Users, each with a realm of its own; for admins",
                                   .example = "cairn user list",
                                   .group = "Access"});
  auto given = std::make_shared<UserArguments>();
  auto add = [&](const Commands::About& about, const Run& run) {
    auto command = commands.add(group, about, run);
    command.add_argument("NAME", given->name, "Name or id (usr_…)");
    return command;
  };
  auto command = add({.name = "add",
                      .description = "Add a user and print its access token",
                      .example = "cairn user add ada --quota 10GB"},
                     [given](Kit& kit) { return run_add(kit, *given); });
  command.add_flag("--admin", given->admin, "An admin, who may do what these commands do");
  add_password_flag(command, *given);
  command.add_value("--quota", given->quota, "BYTES",
                    "What the realm may store, such as 10GB [no limit]");

  commands.add(
      group,
      {.name = "list", .description = "Every user, oldest first", .example = "cairn user list"},
      run_list);

  command = add({.name = "role",
                 .description = "Change what a user may do",
                 .example = "cairn user role ada unauthorized"},
                [given](Kit& kit) { return update(kit, *given, {{"role", given->role}}); });
  command.add_argument("ROLE", given->role, "unauthorized, authorized or admin")
      .one_of({"unauthorized", "authorized", "admin"});

  command = add({.name = "directories",
                 .description = "Give a user directories of the server's machine, and no others",
                 .example = "cairn user directories ada --directory notes"},
                [given](Kit& kit) {
                  return update(kit, *given, {{"directories", grants(given->directories)}});
                });
  add_directory_options(command, given->directories);

  command = add({.name = "password",
                 .description = "Give a user a new password",
                 .example = "cairn user password ada --password-stdin < password-file"},
                [given](Kit& kit) { return run_password(kit, *given); });
  add_password_flag(command, *given);

  add({.name = "token",
       .description = "Void all tokens of a user and print a new one",
       .example = "cairn user token ada"},
      [given](Kit& kit) { return update(kit, *given, {{"newToken", true}}); });

  command = add({.name = "delete",
                 .description = "Delete a user with its realm, for good",
                 .example = "cairn user delete ada --dry-run",
                 .more = "Tokens, delegates, endpoints, depots with their histories, files, audit "
                         "log."},
                [given](Kit& kit) { return run_delete(kit, *given); });
  command.add_flag("-y,--yes", given->yes, "Really");
  command.add_flag("--dry-run", given->dry_run, "Only say what would go");

  add_token_commands(commands);
}

}  // namespace cairn::cli
