// cairn client add, list, remove; cairn grant list, revoke.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exposure/cli/commands.h"
#include "exposure/cli/kit.h"
#include "exposure/client/pages.h"

namespace cairn::cli {
namespace {

struct OAuthArguments {
  std::string id;
  std::string name;
  std::vector<std::string> redirects;
  std::string scope;
  bool secret = false;
};

Result<int> run_add(Kit& kit, const OAuthArguments& given) {
  json::Object arguments{{"name", given.name}};
  json::Array redirects;
  for (const auto& one : given.redirects) redirects.emplace_back(one);
  if (!redirects.empty()) arguments["redirects"] = std::move(redirects);
  if (!given.id.empty()) arguments["clientId"] = given.id;
  if (!given.scope.empty()) arguments["scope"] = given.scope;
  if (given.secret) arguments["withSecret"] = true;
  auto& client = *TRY(kit.client(Create::kYes));
  const auto answer = TRY(client.call("add_oauth_client", arguments));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  const Arguments added(answer.as_object());
  kit.out.print("{}  {}\n", kit.out.paint(Style::kBold, added.text("clientId")),
                kit.out.safe(added.text("name")));
  if (const auto secret = added.maybe_text("clientSecret")) {
    kit.out.print("  secret   {}\n", *secret);
    note("the secret is shown this once");
  }
  return 0;
}

Result<int> run_clients(Kit& kit) {
  auto& client = *TRY(kit.client());
  const auto answer = TRY(collect(client, "list_oauth_clients", {{"limit", 1000}}, "clients"));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  Table table({{"CLIENT"}, {"NAME"}, {"KIND"}, {"REDIRECTS"}, {"USED"}});
  for (const auto& item : client::rows_of(answer.as_object(), "clients")) {
    const Arguments row(item.as_object());
    std::string redirects;
    for (const auto& one : row.texts("redirects").value_or(std::vector<std::string>())) {
      redirects += (redirects.empty() ? "" : " ") + one;
    }
    table.add({{kit.out.safe(row.text("clientId")), Style::kCyan},
               kit.out.safe(row.text("name")),
               std::string(row.text("kind")),
               kit.out.safe(redirects),
               human_time(row.number("usedAt"))});
  }
  if (table.empty()) {
    note("there are none yet; programs register themselves, or 'cairn client add' adds one");
  } else {
    table.print(kit.out);
  }
  return 0;
}

Result<int> run_one(Kit& kit, std::string_view tool, std::string_view member,
                    const OAuthArguments& given, std::string_view done) {
  auto& client = *TRY(kit.client());
  const auto answer = TRY(client.call(tool, {{member, given.id}}));
  if (kit.options.json) {
    kit.out.print_json(answer);
  } else {
    note(fmt::format("{} {}", given.id, done));
  }
  return 0;
}

Result<int> run_grants(Kit& kit) {
  auto& client = *TRY(kit.client());
  const auto answer = TRY(collect(client, "list_grants", {{"limit", 1000}}, "grants"));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  Table table({{"GRANT"}, {"PROGRAM"}, {"FROM"}, {"FOR"}, {"MAY"}, {"USED"}});
  for (const auto& item : client::rows_of(answer.as_object(), "grants")) {
    const Arguments row(item.as_object());
    const Arguments delegate(row.object().at("delegate").as_object());
    const bool ended = delegate.maybe_number("revokedAt").has_value();
    const auto used = row.maybe_number("usedAt");
    table.add({{std::string(row.text("delegateId")), Style::kCyan},
               kit.out.safe(row.text("clientName")),
               kit.out.safe(row.maybe_text("clientHost").value_or("not known")),
               kit.out.safe(row.text("resource")),
               std::string(ended                             ? "revoked"
                           : delegate.flag("canManageDepot") ? "read, write, manage"
                           : delegate.flag("canUpload")      ? "read, write"
                                                             : "read"),
               used ? human_time(*used) : std::string("never")});
  }
  if (table.empty()) {
    note("no program was let in");
  } else {
    table.print(kit.out);
  }
  return 0;
}

}  // namespace

void add_oauth_commands(Commands& commands) {
  auto given = std::make_shared<OAuthArguments>();
  auto clients =
      commands.add_group({.name = "client",
                          .description = "Programs that may ask people for access, by OAuth",
                          .example = "cairn client list",
                          .group = "Server"});
  auto add = commands.add(
      clients,
      {.name = "add",
       .description = "Add a program under a name that you vouch for",
       .example = "cairn client add 'Our bot' --redirect https://bot.example/callback",
       .more = "Most programs register themselves; those that cannot are given the id it prints."},
      [given](Kit& kit) { return run_add(kit, *given); });
  add.add_argument("NAME", given->name, "As people will see it");
  add.add_value("--redirect", given->redirects, "URI",
                "Where its answers may go; on this machine the port may differ; may be repeated")
      .repeated();
  add.add_value("--id", given->id, "URL", "The address of its metadata document [one is made]");
  add.add_value("--scope", given->scope, "SCOPE",
                "What people may grant it at most, e.g. cas:read [all]");
  add.add_flag("--secret", given->secret, "It can keep a secret: make one");
  commands.add(clients,
               {.name = "list",
                .description = "Show the programs that are known",
                .example = "cairn client list"},
               [](Kit& kit) { return run_clients(kit); });
  auto remove = commands.add(clients,
                             {.name = "remove",
                              .description = "Forget a program; what it was granted stays",
                              .example = "cairn client remove clt_…"},
                             [given](Kit& kit) {
                               return run_one(kit, "remove_oauth_client", "clientId", *given,
                                              "is not known any more");
                             });
  remove.add_argument("ID", given->id, "clt_…, or the address of its document");

  auto grants = commands.add_group({.name = "grant",
                                    .description = "What you have granted to programs, by OAuth",
                                    .example = "cairn grant list",
                                    .group = "Access"});
  commands.add(grants,
               {.name = "list",
                .description = "Show the programs that you let in",
                .example = "cairn grant list",
                .more = "'cairn delegate update' changes what one may do, at once."},
               [](Kit& kit) { return run_grants(kit); });
  auto revoke =
      commands.add(grants,
                   {.name = "revoke",
                    .description = "End what a program was granted, at once",
                    .example = "cairn grant revoke dlt_…"},
                   [given](Kit& kit) {
                     return run_one(kit, "revoke_grant", "delegateId", *given, "has ended");
                   });
  revoke.add_argument("ID", given->id, "dlt_…, as list has it");
}

}  // namespace cairn::cli
