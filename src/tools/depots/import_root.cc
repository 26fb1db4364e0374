#include "data/realm/import_commit.h"
#include "tools/depots/depots.h"
#include "tools/depots/tools.h"

namespace cairn {
namespace {

void add_list(json::Object& out, std::string_view name, const PathList& list) {
  json::Object row{{"files", list.files}};
  json::Array paths;
  for (const auto& path : list.paths) paths.emplace_back(path);
  row["paths"] = std::move(paths);
  out[name] = std::move(row);
}

// The directory in the tree that was sent.
Result<NodeKey> sent(Call& call, const Arguments& arguments, const Path& path) {
  const auto root = TRY(call.sight().node(arguments.text("root")));
  const auto found = TRY(find_place(call.realm().nodes(), root, path));
  if (found && found->kind == Kind::kDict) return found->key;
  return fail(Code::kNotADirectory, "the root {} has no directory '{}' to be imported",
              root.render_short(), path.render());
}

Result<Reply> run_import_root(Call& call, const Arguments& arguments) {
  const auto place = TRY(call.sight().place(arguments.text("depotId")));
  auto path = TRY(Path::parse(arguments.text("path")));
  TRY(check_place(path));
  auto whole = place;
  for (const auto& segment : path.segments()) whole.path = whole.path.child(segment);
  ImportRequest request{.within = place,
                        .path = path,
                        .source = std::string(arguments.text("source")),
                        .root = TRY(sent(call, arguments, path)),
                        .remove_others = arguments.flag("removeOthers"),
                        .overwrite = arguments.flag("force"),
                        .dry_run = arguments.flag("dryRun"),
                        .message = std::string(arguments.text("message")),
                        .author = call.session().answers_for(),
                        .owners = call.session().owners};
  request.last = TRY(last_import(call.realm(), whole, request.source));
  const auto done = TRY(commit_import(call.realm(), request));
  if (!request.dry_run) {
    TRY(remember_import(call.realm(), whole, request.source, request.root));
  }
  json::Object out;
  out["root"] = done.commit.root.render();
  out["changed"] = done.commit.changed;
  out["merged"] = done.commit.merged;
  add_list(out, "added", done.changes.added);
  add_list(out, "updated", done.changes.changed);
  add_list(out, "removed", done.changes.removed);
  add_list(out, "kept", done.changes.kept);
  add_list(out, "absent", done.changes.absent);
  add_list(out, "overwritten", done.changes.overwritten);
  add_list(out, "conflicts", done.changes.conflicts);
  if (request.dry_run) out["dryRun"] = true;
  return Reply(std::move(out));
}

shape::Field paths(std::string_view name, std::string_view description) {
  return {name, shape::object({{"files", shape::integer("All of them")},
                               {"paths", shape::list_of(shape::text(), "The first 1,000")}},
                              description)};
}

}  // namespace

Tool import_root() {
  return {
      .name = "import_root",
      .title = "Commit an imported directory",
      .description =
          "Commits what a directory has changed since it was last imported to the same place. What "
          "others put there stays; what the directory lost is removed; what both changed is merged "
          "or is CONFLICT.",
      .input = shape::object(
          {depots::depot_id(),
           {"root", shape::text("A tree with the directory as it is now at path (nod_…)")},
           {"path", shape::text("Where in the depot; default: the root", Path::kMaxBytes),
            shape::kOptional},
           {"source", shape::text("Names the directory: the same for its next import", 5000)},
           {"removeOthers", shape::flag("What the directory has not goes"), shape::kOptional},
           {"force", shape::flag("The directory's side of each conflict"), shape::kOptional},
           {"dryRun", shape::flag("Only say what would be done"), shape::kOptional},
           {"message", shape::text("What was done and why", Realm::kMaxMessageBytes),
            shape::kOptional}}),
      .output = shape::object({{"root", shape::text("Of the depot")},
                               {"changed", shape::flag()},
                               {"merged", shape::flag("Others committed meanwhile")},
                               paths("added", ""),
                               paths("updated", ""),
                               paths("removed", ""),
                               paths("kept", "Of others, which the directory has not"),
                               paths("absent", "Removed by others; the directory has them"),
                               paths("overwritten", "Of others; now the directory's"),
                               paths("conflicts", "Of a dry run"),
                               {"dryRun", shape::flag(), shape::kOptional}}),
      .annotations = {.destructive = true},
      .right = Right::kUpload,
      .audience = Audience::kPrograms,
      .audited = {"depotId", "path", "root"},
      .run = run_import_root,
  };
}

}  // namespace cairn
