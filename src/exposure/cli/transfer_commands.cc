// cairn import, export.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

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
  std::string message;
};

Result<client::Imported> import_shown(client::Client& client, const client::Tree& tree,
                                      const TransferArguments& given) {
  Progress progress;
  ProgressLine line(progress, "importing");
  return import_tree(client, tree, given.directory, given.message, progress);
}

json::Object render(const client::Imported& done, const client::Tree& tree) {
  json::Object out;
  if (tree.kind == client::TreeKind::kDepot) out["depotId"] = tree.key;
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
  return out;
}

Result<int> run_import(Kit& kit, const TransferArguments& given) {
  std::error_code error;
  if (!std::filesystem::is_directory(given.directory, error)) {
    return fail(
        std::filesystem::exists(given.directory, error) ? Code::kInvalidArgument : Code::kNotFound,
        "'{}' is not a directory", shown(given.directory));
  }
  auto& client = *TRY(kit.client(Create::kYes));
  const auto tree = TRY(import_target(client, given.where));
  const auto done = TRY(import_shown(client, tree, given));
  if (kit.options.json) {
    kit.out.print_json(render(done, tree));
    return 0;
  }
  for (const auto& reason : done.skipped) note("skipped " + shown(reason, 10'000));
  note(fmt::format("{}, {}; {} unchanged", counted(static_cast<std::int64_t>(done.files), "file"),
                   human_size(static_cast<std::int64_t>(done.bytes)), done.unchanged));
  if (done.merged) note("others had committed; their changes were merged in");
  kit.out.print("{}\n", done.root);
  return 0;
}

Result<ExportResult> export_shown(client::Client& client, const TransferArguments& given) {
  const auto from = TRY(resolve_address(client, given.where));
  const auto answer = TRY(client.call("fs_stat", from.arguments()));
  if (Arguments(answer.as_object()).text("type") != "dir") {
    return fail(Code::kNotADirectory, "'{}' is a file; use 'cairn cat'", shown(given.where));
  }
  Progress progress;
  ProgressLine line(progress, "exporting");
  return export_tree(client, from, given.directory, progress);
}

Result<int> run_export(Kit& kit, const TransferArguments& given) {
  const auto done = TRY(export_shown(*TRY(kit.client()), given));
  if (kit.options.json) {
    kit.out.print_json(json::Object{{"files", done.files}, {"bytes", done.bytes}});
  } else {
    note(fmt::format("{}, {}", counted(static_cast<std::int64_t>(done.files), "file"),
                     human_size(static_cast<std::int64_t>(done.bytes))));
  }
  return 0;
}

}  // namespace

void add_transfer_commands(Commands& commands) {
  auto given = std::make_shared<TransferArguments>();
  auto command = commands.add(
      {.name = "import",
       .description = "Make a depot's tree that of a directory, and commit it",
       .example = "cairn import ./my-project my-project -m 'First import'",
       .more =
           "A depot of that title is made when there is none. Links, devices and names that are\n"
           "not UTF-8 are skipped and said so. Modes and times are not kept.",
       .group = "Files"},
      [given](Kit& kit) { return run_import(kit, *given); });
  command.add_argument("DIR", given->directory, "The directory to import");
  command.add_argument("DEPOT", given->where, "Title, id or node");
  command.add_value("-m,--message", given->message, "TEXT", "What was done and why");
  command = commands.add({.name = "export",
                          .description = "Write a tree into a new or empty directory",
                          .example = "cairn export my-project:docs ./docs",
                          .group = "Files"},
                         [given](Kit& kit) { return run_export(kit, *given); });
  command.add_argument("WHERE", given->where, "DEPOT, or DEPOT:PATH");
  command.add_argument("DIR", given->directory, "A directory that is empty or not there");
}

}  // namespace cairn::cli
