#include "exposure/cli/tour.h"

#include <cstddef>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/core.h>

#include "data/realm/import.h"
#include "data/realm/owner.h"
#include "data/store/open.h"
#include "data/tree/outline.h"

namespace cairn {
namespace {

// The depot with this title, or a new one.
Result<Depot> depot_titled(Realm& realm, const std::string& title) {
  std::optional<std::string> cursor;
  do {
    auto page = TRY(realm.list_depots(100, cursor));
    for (auto& depot : page.depots) {
      if (depot.title == title) return depot;
    }
    cursor = page.next_cursor;
  } while (cursor);
  return realm.create_depot(title);
}

void print_item(const Outline& tree, std::size_t at, const std::string& indent) {
  const auto& item = tree.items[at];
  const auto& value = item.value;
  if (value.kind == Kind::kFile) {
    fmt::print("{}{}  {} bytes  {}\n", indent, item.name, value.bytes, value.type);
    return;
  }
  auto name = item.name.empty() ? "." : item.name;
  fmt::print("{}{}/  {} files, {} bytes{}\n", indent, name, value.files, value.bytes,
             item.collapsed && value.children > 0 ? "  (collapsed)" : "");
  if (item.collapsed) return;
  for (std::size_t i = 0; i < value.children; ++i) {
    print_item(tree, item.first + i, indent + "  ");
  }
}

}  // namespace

Result<void> run_tour(const TourOptions& options) {
  std::error_code error;
  if (!std::filesystem::is_directory(options.source, error)) {
    return fail(Code::kInvalidArgument, "'{}' is not a directory; name one to import",
                options.source.string());
  }
  SystemClock clock;
  SystemRandom random;
  auto store = TRY(open_rocks_store(options.data, clock));
  auto realm_id = TRY(owner_realm(*store, clock, random));
  Realm realm(*store, realm_id, clock, random);
  fmt::print("store    {}\nrealm    {}\n", options.data.string(), realm_id.render());

  auto title = std::filesystem::weakly_canonical(options.source).filename().string();
  auto depot = TRY(depot_titled(realm, title));
  fmt::print("depot    {}  '{}'\n", depot.id.render(), depot.title);

  Progress progress;
  auto imported = TRY(import_directory(realm, depot.id, options.source, {}, progress));
  for (const auto& skipped : imported.skipped) fmt::print("skipped  {}\n", skipped);
  fmt::print("import   {} files, {} bytes; {} unchanged since the last import\n", imported.files,
             imported.bytes, imported.unchanged);
  fmt::print("root     {}\n\n", imported.commit.depot.root.render());

  Budget budget(clock, {.entries = 500, .bytes = 60'000});
  auto tree = TRY(view_tree(realm.nodes(), imported.commit.depot.root));
  auto shown = TRY(outline(tree, Path(), {}, budget));
  print_item(shown, 0, "");
  if (shown.truncated) fmt::print("(directories that did not fit are collapsed)\n");

  auto history = TRY(realm.history(depot.id, 5, std::nullopt));
  fmt::print("\nhistory, newest first\n");
  for (const auto& entry : history.entries) {
    fmt::print("  {:>4}  {}  {}\n", entry.sequence, entry.root.render_short(), entry.message);
  }
  auto usage = TRY(realm.usage());
  fmt::print("\nusage    {} nodes, {} bytes, {} on disk\n", usage.node_count, usage.logical_bytes,
             usage.physical_bytes);
  return {};
}

}  // namespace cairn
