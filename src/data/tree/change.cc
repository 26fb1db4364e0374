#include "data/tree/change.h"

#include "base/utf8.h"
#include "data/cas/content_type.h"
#include "data/cas/file.h"
#include "data/text/unified_diff.h"
#include "data/tree/editor.h"

namespace cairn {
namespace {

Failure is_the_root(std::string_view what) {
  return fail(Code::kInvalidPath,
              "the path is empty, and the root itself cannot be {}; name a path "
              "below it",
              what);
}

Failure file_on_the_way(const Path& path) {
  return fail(Code::kNotADirectory, "a file stands where the path '{}' needs a directory",
              path.render());
}

// Puts a file at a path of names.
Result<WriteResult> put_file(Stage& stage, const NodePtr& root, const Path& target,
                             const Node& file) {
  TreeEditor editor(stage, root);
  auto old = TRY(editor.find(target));
  if (old && old->kind == Kind::kDict) {
    return fail(Code::kNotAFile,
                "'{}' is a directory; write to a path below it, or remove it first",
                target.render());
  }
  WriteResult result;
  result.path = target;
  result.file = EntryValue::of(entry_for("", file));
  result.created = !old;
  TRY(editor.put(target, result.file));
  result.root = TRY(editor.finish());
  return result;
}

}  // namespace

Result<WriteResult> write(Stage& stage, const NodePtr& root, const Path& path, ByteView content,
                          std::optional<std::string_view> type) {
  if (path.is_root()) return is_the_root("written");
  auto target = TRY(resolve_target({stage, root}, path));
  std::string given;
  if (type) given = TRY(parse_content_type(*type));
  auto file = TRY(write_file(
      // Without a type the name and the content decide, so that the same file gets the same key
      // everywhere.
      stage, type ? std::string_view(given) : content_type(target.name(), content), content));
  return put_file(stage, root, target, *file);
}

Result<WriteResult> write_node(Stage& stage, const NodePtr& root, const Path& path,
                               const NodePtr& file) {
  if (path.is_root()) return is_the_root("written");
  if (file->kind() != Kind::kFile) {
    return fail(Code::kInvalidArgument, "{} is not a file", file->key().render());
  }
  auto result = TRY(put_file(stage, root, TRY(resolve_target({stage, root}, path)), *file));
  // The node may be on its way to the garbage collector; saving the change requires it.
  result.linked.push_back(file->key());
  return result;
}

Result<MkdirResult> mkdir(Stage& stage, const NodePtr& root, const Path& path) {
  auto target = TRY(resolve_target({stage, root}, path));
  TreeEditor editor(stage, root);
  auto old = TRY(editor.find(target));
  if (old && old->kind != Kind::kDict) {
    return fail(Code::kExistsAsFile, "'{}' is a file; remove it first, or choose another name",
                target.render());
  }
  MkdirResult result;
  result.path = target;
  result.created = !old;
  result.root = root;
  if (result.created) {
    TRY(editor.make_dir(target));
    result.root = TRY(editor.finish());
  }
  result.dir = old ? *old : EntryValue::of(entry_for("", *empty_dict()));
  return result;
}

Result<RemoveResult> rm(Stage& stage, const NodePtr& root, const Path& path) {
  if (path.is_root()) return is_the_root("removed");
  auto at = TRY(locate({stage, root}, path));
  TreeEditor editor(stage, root);
  TRY(editor.remove(at.path));
  RemoveResult result;
  result.path = at.path;
  result.removed = EntryValue::of(at.entry);
  result.root = TRY(editor.finish());
  return result;
}

namespace {

// Where a move or copy ends: the target itself, or below it when it is a directory.
Result<Path> landing(TreeEditor& editor, const Path& from, Path target) {
  auto there = TRY(editor.find(target));
  if (there && there->kind == Kind::kDict) {
    target = target.child(from.name());
    there = TRY(editor.find(target));
  }
  if (there) {
    return fail(Code::kTargetExists, "'{}' already exists; remove it first, or choose another name",
                target.render());
  }
  return target;
}

Result<MoveResult> transfer(Stage& stage, const NodePtr& root, const Path& from, const Path& to,
                            bool keep_source) {
  if (from.is_root()) return is_the_root(keep_source ? "copied" : "moved");
  TreeView tree{stage, root};
  auto source = TRY(locate(tree, from));
  auto resolved_to = TRY(resolve_target(tree, to));
  // Before anything is changed: removed first, the target's own parents would be gone.
  if (!keep_source && source.entry.is_dir() && resolved_to.is_within(source.path)) {
    return fail(Code::kMoveIntoSelf, "'{}' cannot be moved into itself ('{}')",
                source.path.render(), resolved_to.render());
  }
  TreeEditor editor(stage, root);
  auto target = TRY(landing(editor, source.path, resolved_to));
  if (!keep_source) TRY(editor.remove(source.path));
  // The source was a file, and the target lies below it.
  if (!keep_source && target.is_within(source.path)) return file_on_the_way(target);
  TRY(editor.put(target, EntryValue::of(source.entry)));
  MoveResult result;
  result.from = source.path;
  result.to = target;
  result.root = TRY(editor.finish());
  return result;
}

}  // namespace

Result<MoveResult> mv(Stage& stage, const NodePtr& root, const Path& from, const Path& to) {
  return transfer(stage, root, from, to, false);
}

Result<MoveResult> cp(Stage& stage, const NodePtr& root, const Path& from, const Path& to) {
  return transfer(stage, root, from, to, true);
}

Result<MoveResult> cp_from(Stage& stage, const TreeView& source, const Path& from,
                           const NodePtr& root, const Path& to) {
  auto what = TRY(locate(source, from));
  TreeEditor editor(stage, root);
  auto target = TRY(resolve_target({stage, root}, to));
  // The root has no name to go by in a directory that is there.
  if (what.path.is_root() && target.is_root()) return is_the_root("copied onto another");
  if (!what.path.is_root()) {
    target = TRY(landing(editor, what.path, std::move(target)));
  } else if (TRY(editor.find(target))) {
    return fail(Code::kTargetExists, "'{}' already exists; remove it first, or choose another name",
                target.render());
  }
  TRY(editor.put(target, EntryValue::of(what.entry)));
  MoveResult result;
  result.from = what.path;
  result.to = target;
  result.root = TRY(editor.finish());
  // Of another tree, which the root does not keep.
  result.linked.push_back(what.entry.key);
  return result;
}

Result<TextEditResult> edit(Stage& stage, const NodePtr& root, const Path& path,
                            std::span<const Replacement> edits) {
  TreeView tree{stage, root};
  auto at = TRY(locate(tree, path));
  auto file = TRY(open_file(tree, at));
  if (at.path.is_root()) return is_the_root("edited");
  if (file->size() > kMaxEditedSize) {
    return fail(Code::kFileTooLarge,
                "'{}' has {} bytes; files up to {} can be edited by replacement", at.path.render(),
                file->size(), kMaxEditedSize);
  }
  auto before = TRY(read_file(stage, *file));
  if (!looks_like_text(before)) {
    return fail(Code::kNotText, "'{}' is not text ({})", at.path.render(), file->type());
  }
  auto edited = TRY(apply_edits(before, edits));
  auto node = TRY(write_file(stage, file->type(), edited.text));
  auto written = TRY(put_file(stage, root, at.path, *node));
  TextEditResult result;
  result.root = written.root;
  result.path = at.path;
  result.file = std::move(written.file);
  result.counts = std::move(edited.counts);
  result.diff = unified_diff(before, edited.text,
                             {.old_name = at.path.render(), .new_name = at.path.render()});
  return result;
}

}  // namespace cairn
