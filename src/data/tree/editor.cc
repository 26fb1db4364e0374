#include "data/tree/editor.h"

namespace cairn {

// The fate of one name: removed, set to a node, or a directory that is being changed.
struct TreeEditor::Slot {
  std::optional<EntryValue> value;
  std::unique_ptr<Dir> dir;
};

struct TreeEditor::Dir {
  NodePtr base;
  std::map<std::string, Slot> changes;
};

TreeEditor::TreeEditor(Stage& stage, NodePtr root) : stage_(stage), root_(std::make_unique<Dir>()) {
  root_->base = std::move(root);
}

TreeEditor::~TreeEditor() = default;

Result<std::optional<EntryValue>> TreeEditor::lookup(const Dir& dir, const std::string& name) {
  auto change = dir.changes.find(name);
  if (change != dir.changes.end()) {
    if (change->second.dir) {
      return EntryValue::of(entry_for(name, *change->second.dir->base));
    }
    return change->second.value;
  }
  auto found = TRY(dict_find(stage_, dir.base, name));
  if (!found) return std::nullopt;
  return EntryValue::of(found->entry);
}

Result<TreeEditor::Dir*> TreeEditor::child_dir(Dir& parent, const std::string& name, bool create,
                                               const Path& path) {
  if (auto change = parent.changes.find(name);
      change != parent.changes.end() && change->second.dir) {
    return change->second.dir.get();
  }
  auto value = TRY(lookup(parent, name));
  if (!value && !create) return nullptr;
  if (value && value->kind != Kind::kDict) {
    return fail(Code::kNotADirectory, "'{}' in the path '{}' is a file, not a directory", name,
                path.render());
  }
  auto dir = std::make_unique<Dir>();
  dir->base = value ? TRY(dict_open(stage_, value->key)) : empty_dict();
  auto* made = dir.get();
  parent.changes.insert_or_assign(name, Slot{std::nullopt, std::move(dir)});
  return made;
}

Result<TreeEditor::Dir*> TreeEditor::dir(const Path& path, bool create) {
  if (root_->base->kind() != Kind::kDict) {
    return fail(Code::kNotADirectory, "the root is a file; a tree is changed from a directory");
  }
  Dir* at = root_.get();
  for (const auto& name : path.segments()) {
    at = TRY(child_dir(*at, name, create, path));
    if (at == nullptr) return nullptr;
  }
  return at;
}

Result<std::optional<EntryValue>> TreeEditor::find(const Path& path) {
  if (path.is_root()) return EntryValue::of(entry_for("", *root_->base));
  auto parent = dir(path.parent(), false);
  // A file on the way: below it there is nothing, which is an answer and not a failure.
  if (!parent && parent.error().code == Code::kNotADirectory) return std::nullopt;
  auto* at = TRY(std::move(parent));
  if (at == nullptr) return std::nullopt;
  return lookup(*at, path.name());
}

Result<void> TreeEditor::put(const Path& path, EntryValue value) {
  auto* parent = TRY(dir(path.parent(), true));
  parent->changes.insert_or_assign(path.name(), Slot{std::move(value), nullptr});
  return {};
}

Result<void> TreeEditor::make_dir(const Path& path) {
  TRY(dir(path, true));
  return {};
}

Result<void> TreeEditor::remove(const Path& path) {
  auto* parent = TRY(dir(path.parent(), false));
  // An empty slot hides what the original directory has there.
  if (parent != nullptr) parent->changes.insert_or_assign(path.name(), Slot{});
  return {};
}

Result<NodePtr> TreeEditor::build(Dir& dir) {
  std::vector<DictEdit> edits;
  edits.reserve(dir.changes.size());
  for (auto& [name, slot] : dir.changes) {
    if (slot.dir) {
      auto node = TRY(build(*slot.dir));
      edits.push_back({name, EntryValue::of(entry_for(name, *node))});
    } else {
      edits.push_back({name, std::move(slot.value)});
    }
  }
  auto node = TRY(dict_apply(stage_, dir.base, edits));
  // An untouched new directory is not in the stage yet.
  if (edits.empty() && node->totals().entries == 0) TRY(stage_.add(node));
  return node;
}

Result<NodePtr> TreeEditor::finish() { return build(*root_); }

}  // namespace cairn
