#include "tools/files/fs.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

Result<Reply> run(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  Stage stage(call.realm().nodes());
  auto gone = TRY(rm(stage, opened.tree.root, TRY(fs::path_of(arguments))));
  json::Object removed;
  removed["path"] = gone.path.render();
  removed["type"] = gone.removed.kind == Kind::kDict ? "dir" : "file";
  removed["key"] = gone.removed.key.render();
  json::Object out;
  out["removed"] = std::move(removed);
  return fs::save(call, opened, stage, gone, std::move(out));
}

}  // namespace

Tool fs_rm() {
  return {
      .name = "fs_rm",
      .title = "Remove a file or directory",
      .description =
          "Removes a file, or a directory with everything below it. Gives a newRoot; the depot "
          "changes with depot_commit, and its history still has what was removed.",
      .input = shape::object({fs::node_key(), fs::path("e.g. 'src/old.ts'")}),
      .output = shape::object({{"newRoot", shape::text()},
                               {"removed", shape::object({{"path", shape::text()},
                                                          {"type", shape::choice({"file", "dir"})},
                                                          {"key", shape::text()}})}}),
      .annotations = {.destructive = true},
      .right = Right::kUpload,
      .audited = {"nodeKey", "path"},
      .run = run,
  };
}

}  // namespace cairn
