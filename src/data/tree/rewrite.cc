// rewrite(): many moves, copies, links and deletes as one declared step.

#include <set>

#include "data/tree/change.h"
#include "data/tree/editor.h"

namespace cairn {
namespace {

Result<void> check_size(const RewritePlan& plan) {
  auto count = plan.entries.size() + plan.deletes.size();
  if (count == 0) {
    return fail(Code::kEmptyRewrite,
                "the rewrite has no entries and no deletes; give at least one");
  }
  if (count > RewritePlan::kMaxEntries) {
    return fail(Code::kTooManyEntries, "the rewrite has {} entries and deletes; the most is {}",
                count, RewritePlan::kMaxEntries);
  }
  return {};
}

Result<void> put_dir(TreeEditor& editor, const Path& target) {
  auto there = TRY(editor.find(target));
  if (there && there->kind != Kind::kDict) {
    return fail(Code::kExistsAsFile,
                "'{}' is a file; list it in deletes too to put a directory there", target.render());
  }
  return editor.make_dir(target);
}

Result<void> put_link(Stage& stage, TreeEditor& editor, const Path& target, const NodeKey& key) {
  auto node = TRY(stage.get(key));
  if (!node->is_root()) {
    return fail(Code::kInvalidArgument,
                "{} is a piece of a file or directory; link a file or a directory", key.render());
  }
  return editor.put(target, EntryValue::of(entry_for(target.name(), *node)));
}

}  // namespace

Result<RewriteResult> rewrite(Stage& stage, const NodePtr& root, const RewritePlan& plan) {
  TRY(check_size(plan));
  TreeView original{stage, root};
  TreeEditor editor(stage, root);
  RewriteResult result;

  std::set<Path> deleted;  // the same twice is one
  for (const auto& path : plan.deletes) {
    if (path.is_root()) {
      return fail(Code::kInvalidPath, "a delete's path is empty; the root cannot be removed");
    }
    auto at = TRY(locate(original, path));
    if (deleted.insert(at.path).second) TRY(editor.remove(at.path));
  }
  result.deleted = deleted.size();
  // Shorter paths first, so that a directory is in place before what is put below it.
  std::map<std::pair<std::size_t, Path>, const RewriteSource*> ordered;
  for (const auto& [path, source] : plan.entries) {
    if (path.is_root()) {
      return fail(Code::kInvalidPath, "an entry's path is empty; the root cannot be replaced");
    }
    auto target = TRY(resolve_target(original, path));
    auto depth = target.segments().size();
    if (!ordered.try_emplace({depth, target}, &source).second) {
      return fail(Code::kInvalidArgument, "two entries name the same path '{}'", target.render());
    }
  }
  for (const auto& [place, source] : ordered) {
    const auto& target = place.second;
    if (const auto* from = std::get_if<FromPath>(source)) {
      auto at = TRY(locate(original, from->path));
      if (at.path.is_root() && !at.entry.is_dir()) {
        return fail(Code::kInvalidArgument, "the original root is a file");
      }
      TRY(editor.put(target, EntryValue::of(at.entry)));
    } else if (const auto* link = std::get_if<LinkNode>(source)) {
      TRY(put_link(stage, editor, target, link->key));
      result.linked.push_back(link->key);
    } else {
      TRY(put_dir(editor, target));
    }
    result.entries_applied += 1;
  }
  result.root = TRY(editor.finish());
  return result;
}

}  // namespace cairn
