#include "data/realm/purge.h"

#include "tools/admin/tools.h"
#include "tools/executor/call.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

// One of the two ways to name it.
Result<PurgeTarget> target_of(Call& call, const Arguments& arguments) {
  const auto depot = arguments.maybe_text("depotId");
  const auto node = arguments.maybe_text("nodeKey");
  if (depot.has_value() == node.has_value()) {
    return fail(Code::kInvalidArgument,
                "give depotId and path for what is and was at a path, or nodeKey for a file or "
                "directory wherever it is");
  }
  if (node) {
    if (arguments.maybe_text("path")) {
      return fail(Code::kInvalidArgument, "'path' goes with depotId; a node is named by its key");
    }
    return PurgeTarget(TRY(call.sight().node(*node)));
  }
  auto place = TRY(call.sight().place(*depot));
  place.path = TRY(Path::parse(arguments.text("path")));
  return PurgeTarget(std::move(place));
}

json::Object render(const PurgeHolder& holder) {
  json::Object out;
  out["kind"] = name(holder.kind);
  if (holder.depot) out["depotId"] = holder.depot->render();
  if (!holder.title.empty()) out["title"] = holder.title;
  if (!holder.path.empty()) out["path"] = holder.path;
  if (holder.version) out["change"] = *holder.version;
  if (holder.root) out["root"] = holder.root->render();
  if (holder.delegate) out["delegateId"] = holder.delegate->render();
  if (!holder.delegate_name.empty()) out["name"] = holder.delegate_name;
  if (holder.until) out["until"] = *holder.until;
  return out;
}

Result<Reply> run_purge(Call& call, const Arguments& arguments) {
  const auto frozen = TRY(call.services().delegates.frozen_scopes(call.session().realm));
  const PurgeOptions options{.everywhere = arguments.flag("everywhere"),
                             .dry_run = arguments.flag("dryRun"),
                             .frozen = frozen};
  const auto report = TRY(purge(call.realm(), TRY(target_of(call, arguments)), options));
  json::Array content;
  for (const auto& key : report.content) content.emplace_back(key.render());
  json::Array holders;
  for (const auto& holder : report.holders) holders.emplace_back(render(holder));
  json::Object out;
  out["dryRun"] = options.dry_run;
  out["gone"] = report.kept == 0;
  out["content"] = std::move(content);
  out["versions"] = report.versions;
  out["depots"] = report.depots;
  out["imports"] = report.imports;
  out["drafts"] = report.drafts;
  out["removed"] = report.removed;
  out["freedBytes"] = report.freed_bytes;
  out["kept"] = report.kept;
  out["holders"] = std::move(holders);
  out["moreHolders"] = report.more_holders;
  out["note"] =
      "backups made before still have it, and so has whoever read or exported it; messages of "
      "commits and names of files stay as they are";
  return Reply(std::move(out));
}

}  // namespace

Tool purge_tool() {
  return {
      .name = "purge",
      .title = "Purge content",
      .description =
          "Removes a file or directory for good: whatever is at a path of a depot and was in any "
          "version of it, or a node wherever it is. Versions keep their number, time, author and "
          "message, and lose the content; the bytes leave the disk before the answer. What still "
          "holds it is in holders. Not to be undone: try dryRun first.",
      .input = shape::object(
          {{"depotId", shape::text("The depot of 'path'", 5000), shape::kOptional},
           {"path", shape::text("e.g. 'notes/secret.txt'", Path::kMaxBytes), shape::kOptional},
           {"nodeKey", shape::text("Instead: a file or directory (nod_…)", 5000), shape::kOptional},
           {"everywhere",
            shape::flag("The same content also at other paths, in other depots and in roots that "
                        "are not committed"),
            shape::kOptional},
           {"dryRun", shape::flag("Only say what would go and what would stay"),
            shape::kOptional}}),
      .output = shape::object(
          {{"dryRun", shape::flag()},
           {"gone", shape::flag("Nothing of it is stored any more")},
           {"content", shape::list_of(shape::text(), "Keys of what was named")},
           {"versions", shape::integer("Versions that lost it")},
           {"depots", shape::integer("Depots whose versions these are")},
           {"imports", shape::integer("Directories whose next import begins anew")},
           {"drafts", shape::integer("Roots that were not committed, and are given up")},
           {"removed", shape::integer("Nodes")},
           {"freedBytes", shape::integer()},
           {"kept", shape::integer("Files and directories of it that are still stored")},
           {"holders",
            shape::list_of(shape::object(
                {{"kind",
                  shape::choice({"depot", "deleted depot", "draft", "scope", "import", "upload"})},
                 {"depotId", shape::text(), shape::kOptional},
                 {"title", shape::text(), shape::kOptional},
                 {"path", shape::text(), shape::kOptional},
                 {"change", shape::integer("The newest commit that has it; without: now"),
                  shape::kOptional},
                 {"root", shape::text(), shape::kOptional},
                 {"delegateId", shape::text("Whose scope it is"), shape::kOptional},
                 {"name", shape::text(), shape::kOptional},
                 {"until", shape::integer("When it ends by itself"), shape::kOptional}}))},
           {"moreHolders", shape::flag("There are more than these")},
           {"note", shape::text()}}),
      .annotations = {.destructive = true, .idempotent = true},
      .right = Right::kOwn,
      .audience = Audience::kPrograms,
      .audited = {"depotId", "path", "nodeKey", "everywhere"},
      .run = run_purge,
  };
}

}  // namespace cairn
