// fs_mv and fs_cp: from one path to another of the same tree.

#include "tools/files/fs.h"
#include "tools/files/known.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

enum class Source { kStays, kGoes };

template <auto change, Source source>
Result<Reply> run(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  Stage stage(call.realm().nodes());
  const auto from = TRY(fs::path_of(arguments, "from"));
  TRY(fs::check_if_key(arguments, opened.tree, from));
  auto done = TRY(change(stage, opened.tree.root, from, TRY(fs::path_of(arguments, "to"))));
  json::Object out;
  out["from"] = done.from.render();
  out["to"] = done.to.render();
  auto reply = TRY(fs::save(call, opened, stage, done, std::move(out)));
  // What others did to it goes along with it, so that nothing has to be asked.
  if (source == Source::kGoes) {
    TRY(fs::Known::of(call, opened)).moved(done.from, done.to, done.root->key());
  }
  return reply;
}

json::Value input() {
  return shape::object({fs::node_key(),
                        {"from", shape::text("e.g. 'src/a.ts'", Path::kMaxBytes)},
                        {"to", shape::text("e.g. 'src/utils/b.ts'", Path::kMaxBytes)},
                        fs::if_key()});
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
      .run = run<mv, Source::kGoes>,
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
      .run = run<cp, Source::kStays>,
  };
}

}  // namespace cairn
