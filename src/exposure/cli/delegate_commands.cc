// cairn delegate create, list, show, revoke.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/directory_options.h"
#include "exposure/cli/kit.h"
#include "exposure/client/address.h"
#include "exposure/client/pages.h"

namespace cairn::cli {
namespace {

struct DelegateArguments {
  std::string id;
  std::string name;
  std::string parent;
  std::string expires;
  std::vector<std::string> depots;
  std::vector<std::string> scope;
  DirectoryOptions directories;
  bool can_upload = false;
  bool can_manage = false;
  bool no_history = false;
};

bool is_by_index(std::string_view scope) {
  return scope == "." || std::ranges::all_of(scope, [](char c) { return is_digit(c) || c == ':'; });
}

// `my-project:docs` becomes `dpt_…/docs`; `.` and `0:1:2` stay as they are.
Result<std::string> scope_of(client::Client& client, const std::string& text) {
  if (is_by_index(text)) return text;
  auto address = TRY(resolve_address(client, text));
  return address.path.empty() ? address.tree.key : address.tree.key + "/" + address.path;
}

Result<json::Object> arguments_of(client::Client& client, const DelegateArguments& given) {
  json::Object out;
  if (!given.name.empty()) out["name"] = given.name;
  if (given.can_upload) out["canUpload"] = true;
  if (given.can_manage) out["canManageDepot"] = true;
  if (given.no_history) out["history"] = false;
  if (!given.expires.empty()) out["expiresIn"] = TRY(parse_duration(given.expires)).count();
  json::Array depots;
  for (const auto& depot : given.depots) depots.emplace_back(TRY(resolve_depot(client, depot)));
  if (!depots.empty()) out["delegatedDepots"] = std::move(depots);
  json::Array scope;
  for (const auto& root : given.scope) scope.emplace_back(TRY(scope_of(client, root)));
  if (!scope.empty()) out["scope"] = std::move(scope);
  auto directories = grants(given.directories);
  if (!directories.empty()) out["directories"] = std::move(directories);
  return out;
}

std::string rights_of(const Arguments& delegate) {
  std::string out = "read";
  if (delegate.flag("canUpload")) out += ", upload";
  if (delegate.flag("canManageDepot")) out += ", manage depots";
  if (delegate.has("history") && !delegate.flag("history")) out += ", no history";
  for (const auto& item : client::rows_of(delegate.object(), "directories")) {
    const Arguments grant(item.as_object());
    out += fmt::format(", {} directory {}", grant.flag("write") ? "write in" : "read",
                       grant.text("name"));
  }
  return out;
}

std::string sees(const Arguments& delegate) {
  std::string out;
  for (std::string_view name : {"delegatedDepots", "scope"}) {
    for (const auto& text : delegate.texts(name).value_or(std::vector<std::string>())) {
      out += (out.empty() ? "" : ", ") + text;
    }
  }
  if (!out.empty()) return out;
  return delegate.maybe_text("parentId") ? "what its parent sees" : "everything";
}

std::string ends(const Arguments& delegate) {
  if (auto revoked = delegate.maybe_number("revokedAt")) return "revoked " + human_time(*revoked);
  if (auto expires = delegate.maybe_number("expiresAt")) return human_time(*expires);
  return "never";
}

void show_delegate(Output& out, const Arguments& delegate) {
  out.print("{}  {}\n", out.paint(Style::kBold, delegate.text("delegateId")),
            out.safe(delegate.text("name")));
  out.print("  parent   {}\n", delegate.maybe_text("parentId").value_or("none, it is the root"));
  out.print("  rights   {}\n", rights_of(delegate));
  out.print("  sees     {}\n", out.safe(sees(delegate)));
  out.print("  created  {}\n", human_time(delegate.number("createdAt")));
  out.print("  ends     {}\n", ends(delegate));
}

Result<int> run_create(Kit& kit, const DelegateArguments& given) {
  auto& client = *TRY(kit.client());
  auto arguments = TRY(arguments_of(client, given));
  const auto answer = TRY(client.call("create_delegate", arguments));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  Arguments issued(answer.as_object());
  show_delegate(kit.out, Arguments(client::object_of(issued.object(), "delegate")));
  kit.out.print("  access   {}\n", issued.text("accessToken"));
  kit.out.print("  until    {}\n", human_time(issued.number("accessTokenExpiresAt")));
  kit.out.print("  refresh  {}\n", issued.text("refreshToken"));
  note("the tokens are shown this once");
  return 0;
}

Result<int> run_list(Kit& kit, const DelegateArguments& given) {
  auto& client = *TRY(kit.client());
  json::Object arguments{{"limit", 1000}};
  if (!given.parent.empty()) arguments["parentId"] = given.parent;
  const auto answer = TRY(collect(client, "list_delegates", std::move(arguments), "delegates"));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  Table table({{"DELEGATE"}, {"NAME"}, {"RIGHTS"}, {"SEES"}, {"ENDS"}});
  for (const auto& item : client::rows_of(answer.as_object(), "delegates")) {
    Arguments row(item.as_object());
    table.add({{std::string(row.text("delegateId")), Style::kCyan},
               kit.out.safe(row.text("name")),
               rights_of(row),
               kit.out.safe(sees(row)),
               ends(row)});
  }
  if (table.empty()) {
    note("there are none; 'cairn delegate create' makes one");
  } else {
    table.print(kit.out);
  }
  return 0;
}

Result<int> run_one(Kit& kit, const DelegateArguments& given, std::string_view tool) {
  auto& client = *TRY(kit.client());
  json::Object arguments;
  if (!given.id.empty()) arguments["delegateId"] = given.id;
  const auto answer = TRY(client.call(tool, arguments));
  if (kit.options.json) {
    kit.out.print_json(answer);
  } else {
    show_delegate(kit.out, Arguments(answer.as_object()));
  }
  return 0;
}

void add_create_options(Command command, DelegateArguments& given) {
  command.add_value("--name", given.name, "NAME", "For people");
  command.add_flag("--can-upload", given.can_upload, "May write and commit");
  command.add_flag("--can-manage-depot", given.can_manage, "May create, rename and delete depots");
  command.add_value("--depot", given.depots, "DEPOT", "Only this depot; may be repeated")
      .repeated();
  command
      .add_value(
          "--scope", given.scope, "SCOPE",
          "Only what is there: DEPOT:PATH as it is now, nod_… as it is for ever; may be repeated")
      .repeated();
  command.add_flag("--no-history", given.no_history,
                   "Only what there is now: no earlier versions, no undo");
  add_directory_options(command, given.directories);
  command.add_value("--expires-in", given.expires, "TIME", "Seconds, or 1h, 7d [as yours]");
}

}  // namespace

void add_delegate_commands(Commands& commands) {
  auto group = commands.add_group({.name = "delegate",
                                   .description = "Give a part of your rights to somebody else",
                                   .example = "cairn delegate list",
                                   .group = "Access"});
  auto given = std::make_shared<DelegateArguments>();
  auto command = commands.add(
      group,
      {.name = "create",
       .description = "Make a delegate and print its tokens",
       .example = "cairn delegate create --name doc-writer --can-upload --scope my-project:docs",
       .more = "It is read-only unless told otherwise, and sees what you see unless narrowed. The\n"
               "access token is good for an hour; the refresh token is traded in for new ones."},
      [given](Kit& kit) { return run_create(kit, *given); });
  add_create_options(command, *given);

  command = commands.add(group,
                         {.name = "list",
                          .description = "The delegates you made, oldest first",
                          .example = "cairn delegate list"},
                         [given](Kit& kit) { return run_list(kit, *given); });
  command.add_value("--parent", given->parent, "ID", "Those that one below you made");

  command = commands.add(group,
                         {.name = "show",
                          .description = "One delegate, or yourself",
                          .example = "cairn delegate show"},
                         [given](Kit& kit) { return run_one(kit, *given, "get_delegate"); });
  command.add_argument("ID", given->id, "dlt_… [you]").required(false);

  command = commands.add(group,
                         {.name = "revoke",
                          .description = "End a delegate, and all below it, at once",
                          .example = "cairn delegate revoke dlt_…"},
                         [given](Kit& kit) { return run_one(kit, *given, "revoke_delegate"); });
  command.add_argument("ID", given->id, "dlt_…");
}

}  // namespace cairn::cli
