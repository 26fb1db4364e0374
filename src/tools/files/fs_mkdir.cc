#include "tools/files/fs.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

Result<Reply> run_fs_mkdir(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  Stage stage(call.realm().nodes());
  auto made = TRY(mkdir(stage, opened.tree.root, TRY(fs::path_of(arguments))));
  json::Object dir;
  dir["path"] = made.path.render();
  dir["key"] = made.dir.key.render();
  json::Object out;
  out["dir"] = std::move(dir);
  out["created"] = made.created;
  return fs::save(call, opened, stage, made, std::move(out));
}

}  // namespace

Tool fs_mkdir() {
  return {
      .name = "fs_mkdir",
      .title = "Make a directory",
      .description =
          "Makes a directory and those on the way, like mkdir -p. Writing a file makes its "
          "directories anyway. Gives a newRoot to commit.",
      .input = shape::object({fs::node_key(), fs::path("e.g. 'src/utils/parsers'")}),
      .output =
          shape::object({{"newRoot", shape::text()},
                         {"dir", shape::object({{"path", shape::text()}, {"key", shape::text()}})},
                         {"created", shape::flag("false: it was there")}}),
      .annotations = {.idempotent = true},
      .right = Right::kUpload,
      .audited = {"nodeKey", "path"},
      .run = run_fs_mkdir,
  };
}

}  // namespace cairn
