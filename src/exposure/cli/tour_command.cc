// cairn tour: a first look, without a server.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "base/quote.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/kit.h"
#include "exposure/cli/print_tree.h"
#include "exposure/cli/progress.h"
#include "exposure/client/pages.h"
#include "exposure/client/transfer.h"
#include "tools/executor/arguments.h"

namespace cairn::cli {
namespace {

Result<void> check(const Kit& kit, const std::string& source) {
  if (kit.options.data.empty()) {
    return fail(Code::kInvalidArgument, "name a data directory for the tour with --data");
  }
  std::error_code error;
  if (std::filesystem::is_directory(source, error)) return {};
  return fail(Code::kInvalidArgument, "'{}' is not a directory; name one to import", shown(source));
}

Result<void> import_source(Output& out, client::Client& client, client::ImportTarget& depot,
                           const std::string& source) {
  Progress progress;
  ProgressLine line(progress, "importing");
  const auto done = TRY(import_tree(client, depot, source, {}, progress));
  out.print("depot    {}  '{}'\n", depot.tree->key, out.safe(depot.title));
  for (const auto& reason : done.skipped) out.print("skipped  {}\n", shown(reason, 10'000));
  out.print("import   {}, {}; {} unchanged since the last import\n",
            counted(static_cast<std::int64_t>(done.files), "file"),
            human_size(static_cast<std::int64_t>(done.bytes)), done.unchanged);
  out.print("root     {}\n\n", done.root);
  return {};
}

Result<void> show_tree(Output& out, client::Client& client, const client::Tree& depot) {
  const auto answer = TRY(client.call("fs_tree", {{"nodeKey", depot.key}, {"maxEntries", 500}}));
  const bool collapsed = print_tree(out, answer.as_object());
  if (collapsed) out.print("(directories with … are shown by 'cairn tree')\n");
  return {};
}

Result<void> show_history(Output& out, client::Client& client, const client::Tree& depot) {
  const auto answer = TRY(client.call("depot_history", {{"depotId", depot.key}, {"limit", 5}}));
  out.print("\nhistory, newest first\n");
  for (const auto& item : client::rows_of(answer.as_object(), "entries")) {
    Arguments entry(item.as_object());
    out.print("  {}  {}\n", entry.text("root"), out.safe(entry.text("message")));
  }
  return {};
}

Result<void> show_usage(Output& out, client::Client& client) {
  const auto answer = TRY(client.call("get_usage", {}));
  Arguments usage(answer.as_object());
  out.print("\nusage    {}, {}, {} on disk\n", counted(usage.number("nodeCount"), "node"),
            human_size(usage.number("logicalBytes")), human_size(usage.number("physicalBytes")));
  return {};
}

Result<int> run_tour(Kit& kit, const std::string& source) {
  TRY(check(kit, source));
  auto& out = kit.out;
  auto& client = *TRY(kit.client(Create::kYes));
  const auto realm = TRY(client.call("get_realm_info", {}));
  out.print("store    {}\nrealm    {}\n", kit.options.data,
            Arguments(realm.as_object()).text("realm"));
  std::error_code error;
  const auto title = std::filesystem::weakly_canonical(source, error).filename().string();
  client::ImportTarget target{.tree = TRY(find_tree(client, title)), .title = title, .path = {}};
  TRY(import_source(out, client, target, source));
  const auto& depot = *target.tree;
  TRY(show_tree(out, client, depot));
  TRY(show_history(out, client, depot));
  TRY(show_usage(out, client));
  return 0;
}

}  // namespace

void add_tour_command(Commands& commands) {
  auto source = std::make_shared<std::string>();
  const auto command =
      commands.add({.name = "tour",
                    .description = "Import a directory into a depot and show it, without a server",
                    .example = "cairn tour --data /tmp/cairn-tour src",
                    .group = "Server"},
                   [source](Kit& kit) { return run_tour(kit, *source); });
  command.add_argument("DIR", *source, "The directory to import");
}

}  // namespace cairn::cli
