// cairn depot create, list, show, log, commit, revert, tag, keep, rename, delete, restore.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "base/explain.h"
#include "base/quote.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/history.h"
#include "exposure/cli/kit.h"
#include "exposure/client/address.h"
#include "exposure/client/pages.h"

namespace cairn::cli {
namespace {

struct DepotArguments {
  std::string depot;
  std::string title;
  std::string root;
  std::string expected;
  std::string message;
  std::string keep;
  std::string name;
  bool remove = false;
  bool force = false;
  bool yes = false;
  bool if_not_exists = false;
  bool deleted = false;
  bool dry_run = false;
  std::size_t limit = 0;
};
using Given = std::shared_ptr<DepotArguments>;

void show_depot(Output& out, const Arguments& depot) {
  out.print("{}  {}\n", out.paint(Style::kBold, depot.text("depotId")),
            out.safe(depot.text("title")));
  out.print("  root     {}\n", depot.maybe_text("root").value_or("gone"));
  out.print("  created  {}\n", human_time(depot.number("createdAt")));
  out.print("  updated  {}\n", human_time(depot.number("updatedAt")));
  const auto listed = static_cast<std::int64_t>(client::rows_of(depot.object(), "history").size());
  out.print("  history  {}{}\n", counted(depot.number("historyCount", listed), "earlier version"),
            depot.flag("moreHistory") ? " or more" : "");
  if (const auto keep = depot.maybe_text("keep")) out.print("  keeps    {}\n", *keep);
  for (const auto& item : client::rows_of(depot.object(), "tags")) {
    const Arguments tag(item.as_object());
    out.print("  tag      {}  #{}\n", tag.text("name"), tag.number("change"));
  }
}

Result<int> run_create(Kit& kit, const DepotArguments& given) {
  auto& client = *TRY(kit.client(Create::kYes));
  json::Object arguments{{"title", given.title}};
  if (given.if_not_exists) arguments["ifNotExists"] = true;
  if (!given.keep.empty()) arguments["keep"] = given.keep;
  auto answer = TRY(client.call("create_depot", arguments));
  if (kit.options.json) {
    kit.out.print_json(answer);
  } else {
    kit.out.print("{}\n", Arguments(answer.as_object()).text("depotId"));
  }
  return 0;
}

Result<int> run_list_deleted(Kit& kit) {
  auto& client = *TRY(kit.client());
  auto answer = TRY(client.call("list_depots", {{"deleted", true}}));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  Table table({{"DEPOT"}, {"TITLE"}, {"DELETED"}, {"RESTORABLE UNTIL"}});
  for (const auto& item : client::rows_of(answer.as_object(), "depots")) {
    Arguments row(item.as_object());
    table.add({{std::string(row.text("depotId")), Style::kCyan},
               kit.out.safe(row.text("title")),
               human_time(row.number("deletedAt")),
               human_time(row.number("restorableUntil"))});
  }
  if (table.empty()) {
    note("there are no deleted depots that can be restored");
  } else {
    table.print(kit.out);
  }
  return 0;
}

Result<int> run_list(Kit& kit, const DepotArguments& given) {
  if (given.deleted) return run_list_deleted(kit);
  auto& client = *TRY(kit.client());
  auto answer = TRY(collect(client, "list_depots", {{"limit", 1000}}, "depots"));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  Table table({{"DEPOT"}, {"TITLE"}, {"UPDATED"}, {"ROOT"}});
  for (const auto& item : client::rows_of(answer.as_object(), "depots")) {
    Arguments row(item.as_object());
    table.add({{std::string(row.text("depotId")), Style::kCyan},
               kit.out.safe(row.text("title")),
               human_time(row.number("updatedAt")),
               std::string(row.maybe_text("root").value_or("gone"))});
  }
  if (table.empty()) {
    note("there are no depots; 'cairn depot create TITLE' makes one");
  } else {
    table.print(kit.out);
  }
  return 0;
}

Result<int> run_show(Kit& kit, const DepotArguments& given) {
  auto& client = *TRY(kit.client());
  auto answer =
      TRY(client.call("get_depot", {{"depotId", TRY(resolve_depot(client, given.depot))}}));
  if (kit.options.json) {
    kit.out.print_json(answer);
  } else {
    show_depot(kit.out, Arguments(answer.as_object()));
  }
  return 0;
}

Result<int> run_log(Kit& kit, const DepotArguments& given) {
  return print_history(kit, given.depot, given.limit);
}

Result<int> print_committed(Kit& kit, const json::Value& answer) {
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  Arguments commit(answer.as_object());
  if (commit.flag("dryRun")) {
    kit.out.print("{}\n", commit.flag("changed") ? "would change the depot"
                                                 : "would change nothing: it is so already");
    return 0;
  }
  kit.out.print("{}\n", commit.text("root"));
  if (!commit.flag("changed")) note("the depot had this root already");
  if (commit.flag("merged")) note("others had committed; their changes were merged in");
  return 0;
}

Result<int> run_commit(Kit& kit, const DepotArguments& given) {
  auto& client = *TRY(kit.client());
  json::Object arguments{{"depotId", TRY(resolve_depot(client, given.depot))},
                         {"root", given.root}};
  if (!given.message.empty()) arguments["message"] = given.message;
  if (!given.expected.empty()) arguments["expectedRoot"] = given.expected;
  if (given.force) arguments["force"] = true;
  return print_committed(kit, TRY(client.call("depot_commit", arguments)));
}

Result<int> run_revert(Kit& kit, const DepotArguments& given) {
  auto& client = *TRY(kit.client());
  const auto place = TRY(client::resolve_address(client, given.depot));
  json::Object arguments{{"depotId", place.tree.key}, {"root", client::version_here(given.root)}};
  if (!place.path.empty()) arguments["path"] = place.path;
  if (!given.message.empty()) arguments["message"] = given.message;
  if (given.dry_run) arguments["dryRun"] = true;
  return print_committed(kit, TRY(client.call("depot_revert", arguments)));
}

Result<int> run_tag(Kit& kit, const DepotArguments& given) {
  auto& client = *TRY(kit.client());
  const auto id = TRY(resolve_depot(client, given.depot));
  if (given.name.empty()) {
    const auto depot = TRY(client.call("get_depot", {{"depotId", id}}));
    const auto& tags = client::rows_of(depot.as_object(), "tags");
    if (kit.options.json) {
      kit.out.print_json(json::Object{{"tags", tags}});
      return 0;
    }
    for (const auto& item : tags) {
      const Arguments tag(item.as_object());
      kit.out.print("{}  #{}\n", tag.text("name"), tag.number("change"));
    }
    if (tags.empty()) note("there are no tags; 'cairn depot tag DEPOT NAME' sets one");
    return 0;
  }
  json::Object arguments{{"depotId", id}, {"name", given.name}};
  if (!given.root.empty()) arguments["version"] = client::version_here(given.root);
  if (given.remove) arguments["remove"] = true;
  const auto answer = TRY(client.call("depot_tag", arguments));
  if (kit.options.json) {
    kit.out.print_json(answer);
  } else if (!given.remove) {
    kit.out.print("{}  #{}\n", given.name, Arguments(answer.as_object()).number("change"));
  }
  return 0;
}

Result<int> run_keep(Kit& kit, const DepotArguments& given) {
  auto& client = *TRY(kit.client());
  const auto id = TRY(resolve_depot(client, given.depot));
  const auto answer =
      given.keep.empty()
          ? TRY(client.call("get_depot", {{"depotId", id}}))
          : TRY(client.call("update_depot", {{"depotId", id}, {"keep", given.keep}}));
  if (kit.options.json) {
    kit.out.print_json(answer);
  } else {
    kit.out.print("{}\n", Arguments(answer.as_object()).text("keep"));
  }
  return 0;
}

Result<int> run_rename(Kit& kit, const DepotArguments& given) {
  auto& client = *TRY(kit.client());
  auto answer =
      TRY(client.call("update_depot", {{"depotId", TRY(resolve_depot(client, given.depot))},
                                       {"title", given.title}}));
  if (kit.options.json) kit.out.print_json(answer);
  return 0;
}

// Asks on a terminal; elsewhere nobody could answer.
Result<void> confirm_delete(const Arguments& depot) {
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1) {
    return fail(Code::kInvalidArgument,
                "deleting a depot and its history needs --yes when there is nobody to ask");
  }
  fmt::print(stderr,
             "Delete the depot '{}' ({}) and its history? Type yes: ", shown(depot.text("title")),
             depot.text("depotId"));
  std::fflush(stderr);
  char answer[16] = {};
  if (std::fgets(answer, sizeof answer, stdin) != nullptr &&
      (std::string_view(answer) == "yes\n" || std::string_view(answer) == "y\n")) {
    return {};
  }
  return fail(Code::kInvalidArgument, "not deleted");
}

Result<int> run_delete(Kit& kit, const DepotArguments& given) {
  auto& client = *TRY(kit.client());
  const auto id = TRY(resolve_depot(client, given.depot));
  if (!given.yes) {
    auto depot = TRY(client.call("get_depot", {{"depotId", id}}));
    TRY(confirm_delete(Arguments(depot.as_object())));
  }
  auto answer = TRY(client.call("delete_depot", {{"depotId", id}}));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  const Arguments gone(answer.as_object());
  note(fmt::format("until {} 'cairn depot restore {}' brings it back",
                   human_time(gone.number("restorableUntil")), gone.text("deleted")));
  return 0;
}

// A deleted depot by its id, or by the title it had: the one deleted last, if several had it.
Result<std::string> resolve_deleted(client::Client& client, const std::string& name) {
  if (name.starts_with("dpt_")) return name;
  const auto answer = TRY(client.call("list_depots", {{"deleted", true}}));
  std::string found;
  std::int64_t newest = -1;
  for (const auto& item : client::rows_of(answer.as_object(), "depots")) {
    Arguments row(item.as_object());
    if (row.text("title") != name || row.number("deletedAt") < newest) continue;
    newest = row.number("deletedAt");
    found = row.text("depotId");
  }
  if (!found.empty()) return found;
  return fail(Code::kDepotNotFound,
              "no depot titled '{}' was deleted, or too long ago; 'cairn depot list --deleted' "
              "shows what can be restored",
              shown(name));
}

Result<int> run_restore(Kit& kit, const DepotArguments& given) {
  auto& client = *TRY(kit.client());
  json::Object arguments{{"depotId", TRY(resolve_deleted(client, given.depot))}};
  if (!given.title.empty()) arguments["title"] = given.title;
  auto answer = client.call("restore_depot", arguments);
  if (!answer && answer.error().code == Code::kTargetExists && given.title.empty()) {
    return Failure(advised(std::move(answer).error(), "--title gives the restored one another"));
  }
  if (!answer) return Failure(std::move(answer).error());
  if (kit.options.json) {
    kit.out.print_json(*answer);
  } else {
    kit.out.print("{}\n", Arguments(answer->as_object()).text("depotId"));
  }
  return 0;
}

class DepotGroup final {
 public:
  explicit DepotGroup(Commands& commands)
      : commands_(commands),
        group_(commands.add_group({.name = "depot",
                                   .description = "Make, list, commit to and delete depots",
                                   .example = "cairn depot list",
                                   .group = "Depots"})) {}

  // The command and the arguments it fills.
  std::pair<Command, Given> add(
      const Commands::About& about,
      const std::function<Result<int>(Kit&, const DepotArguments&)>& run) {
    auto given = std::make_shared<DepotArguments>();
    auto command =
        commands_.add(group_, about, [given, run](Kit& kit) { return run(kit, *given); });
    return {command, given};
  }
  std::pair<Command, Given> add_for_one(
      const Commands::About& about,
      const std::function<Result<int>(Kit&, const DepotArguments&)>& run) {
    auto added = add(about, run);
    added.first.add_argument("DEPOT", added.second->depot, "Its title or id");
    return added;
  }

 private:
  Commands& commands_;
  Command group_;
};

}  // namespace

void add_depot_commands(Commands& commands) {
  DepotGroup group(commands);
  {
    auto [command, given] = group.add({.name = "create",
                                       .description = "Make an empty depot and print its id",
                                       .example = "cairn depot create my-project"},
                                      run_create);
    command.add_argument("TITLE", given->title, "For people; no other depot has it, and no ':'");
    command.add_flag("--if-not-exists", given->if_not_exists,
                     "Print the id of the one with the title, if there is one");
    command.add_value("--keep", given->keep, "WHAT",
                      "What of its history is kept [30d,daily=365d,last=100]");
  }
  {
    auto [command, given] = group.add({.name = "list",
                                       .description = "The depots you may see, oldest first",
                                       .example = "cairn depot list"},
                                      run_list);
    command.add_flag("--deleted", given->deleted, "Those that 'cairn depot restore' brings back");
  }
  group.add_for_one({.name = "show",
                     .description = "One depot: its root, its times, its history",
                     .example = "cairn depot show my-project"},
                    run_show);
  {
    for (const auto* name : {"log", "history"}) {
      auto [command, given] =
          group.add_for_one({.name = name,
                             .description = "Its commits, newest first, as 'cairn log' shows them",
                             .example = fmt::format("cairn depot {} my-project -n 5", name)},
                            run_log);
      command.add_value("-n,--limit", given->limit, "N", "At most so many [all]");
    }
  }
  {
    auto [command, given] = group.add_for_one(
        {.name = "commit",
         .description = "Make a root the depot's root, merging what others committed",
         .example = "cairn depot commit my-project nod_… -m 'what and why'"},
        run_commit);
    command.add_argument("ROOT", given->root, "The new root (nod_…)");
    command.add_value("-m,--message", given->message, "TEXT", "What was done and why");
    command.add_value("--expected", given->expected, "ROOT",
                      "The root you started from [remembered]");
    command.add_flag("--force", given->force, "Overwrite what others did");
  }
  {
    auto [command, given] =
        group.add_for_one({.name = "revert",
                           .description = "Bring an earlier version back, or one path of it",
                           .example = "cairn depot revert my-project:src yesterday",
                           .more = "It is a new commit; nothing of the history is lost."},
                          run_revert);
    command.add_argument("VERSION", given->root,
                         "~1, #14, 2h, 2026-11-01, '2026-11-01 14:30', a tag or a root (nod_…)");
    command.add_value("-m,--message", given->message, "TEXT", "Why");
    command.add_flag("--dry-run", given->dry_run, "Only say whether it would change anything");
  }
  {
    auto [command, given] = group.add_for_one(
        {.name = "tag",
         .description = "Name a version, which is then kept for ever; or list them",
         .example = "cairn depot tag my-project v1"},
        run_tag);
    command.add_argument("NAME", given->name, "E.g. v1 [list them]").required(false);
    command.add_argument("VERSION", given->root, "~1, #14, 2h, 2026-11-01 … [now]").required(false);
    command.add_flag("--remove", given->remove, "Take the name away");
  }
  {
    auto [command, given] = group.add_for_one(
        {.name = "keep",
         .description = "Say, or ask, what of a depot's history is kept",
         .example = "cairn depot keep my-project 90d,daily=2y",
         .more = "'all', or any of Nd (everything of N days), daily=Nd (the last version of each\n"
                 "day) and last=N (the newest N). What is not kept goes with 'cairn gc'; versions\n"
                 "with a tag stay."},
        run_keep);
    command.add_argument("WHAT", given->keep, "30d,daily=365d,last=100, or all [ask]")
        .required(false);
  }
  {
    auto [command, given] = group.add_for_one({.name = "rename",
                                               .description = "Give a depot another title",
                                               .example = "cairn depot rename my-project new-name"},
                                              run_rename);
    command.add_argument("TITLE", given->title, "The new title");
  }
  {
    auto [command, given] = group.add_for_one(
        {.name = "delete",
         .description = "Delete a depot and its history",
         .example = "cairn depot delete my-project --yes",
         .more =
             "Asks first on a terminal. 'cairn depot restore' brings it back for a week; after\n"
             "that it is garbage. Its title is free at once."},
        run_delete);
    command.add_flag("-y,--yes", given->yes, "Do not ask");
  }
  {
    auto [command, given] = group.add({.name = "restore",
                                       .description = "Bring a deleted depot back",
                                       .example = "cairn depot restore my-project"},
                                      run_restore);
    command.add_argument("DEPOT", given->depot, "The title it had, or its id");
    command.add_value("--title", given->title, "TITLE", "Another title");
  }
}

}  // namespace cairn::cli
