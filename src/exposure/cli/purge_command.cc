// cairn purge.
#include <cstdio>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>

#include <unistd.h>

#include "base/quote.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/kit.h"
#include "exposure/client/address.h"
#include "exposure/client/pages.h"
#include "tools/executor/arguments.h"

namespace cairn::cli {
namespace {

constexpr std::size_t kMostNamed = 5;

struct PurgeArguments {
  std::string where;
  bool everywhere = false;
  bool dry_run = false;
  bool yes = false;
};

// `my-project@#3:notes/secret.txt`, and what ends it.
std::string describe(const Output& out, const Arguments& holder) {
  const auto kind = holder.text("kind");
  std::string text;
  if (kind == "scope") {
    text = fmt::format("the scope of the delegate {} {}: revoke it", holder.text("delegateId"),
                       out.safe(holder.text("name")));
  } else if (kind == "draft") {
    text = fmt::format("a root that is not committed, {}, of {}", holder.text("root"),
                       holder.text("depotId"));
  } else if (kind == "import") {
    text = fmt::format("what a directory had when it was imported to {}",
                       out.safe(holder.text("title")));
  } else if (kind == "upload") {
    text = "nodes that were uploaded and are part of nothing yet";
  } else {
    const auto change = holder.maybe_number("change");
    text = fmt::format("{}{}:{}", out.safe(holder.text("title")),
                       change ? fmt::format("@#{}", *change) : "", out.safe(holder.text("path")));
    if (kind == "deleted depot") text += fmt::format(", deleted ({})", holder.text("depotId"));
  }
  if (auto until = holder.maybe_number("until")) {
    text += fmt::format(", until {} at most", human_time(*until));
  }
  return text;
}

// After a run nothing is at the path any more: what is left of it is named by its key.
void say_what_next(const PurgeArguments& given, const Arguments& report) {
  if (given.dry_run) {
    if (!given.everywhere) note("--everywhere takes it from other paths, depots and drafts too");
    return;
  }
  const auto& content = report.object().at("content").as_array();
  for (const auto& key : content | std::views::take(kMostNamed)) {
    note(fmt::format("to take it from wherever it is: cairn purge {}", key.as_string().c_str()));
  }
  if (content.size() > kMostNamed) {
    note(fmt::format("and {} more; --json names them all", content.size() - kMostNamed));
  }
}

void show(Kit& kit, const PurgeArguments& given, const Arguments& report) {
  auto& out = kit.out;
  const bool dry = given.dry_run;
  out.print("{} it from {} in {}; {} {}, {} {}\n", dry ? "would take" : "took",
            counted(report.number("versions"), "version"),
            counted(report.number("depots"), "depot"), dry ? "would remove" : "removed",
            counted(report.number("removed"), "node"), dry ? "free" : "freed",
            human_size(report.number("freedBytes")));
  if (const auto drafts = report.number("drafts"); drafts > 0) {
    out.print("{} {} given up\n",
              counted(drafts, "root that was not committed", "roots that were not committed"),
              dry ? "would be" : "are");
  }
  if (report.flag("gone")) {
    out.print("{}\n",
              dry ? "nothing of it would be stored any more" : "nothing of it is stored any more");
  } else {
    out.print("{} of it {} stored; this holds {}:\n",
              counted(report.number("kept"), "file or directory", "files and directories"),
              dry ? "would stay" : "is still", report.number("kept") == 1 ? "it" : "them");
    for (const auto& holder : client::rows_of(report.object(), "holders")) {
      out.print("  {}\n", describe(out, Arguments(holder.as_object())));
    }
    if (report.flag("moreHolders")) out.print("  and more\n");
    say_what_next(given, report);
  }
  note(report.text("note"));
}

// Asks on a terminal only: elsewhere the command itself says it.
Result<void> confirm(const PurgeArguments& given) {
  if (given.yes || given.dry_run) return {};
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1) return {};
  fmt::print(stderr, "Remove {} for good, from every version too? Type yes: ", shown(given.where));
  std::fflush(stderr);
  char answer[16] = {};
  if (std::fgets(answer, sizeof answer, stdin) != nullptr &&
      (std::string_view(answer) == "yes\n" || std::string_view(answer) == "y\n")) {
    return {};
  }
  return fail(Code::kInvalidArgument, "not purged");
}

Result<int> run_purge(Kit& kit, const PurgeArguments& given) {
  auto& client = *TRY(kit.client());
  const auto what = TRY(resolve_address(client, given.where));
  const bool node = what.tree.kind == client::TreeKind::kNode;
  if (node && !what.path.empty()) {
    return fail(Code::kInvalidArgument,
                "'{}' is a path in a node; name the file by its own key, or by DEPOT:PATH",
                shown(given.where));
  }
  if (!node) TRY(resolve_file(client, given.where));
  TRY(confirm(given));
  json::Object arguments;
  if (node) {
    arguments["nodeKey"] = what.tree.key;
  } else {
    arguments["depotId"] = what.tree.key;
    arguments["path"] = what.path;
  }
  if (given.everywhere) arguments["everywhere"] = true;
  if (given.dry_run) arguments["dryRun"] = true;
  const auto answer = TRY(client.call("purge", arguments));
  if (kit.options.json) {
    kit.out.print_json(answer);
  } else {
    show(kit, given, Arguments(answer.as_object()));
  }
  // Done as far as it could be; somebody who purges a secret must not take that for all.
  return given.dry_run || Arguments(answer.as_object()).flag("gone") ? 0 : 4;
}

}  // namespace

void add_purge_command(Commands& commands) {
  auto given = std::make_shared<PurgeArguments>();
  auto command = commands.add(
      {.name = "purge",
       .description = "Remove content for good, from every version too",
       .example = "cairn purge my-project:notes/secret.txt --dry-run",
       .more = "Of DEPOT:PATH, whatever is there and was in any version; of a node, wherever it "
               "is.\nVersions keep their number, time, author and message. Says what still holds "
               "it: other\npaths and depots, deleted depots, roots that are not committed, scopes "
               "of delegates.\nBroken off, run it again. Cannot be undone.",
       .group = "Care"},
      [given](Kit& kit) { return run_purge(kit, *given); });
  command.add_argument("WHAT", given->where, "DEPOT:PATH, or a node's key (nod_…)");
  command.add_flag("--everywhere", given->everywhere,
                   "The same content at other paths and in other depots too");
  command.add_flag("--dry-run", given->dry_run, "Only say what would go and what would stay");
  command.add_flag("-y,--yes", given->yes, "Do not ask");
}

}  // namespace cairn::cli
