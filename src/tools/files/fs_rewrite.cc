#include <algorithm>

#include "base/quote.h"
#include "tools/files/fs.h"
#include "tools/files/known.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

Result<RewriteSource> source(Call& call, const std::string& target, const json::Object& value) {
  Arguments entry(value);
  if (value.size() != 1) {
    return fail(Code::kInvalidArgument,
                "the entry '{}' has {} fields; give exactly one of from, dir, link", shown(target),
                value.size());
  }
  if (entry.has("from")) return FromPath{TRY(fs::path_of(entry, "from"))};
  if (entry.has("link")) return LinkNode{TRY(call.sight().node(entry.text("link")))};
  if (entry.flag("dir")) return EmptyDir{};
  return fail(Code::kInvalidArgument, "the entry '{}' has dir false; dir must be true",
              shown(target));
}

Result<RewritePlan> plan_of(Call& call, const Arguments& arguments) {
  RewritePlan plan;
  if (const auto* entries = arguments.object().if_contains("entries")) {
    for (const auto& [target, value] : entries->get_object()) {
      const std::string text(target);
      auto path = TRY(Path::parse(text));
      auto made = TRY(source(call, text, value.get_object()));
      plan.entries.emplace(std::move(path), std::move(made));
    }
  }
  for (const auto& text : arguments.texts("deletes").value_or(std::vector<std::string>())) {
    plan.deletes.push_back(TRY(Path::parse(text)));
  }
  return plan;
}

Result<Reply> run_fs_rewrite(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  auto plan = TRY(plan_of(call, arguments));
  const auto known = TRY(fs::Known::of(call, opened));
  for (const auto& path : plan.deletes) TRY(known.check(path));
  for (const auto& [path, made] : plan.entries) TRY(known.check(path));
  Stage stage(call.realm().nodes());
  auto done = TRY(rewrite(stage, opened.tree.root, plan));
  const auto& root = done.root->key();
  for (const auto& [path, made] : plan.entries) {
    const auto* copy = std::get_if<FromPath>(&made);
    if (copy == nullptr) continue;
    // What is known of a source that is a target too would be taken from the wrong tree.
    const bool chained = std::ranges::any_of(plan.entries, [&](const auto& entry) {
      return copy->path.is_within(entry.first) || entry.first.is_within(copy->path);
    });
    chained ? known.forgotten(path) : known.copied(copy->path, path, root);
  }
  for (const auto& path : plan.deletes) known.removed(path, root);
  for (const auto& [path, made] : plan.entries) {
    if (!std::holds_alternative<FromPath>(made)) known.removed(path, root);
  }
  json::Object out;
  out["entriesApplied"] = done.entries_applied;
  out["deleted"] = done.deleted;
  return fs::save(call, opened, stage, done, std::move(out));
}

}  // namespace

Tool fs_rewrite() {
  auto entry = shape::object(
      {{"from", shape::text("Path in the original tree", Path::kMaxBytes), shape::kOptional},
       {"dir", shape::flag("true: an empty directory"), shape::kOptional},
       {"link", shape::text("Key of a node to mount (nod_…)"), shape::kOptional}},
      "Exactly one of these");
  return {
      .name = "fs_rewrite",
      .title = "Restructure a tree",
      .description =
          "Many moves, copies, new directories and removals in one step: all or nothing. "
          "'from' always means the original tree, so from + deletes is a move, from alone a "
          "copy. At most 100 entries and deletes together. Gives a newRoot to commit.",
      .input = shape::object(
          {fs::node_key(),
           {"entries",
            shape::map_of(std::move(entry),
                          "Target path → {\"from\": path} | {\"dir\": true} | {\"link\": nod_…}"),
            shape::kOptional},
           {"deletes", shape::list_of(shape::text("", Path::kMaxBytes), "Paths to remove"),
            shape::kOptional}}),
      .output = shape::object({{"newRoot", shape::text()},
                               {"entriesApplied", shape::integer()},
                               {"deleted", shape::integer()}}),
      .annotations = {.destructive = true},
      .right = Right::kUpload,
      .audited = {"nodeKey"},
      .run = run_fs_rewrite,
  };
}

}  // namespace cairn
