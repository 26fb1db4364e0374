// fs_mv and fs_cp: from one path to another of the same tree.

#include "tools/files/fs.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

template <auto change>
Result<Reply> run(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  Stage stage(call.realm().nodes());
  auto done = TRY(change(stage, opened.tree.root, TRY(fs::path_of(arguments, "from")),
                         TRY(fs::path_of(arguments, "to"))));
  json::Object out;
  out["from"] = done.from.render();
  out["to"] = done.to.render();
  return fs::save(call, opened, stage, done, std::move(out));
}

json::Value input() {
  return shape::object({fs::node_key(),
                        {"from", shape::text("e.g. 'src/a.ts'", Path::kMaxBytes)},
                        {"to", shape::text("e.g. 'src/utils/b.ts'", Path::kMaxBytes)}});
}

json::Value output() {
  return shape::object({{"newRoot", shape::text()},
                        {"from", shape::text()},
                        {"to", shape::text("Where it is now")}});
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
      .input = input(),
      .output = output(),
      .annotations = {.destructive = true},
      .right = Right::kUpload,
      .audited = {"nodeKey", "from", "to"},
      .run = run<mv>,
  };
}

Tool fs_cp() {
  return {
      .name = "fs_cp",
      .title = "Copy",
      .description =
          "Copies a file or directory; content is shared, not stored twice. Onto an existing "
          "directory it goes into it; onto an existing file it is refused (TARGET_EXISTS). Gives a "
          "newRoot; the depot changes with depot_commit.",
      .input = input(),
      .output = output(),
      .annotations = {.idempotent = true},
      .right = Right::kUpload,
      .audited = {"nodeKey", "from", "to"},
      .run = run<cp>,
  };
}

}  // namespace cairn
