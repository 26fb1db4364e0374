// cairn import, export.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/explain.h"
#include "base/quote.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/kit.h"
#include "exposure/cli/progress.h"
#include "exposure/client/transfer.h"
#include "tools/executor/arguments.h"

namespace cairn::cli {
namespace {

struct TransferArguments {
  std::string directory;
  std::string where;
  client::ImportHow how;
  std::string max_size;
  std::size_t max_files = client::RoomLimits().max_files;
};

json::Object render(const PathList& list) {
  json::Array paths;
  for (const auto& path : list.paths) paths.emplace_back(path);
  return {{"files", list.files}, {"paths", std::move(paths)}};
}

json::Object render(const client::Imported& done, const client::ImportTarget& target,
                    bool dry_run) {
  json::Object out;
  const auto& tree = target.tree;
  if (tree && tree->kind == client::TreeKind::kDepot) out["depotId"] = tree->key;
  out["root"] = done.root;
  out["changed"] = done.changed;
  out["merged"] = done.merged;
  out["files"] = done.files;
  out["bytes"] = done.bytes;
  out["unchanged"] = done.unchanged;
  json::Array skipped;
  // Names that are not UTF-8 are among the reasons.
  for (const auto& reason : done.skipped) skipped.emplace_back(shown(reason, 10'000));
  out["skipped"] = std::move(skipped);
  const auto& changes = done.changes;
  out["added"] = render(changes.added);
  out["updated"] = render(changes.changed);
  out["removed"] = render(changes.removed);
  out["kept"] = render(changes.kept);
  out["absent"] = render(changes.absent);
  out["overwritten"] = render(changes.overwritten);
  out["conflicts"] = render(changes.conflicts);
  if (dry_run) out["dryRun"] = true;
  return out;
}

// A line for each path, as many as one reads.
void note_paths(std::string_view what, const PathList& list, std::size_t most) {
  for (std::size_t i = 0; i < std::min(most, list.paths.size()); ++i) {
    note(fmt::format("{}  {}", what, shown(list.paths[i], 10'000)));
  }
  if (list.paths.size() > most) {
    note(fmt::format("{}  … {} in all; --json has the paths", what,
                     counted(static_cast<std::int64_t>(list.files), "file")));
  }
}

void note_changes(const client::Imported& done, bool dry_run) {
  // People want to know what goes; what comes they have before them, unless nothing is done yet.
  constexpr std::size_t kFew = 20;
  const auto& changes = done.changes;
  if (dry_run) {
    note_paths("add", changes.added, kFew);
    note_paths("change", changes.changed, kFew);
    note_paths("keep", changes.kept, kFew);
    note_paths("absent", changes.absent, kFew);
  }
  note_paths(dry_run ? "remove" : "removed", changes.removed, kFew);
  note_paths(dry_run ? "overwrite" : "overwritten", changes.overwritten, kFew);
  note_paths("conflict", changes.conflicts, kFew);
  std::string line = fmt::format("{} added, {} changed, {} removed", changes.added.files,
                                 changes.changed.files, changes.removed.files);
  if (changes.kept.files > 0) line += fmt::format("; {} of others kept", changes.kept.files);
  if (changes.absent.files > 0) {
    line += fmt::format("; {} removed by others not brought back", changes.absent.files);
  }
  note(line);
}

Result<int> run_import(Kit& kit, const TransferArguments& given) {
  std::error_code error;
  if (!std::filesystem::is_directory(given.directory, error)) {
    return fail(
        std::filesystem::exists(given.directory, error) ? Code::kInvalidArgument : Code::kNotFound,
        "'{}' is not a directory", shown(given.directory));
  }
  // Before anything that has threads of its own.
  Progress progress;
  const EndsOnInterrupt interrupt(progress);
  auto& client = *TRY(kit.client(Create::kYes));
  auto target = TRY(import_target(client, given.where));
  const bool dry_run = given.how.dry_run;
  auto done = [&] {
    ProgressLine line(progress, "importing");
    return import_tree(client, target, given.directory, given.how, progress);
  }();
  if (!done && progress.stop) {
    note("interrupted; nothing was imported");
    return kInterrupted;
  }
  if (!done && done.error().code == Code::kConflict) {
    return Failure(advised(std::move(done).error(), "force is --force, and --dry-run shows all"));
  }
  const auto imported = TRY(std::move(done));
  const bool refused = imported.changes.conflicts.files > 0;
  const int code = refused ? info(Code::kConflict).exit_code : 0;
  if (kit.options.json) {
    kit.out.print_json(render(imported, target, dry_run));
    return code;
  }
  for (const auto& reason : imported.skipped) note("skipped " + shown(reason, 10'000));
  note(fmt::format("{}, {}; {} unchanged",
                   counted(static_cast<std::int64_t>(imported.files), "file"),
                   human_size(static_cast<std::int64_t>(imported.bytes)), imported.unchanged));
  const bool is_depot = !target.tree || target.tree->kind == client::TreeKind::kDepot;
  if (is_depot) note_changes(imported, dry_run);
  if (imported.merged) note("others had committed; their changes were merged in");
  if (dry_run) {
    note(refused ? "this import would be refused: it needs --force"
                 : "nothing was committed: this was a dry run");
    return code;
  }
  kit.out.print("{}\n", imported.root);
  return code;
}

json::Object render(const ExportResult& done) {
  json::Array damaged;
  for (const auto& [path, why] : done.left_out) {
    damaged.emplace_back(json::Object{{"path", path}, {"message", why}});
  }
  return {{"files", done.files},
          {"bytes", done.bytes},
          {"damagedCount", done.damaged},
          {"damaged", std::move(damaged)}};
}

Result<ExportResult> export_shown(client::Client& client, const TransferArguments& given,
                                  Progress& progress) {
  const auto from = TRY(resolve_address(client, given.where));
  const auto answer = TRY(client.call("fs_stat", from.arguments()));
  if (Arguments(answer.as_object()).text("type") != "dir") {
    return fail(Code::kNotADirectory, "'{}' is a file; use 'cairn cat'", shown(given.where));
  }
  ProgressLine line(progress, "exporting");
  client::RoomLimits limits{.max_files = given.max_files};
  if (!given.max_size.empty()) {
    limits.max_bytes = static_cast<std::uint64_t>(TRY(parse_size(given.max_size)));
  }
  return export_tree(client, from, given.directory, progress, limits);
}

Result<int> run_export(Kit& kit, const TransferArguments& given) {
  Progress progress;
  const EndsOnInterrupt interrupt(progress);
  auto exported = export_shown(*TRY(kit.client()), given, progress);
  if (!exported && progress.stop) {
    note("interrupted; what had been written was removed");
    return kInterrupted;
  }
  const auto done = TRY(std::move(exported));
  const int code = done.damaged == 0 ? 0 : info(Code::kCorruptNode).exit_code;
  if (kit.options.json) {
    kit.out.print_json(render(done));
    return code;
  }
  for (const auto& [path, why] : done.left_out) {
    note(fmt::format("damaged  {}: {}", shown(path, 10'000), why));
  }
  note(fmt::format("{}, {}", counted(static_cast<std::int64_t>(done.files), "file"),
                   human_size(static_cast<std::int64_t>(done.bytes))));
  if (done.damaged > 0) {
    note(fmt::format("{} left out because of damage; 'cairn fsck --repair --from' may heal {}",
                     counted(static_cast<std::int64_t>(done.damaged), "path was", "paths were"),
                     done.damaged == 1 ? "it" : "them"));
  }
  return code;
}

}  // namespace

void add_transfer_commands(Commands& commands) {
  auto given = std::make_shared<TransferArguments>();
  auto command = commands.add(
      {.name = "import",
       .description = "Bring what changed in a directory into a depot, and commit it",
       .example = "cairn import ./my-project my-project -m 'First import'",
       .more =
           "A depot of that title is made when there is none. What the directory lost since its\n"
           "last import is removed; what others put into the depot stays; what both changed is\n"
           "merged, or nothing is done. Links, devices and names that are not UTF-8 are skipped\n"
           "and said so. Modes and times are not kept.",
       .group = "Files"},
      [given](Kit& kit) { return run_import(kit, *given); });
  command.add_argument("DIR", given->directory, "The directory to import");
  command.add_argument("WHERE", given->where, "DEPOT, or DEPOT:PATH");
  command.add_value("-m,--message", given->how.message, "TEXT", "What was done and why");
  command.add_flag("--dry-run", given->how.dry_run, "Only show what would be done");
  command.add_flag("--delete", given->how.remove_others,
                   "Also remove what others put there: it becomes exactly the directory");
  command.add_flag("--force", given->how.overwrite,
                   "Take the directory's side of what both changed");
  command =
      commands.add({.name = "export",
                    .description = "Write a tree into a new or empty directory",
                    .example = "cairn export my-project:docs ./docs",
                    .more = "What is damaged is left out and listed; the exit code is 6 then.",
                    .group = "Files"},
                   [given](Kit& kit) { return run_export(kit, *given); });
  command.add_argument("WHERE", given->where, "DEPOT, or DEPOT:PATH");
  command.add_argument("DIR", given->directory, "A directory that is empty or not there");
  command.add_value("--max-size", given->max_size, "SIZE",
                    "Refuse what is larger [what is free on the disk]");
  command.add_value("--max-files", given->max_files, "N", "Refuse more files [10000000]")
      .positive();
}

}  // namespace cairn::cli
