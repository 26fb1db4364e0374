#include "base/quote.h"
#include "tools/files/fs.h"
#include "tools/files/known.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

std::vector<Replacement> replacements(const Arguments& arguments) {
  std::vector<Replacement> out;
  for (const auto& item : arguments.object().at("edits").get_array()) {
    Arguments one(item.get_object());
    out.push_back({std::string(one.text("oldText")), std::string(one.text("newText")),
                   one.flag("replaceAll")});
  }
  return out;
}

Result<Reply> run_fs_edit(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  Stage stage(call.realm().nodes());
  auto edits = replacements(arguments);
  if (edits.empty()) {
    return fail(Code::kInvalidArgument,
                "'edits' is empty, so nothing would change; give one {{oldText, newText}} or more");
  }
  const auto path = TRY(fs::path_of(arguments));
  TRY(fs::check_if_key(arguments, opened.tree, path));
  auto edited = TRY(edit(stage, opened.tree.root, path, edits));
  json::Object out;
  out["path"] = edited.path.render();
  json::Array counts;
  for (auto count : edited.counts) counts.emplace_back(count);
  out["replacements"] = std::move(counts);
  const auto shown_diff = json_prefix(edited.diff, static_cast<std::size_t>(call.limits().bytes));
  if (shown_diff.size() < edited.diff.size()) {
    edited.diff.resize(shown_diff.rfind('\n') + 1);
    out["truncated"] = true;
    out["hint"] = "the diff goes on; fs_read shows the file itself";
  }
  out["diff"] = std::move(edited.diff);
  if (arguments.flag("dryRun")) {
    out["dryRun"] = true;
    return Reply(std::move(out));
  }
  out["key"] = edited.file.key.render();
  out["size"] = edited.file.bytes;
  const auto known = TRY(fs::Known::of(call, opened));
  const bool seen = TRY(known.is_seen(edited.path));
  auto reply = TRY(fs::save(call, opened, stage, edited, std::move(out), {edited.file.key}));
  // A caller that knew all of the file knows all of it now; any other has seen a part.
  if (seen) known.made(edited.path, edited.root->key(), fs::Known::Wrote::kSome);
  return reply;
}

}  // namespace

Tool fs_edit() {
  return {
      .name = "fs_edit",
      .title = "Edit a text file",
      .description =
          "Replaces exact text in one file. Each oldText must occur exactly once, or set "
          "replaceAll; copy it from fs_read with its indentation. All edits are made or none. "
          "Gives a diff and a newRoot to commit; with dryRun only the diff.",
      .input = shape::object(
          {fs::node_key(),
           fs::path("e.g. 'src/main.ts'"),
           {"edits",
            shape::list_of(
                shape::object({{"oldText", shape::text("Exact text to replace")},
                               {"newText", shape::text()},
                               {"replaceAll", shape::flag("Every occurrence"), shape::kOptional}}),
                "Applied one after another", 100)},
           {"dryRun", shape::flag("Show the diff, store nothing"), shape::kOptional},
           fs::if_key()}),
      .output = shape::object({{"newRoot", shape::text(), shape::kOptional},
                               {"path", shape::text()},
                               {"replacements", shape::list_of(shape::integer(), "Made, per edit")},
                               {"diff", shape::text("Unified diff")},
                               {"truncated", shape::flag("The diff was cut"), shape::kOptional},
                               {"hint", shape::text(), shape::kOptional},
                               {"dryRun", shape::flag(), shape::kOptional},
                               {"key", shape::text(), shape::kOptional},
                               {"size", shape::integer(), shape::kOptional}}),
      .annotations = {},
      .right = Right::kUpload,
      .audited = {"nodeKey", "path"},
      .run = run_fs_edit,
  };
}

}  // namespace cairn
