// cairn delegate create, list, show, update, rotate, revoke.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/delegate_rows.h"
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
  bool key = false;
  // Of a change: what is taken away, and what is to be as it is for the parent.
  bool read_only = false;
  bool no_manage = false;
  bool all_depots = false;
  bool all_places = false;
  bool no_directories = false;
  std::string overlap;
  bool no_history = false;
};

Result<json::Object> arguments_of(client::Client& client, const DelegateArguments& given) {
  json::Object out;
  if (!given.name.empty()) out["name"] = given.name;
  if (given.can_upload) out["canUpload"] = true;
  if (given.can_manage) out["canManageDepot"] = true;
  if (given.key) out["lasting"] = true;
  if (given.no_history) out["history"] = false;
  if (!given.expires.empty()) out["expiresIn"] = TRY(parse_duration(given.expires)).count();
  json::Array depots;
  for (const auto& depot : given.depots) depots.emplace_back(TRY(resolve_depot(client, depot)));
  if (!depots.empty()) out["delegatedDepots"] = std::move(depots);
  json::Array scope;
  for (const auto& root : given.scope) scope.emplace_back(TRY(scope_root(client, root)));
  if (!scope.empty()) out["scope"] = std::move(scope);
  auto directories = grants(given.directories);
  if (!directories.empty()) out["directories"] = std::move(directories);
  return out;
}

Result<void> one_of_two(bool first, bool second, std::string_view names) {
  if (!first || !second) return {};
  return fail(Code::kInvalidArgument, "{} say the opposite; give one of them", names);
}

constexpr std::string_view kAsParent = "parent";

Result<json::Object> change_of(client::Client& client, const DelegateArguments& given) {
  TRY(one_of_two(given.can_upload, given.read_only, "--can-upload and --read-only"));
  TRY(one_of_two(given.can_manage, given.no_manage, "--can-manage-depot and --no-manage-depot"));
  TRY(one_of_two(!given.depots.empty(), given.all_depots, "--depot and --all-depots"));
  TRY(one_of_two(!given.scope.empty(), given.all_places, "--scope and --all-places"));
  TRY(one_of_two(!grants(given.directories).empty(), given.no_directories,
                 "--directory and --no-directories"));
  auto told = given;
  if (given.expires == kAsParent) told.expires.clear();
  auto out = TRY(arguments_of(client, told));
  out["delegateId"] = given.id;
  if (given.read_only) out["canUpload"] = false;
  if (given.no_manage) out["canManageDepot"] = false;
  if (given.all_depots) out["delegatedDepots"] = nullptr;
  if (given.all_places) out["scope"] = nullptr;
  if (given.no_directories) out["directories"] = json::Array();
  if (given.expires == kAsParent) out["expiresIn"] = nullptr;
  return out;
}

int show_issued(Kit& kit, const json::Value& answer) {
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  Arguments issued(answer.as_object());
  show_delegate(kit.out, Arguments(client::object_of(issued.object(), "delegate")));
  const auto refresh = issued.maybe_text("refreshToken");
  kit.out.print("  {}  {}\n", refresh ? "access " : "key    ", issued.text("accessToken"));
  kit.out.print("  until    {}\n", human_time(issued.number("accessTokenExpiresAt")));
  if (refresh) kit.out.print("  refresh  {}\n", *refresh);
  note(refresh ? "the tokens are shown this once" : "the key is shown this once");
  return 0;
}

Result<int> run_create(Kit& kit, const DelegateArguments& given) {
  auto& client = *TRY(kit.client());
  auto arguments = TRY(arguments_of(client, given));
  return show_issued(kit, TRY(client.call("create_delegate", arguments)));
}

Result<int> run_update(Kit& kit, const DelegateArguments& given) {
  auto& client = *TRY(kit.client());
  const auto answer = TRY(client.call("update_delegate", TRY(change_of(client, given))));
  if (kit.options.json) {
    kit.out.print_json(answer);
  } else {
    show_delegate(kit.out, Arguments(answer.as_object()));
  }
  return 0;
}

Result<int> run_rotate(Kit& kit, const DelegateArguments& given) {
  auto& client = *TRY(kit.client());
  json::Object arguments;
  if (!given.id.empty()) arguments["delegateId"] = given.id;
  if (!given.overlap.empty()) {
    arguments["overlap"] = given.overlap == "0" ? 0 : TRY(parse_duration(given.overlap)).count();
  }
  if (!given.expires.empty()) {
    arguments["expiresIn"] = TRY(parse_duration(given.expires)).count();
  }
  return show_issued(kit, TRY(client.call("rotate_key", arguments)));
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
  Table table({{"DELEGATE"}, {"NAME"}, {"KIND"}, {"RIGHTS"}, {"SEES"}, {"USED"}, {"ENDS"}});
  for (const auto& item : client::rows_of(answer.as_object(), "delegates")) {
    Arguments row(item.as_object());
    table.add({{std::string(row.text("delegateId")), Style::kCyan},
               kit.out.safe(row.text("name")),
               std::string(kind_of(row)),
               rights_of(row),
               kit.out.safe(sees(row)),
               used(row),
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

void add_rights_options(Command& command, DelegateArguments& given) {
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
}

void add_create_options(Command command, DelegateArguments& given) {
  add_rights_options(command, given);
  command.add_value("--expires-in", given.expires, "TIME",
                    "Seconds, or 1h, 7d [as yours, with --key 90d]");
  command.add_flag("--key", given.key, "One key that lasts, at most 366d, instead of tokens");
}

void add_update_options(Command command, DelegateArguments& given) {
  command.add_argument("ID", given.id, "dlt_…");
  add_rights_options(command, given);
  command.add_flag("--read-only", given.read_only, "May not write and commit any more");
  command.add_flag("--no-manage-depot", given.no_manage, "May not create and rename any more");
  command.add_flag("--all-depots", given.all_depots, "Any depot that its parent may use");
  command.add_flag("--all-places", given.all_places, "All that its parent sees");
  command.add_flag("--no-directories", given.no_directories, "No directory of the server's");
  command.add_value("--expires-in", given.expires, "TIME",
                    "From now: seconds, or 1h, 7d; 'parent': as its parent");
}

void add_rotate_options(Command command, DelegateArguments& given) {
  command.add_argument("ID", given.id, "dlt_… [you]").required(false);
  command.add_value("--overlap", given.overlap, "TIME",
                    "How long the old key is good yet; 0: it ends at once [1d]");
  command.add_value("--expires-in", given.expires, "TIME",
                    "How long the new one is good, at most 366d [until the old one would have]");
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
       .more =
           "It is read-only unless told otherwise, and sees what you see unless narrowed. The\n"
           "access token is good for an hour; the refresh token is traded in for new ones. With\n"
           "--key it is one key instead, for what cannot renew its token: CI, containers."},
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

  command = commands.add(
      group,
      {.name = "update",
       .description = "Give a delegate more or less, at once",
       .example = "cairn delegate update dlt_… --read-only --scope my-project:docs",
       .more = "What is not named stays as it is. Its token stays the same, and it never has more\n"
               "than its parent; all below it lose what it loses."},
      [given](Kit& kit) { return run_update(kit, *given); });
  add_update_options(command, *given);

  command =
      commands.add(group,
                   {.name = "rotate",
                    .description = "A new key for a delegate that has one",
                    .example = "cairn delegate rotate dlt_… --expires-in 90d",
                    .more = "The old key is good for a day yet, so that nothing stops meanwhile."},
                   [given](Kit& kit) { return run_rotate(kit, *given); });
  add_rotate_options(command, *given);

  command = commands.add(group,
                         {.name = "revoke",
                          .description = "End a delegate, and all below it, at once",
                          .example = "cairn delegate revoke dlt_…"},
                         [given](Kit& kit) { return run_one(kit, *given, "revoke_delegate"); });
  command.add_argument("ID", given->id, "dlt_…");
}

}  // namespace cairn::cli
