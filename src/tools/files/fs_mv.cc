// fs_mv and fs_cp: from one path to another, of the same tree or of another.

#include "tools/files/fs.h"
#include "tools/files/known.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

json::Object paths_of(const MoveResult& done) {
  json::Object out;
  out["from"] = done.from.render();
  out["to"] = done.to.render();
  return out;
}

// Where it goes, when that is another tree.
Result<std::optional<fs::Opened>> other_tree(Call& call, const fs::Opened& from,
                                             const Arguments& arguments) {
  const auto key = arguments.maybe_text("toNodeKey");
  if (!key) return std::nullopt;
  auto to = TRY(fs::open(call, *key));
  const bool same = to.target.place == from.target.place && to.target.root == from.target.root;
  if (same) return std::nullopt;
  return to;
}

enum class Source { kStays, kGoes };

// Within one tree.
template <auto change, Source source>
Result<Reply> transfer(Call& call, const fs::Opened& opened, const Path& from, const Path& to) {
  Stage stage(call.realm().nodes());
  auto done = TRY(change(stage, opened.tree.root, from, to));
  auto reply = TRY(fs::save(call, opened, stage, done, paths_of(done)));
  // What others did to it goes along with it, so that nothing has to be asked.
  if (source == Source::kGoes) {
    TRY(fs::Known::of(call, opened)).moved(done.from, done.to, done.root->key());
  }
  return reply;
}

Result<Reply> run_cp(Call& call, const Arguments& arguments) {
  const auto opened = TRY(fs::open(call, arguments));
  const auto from = TRY(fs::path_of(arguments, "from"));
  TRY(fs::check_if_key(arguments, opened.tree, from));
  const auto to = TRY(fs::path_of(arguments, "to"));
  const auto target = TRY(other_tree(call, opened, arguments));
  if (!target) return transfer<cp, Source::kStays>(call, opened, from, to);
  Stage stage(call.realm().nodes());
  const auto done = TRY(cp_from(stage, opened.tree, from, target->tree.root, to));
  return fs::save(call, *target, stage, done, paths_of(done));
}

Result<Reply> run_mv(Call& call, const Arguments& arguments) {
  const auto opened = TRY(fs::open(call, arguments));
  const auto from = TRY(fs::path_of(arguments, "from"));
  TRY(fs::check_if_key(arguments, opened.tree, from));
  const auto to = TRY(fs::path_of(arguments, "to"));
  const auto target = TRY(other_tree(call, opened, arguments));
  if (!target) return transfer<mv, Source::kGoes>(call, opened, from, to);
  // What others did to it since it was read would go with it to where they do not look for it.
  const auto known = TRY(fs::Known::of(call, opened));
  TRY(known.check(from));
  // Both changes are made before either is stored: what cannot be removed is not copied.
  Stage source_stage(call.realm().nodes());
  const auto removed = TRY(rm(source_stage, opened.tree.root, from));
  Stage stage(call.realm().nodes());
  const auto done = TRY(cp_from(stage, opened.tree, from, target->tree.root, to));
  auto out = paths_of(done);
  out["sourceRoot"] = removed.root->key().render();
  TRY(fs::save(call, opened, source_stage, removed, {}));
  known.removed(from, removed.root->key());
  return fs::save(call, *target, stage, done, std::move(out));
}

json::Value input() {
  return shape::object({fs::node_key(),
                        {"from", shape::text("e.g. 'src/a.ts'", Path::kMaxBytes)},
                        {"to", shape::text("e.g. 'src/utils/b.ts'", Path::kMaxBytes)},
                        {"toNodeKey", shape::text("Depot or node that 'to' is in [nodeKey]", 5000),
                         shape::kOptional},
                        fs::if_key()});
}

json::Value output(bool moves) {
  std::vector<shape::Field> fields{
      {"newRoot", shape::text()}, {"from", shape::text()}, {"to", shape::text("Where it is now")}};
  if (moves) {
    fields.push_back({"sourceRoot",
                      shape::text("With toNodeKey: commit newRoot there, then this to nodeKey"),
                      shape::kOptional});
  }
  return shape::object(std::move(fields));
}

}  // namespace

Tool fs_mv() {
  return {
      .name = "fs_mv",
      .title = "Move or rename",
      .description =
          "Moves or renames a file or directory. Onto a directory it goes into it; onto a file "
          "it is refused (TARGET_EXISTS). Gives a newRoot to commit. Into another depot "
          "(toNodeKey): commit newRoot there, then sourceRoot to the source.",
      .input = input(),
      .output = output(true),
      .annotations = {.destructive = true},
      .right = Right::kUpload,
      .audited = {"nodeKey", "from", "toNodeKey", "to"},
      .run = run_mv,
  };
}

Tool fs_cp() {
  return {
      .name = "fs_cp",
      .title = "Copy",
      .description =
          "Copies a file or directory; content is not stored twice. Onto a directory it goes "
          "into it; onto a file it is refused (TARGET_EXISTS). Gives a newRoot to commit. With "
          "toNodeKey it is the other depot's.",
      .input = input(),
      .output = output(false),
      .annotations = {.idempotent = true},
      .right = Right::kUpload,
      .audited = {"nodeKey", "from", "toNodeKey", "to"},
      .run = run_cp,
  };
}

}  // namespace cairn
