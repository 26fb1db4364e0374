#include "tools/files/fs.h"
#include "tools/files/known.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

Result<Reply> run_fs_rm(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  Stage stage(call.realm().nodes());
  const auto path = TRY(fs::path_of(arguments));
  const auto known = TRY(fs::Known::of(call, opened));
  const bool conditional = TRY(fs::check_if_key(arguments, opened.tree, path));
  auto gone = TRY(rm(stage, opened.tree.root, path));
  if (!conditional) TRY(known.check(gone.path));
  json::Object removed;
  removed["path"] = gone.path.render();
  removed["type"] = gone.removed.kind == Kind::kDict ? "dir" : "file";
  removed["key"] = gone.removed.key.render();
  if (gone.removed.kind == Kind::kDict) removed["files"] = gone.removed.files;
  json::Object out;
  out["removed"] = std::move(removed);
  auto reply = TRY(fs::save(call, opened, stage, gone, std::move(out)));
  known.removed(gone.path, gone.root->key());
  return reply;
}

}  // namespace

Tool fs_rm() {
  return {
      .name = "fs_rm",
      .title = "Remove a file or directory",
      .description =
          "Removes a file, or a directory with all below it; the history still has it. Gives a "
          "newRoot to commit. CONFLICT when others changed it since you read or "
          "listed it.",
      .input = shape::object({fs::node_key(), fs::path("e.g. 'src/old.ts'"), fs::if_key()}),
      .output = shape::object(
          {{"newRoot", shape::text()},
           {"removed", shape::object({{"path", shape::text()},
                                      {"type", shape::choice({"file", "dir"})},
                                      {"key", shape::text()},
                                      {"files", shape::integer("Below it"), shape::kOptional}})}}),
      .annotations = {.destructive = true},
      .right = Right::kUpload,
      .audited = {"nodeKey", "path"},
      .run = run_fs_rm,
  };
}

}  // namespace cairn
