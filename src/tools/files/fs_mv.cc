#include "tools/files/fs.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

Result<Reply> run(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  Stage stage(call.realm().nodes());
  auto done = TRY(mv(stage, opened.tree.root, TRY(fs::path_of(arguments, "from")),
                     TRY(fs::path_of(arguments, "to"))));
  json::Object out;
  out["from"] = done.from.render();
  out["to"] = done.to.render();
  return fs::save(call, opened, stage, done, std::move(out));
}

}  // namespace

Tool fs_mv() {
  return {
      .name = "fs_mv",
      .title = "Move or rename",
      .description =
          "Moves or renames a file or directory. Onto an existing directory it goes into it; onto "
          "an existing file it is refused (TARGET_EXISTS). Gives a newRoot; the depot changes with "
          "depot_commit.",
      .input = shape::object({fs::node_key(),
                              {"from", shape::text("e.g. 'src/a.ts'", Path::kMaxBytes)},
                              {"to", shape::text("e.g. 'src/utils/b.ts'", Path::kMaxBytes)}}),
      .output = shape::object({{"newRoot", shape::text()},
                               {"from", shape::text()},
                               {"to", shape::text("Where it is now")}}),
      .annotations = {.destructive = true},
      .right = Right::kUpload,
      .audited = {"nodeKey", "from", "to"},
      .run = run,
  };
}

}  // namespace cairn
