#include "data/cas/dict.h"

#include <algorithm>

namespace cairn {
namespace {

std::size_t first_not_smaller(std::span<const Entry> entries, std::string_view name) {
  auto at = std::ranges::lower_bound(entries, name, {}, &Entry::name);
  return static_cast<std::size_t>(at - entries.begin());
}

std::size_t first_not_smaller(std::span<const Branch> branches, std::string_view name) {
  auto at = std::ranges::lower_bound(branches, name, {}, &Branch::last);
  return static_cast<std::size_t>(at - branches.begin());
}

std::size_t child_count(const Node& dict) {
  return dict.level() == 0 ? dict.entries().size() : dict.branches().size();
}

// REQUIRES: not empty.
std::string_view last_name(const Node& dict) {
  return dict.level() == 0 ? dict.entries().back().name : dict.branches().back().last;
}

}  // namespace

// A branch repeats what its child says (totals, last name). Comparing them on the way down means
// that a node from another directory, however valid by itself, is never taken for a part of this
// one.
Result<NodePtr> dict_child(const NodeReader& nodes, const Node& node, const Branch& branch) {
  auto below = TRY(nodes.get(branch.key));
  if (below->kind() != Kind::kDict || below->level() + 1 != node.level() ||
      below->totals() != Totals{branch.entries, branch.files, branch.bytes} ||
      last_name(*below) != branch.last) {
    return fail(Code::kCorruptNode, "{} is not the part of a directory that {} says it is",
                below->key().render(), node.key().render());
  }
  return below;
}

Result<NodePtr> dict_open(const NodeReader& nodes, const NodeKey& key) {
  auto node = TRY(nodes.get(key));
  if (node->kind() != Kind::kDict || !node->is_root()) {
    return fail(Code::kCorruptNode, "{} is listed as a directory and is not one", key.render());
  }
  return node;
}

Result<std::optional<FoundEntry>> dict_find(const NodeReader& nodes, const NodePtr& dict,
                                            std::string_view name) {
  NodePtr node = dict;
  while (node->level() > 0) {
    auto branches = node->branches();
    auto i = first_not_smaller(branches, name);
    // Every name in the directory is smaller.
    if (i == branches.size()) return std::nullopt;
    node = TRY(dict_child(nodes, *node, branches[i]));
  }
  auto entries = node->entries();
  auto i = first_not_smaller(entries, name);
  if (i == entries.size() || entries[i].name != name) return std::nullopt;
  return FoundEntry{node, entries[i]};
}

Result<std::optional<FoundEntry>> dict_at(const NodeReader& nodes, const NodePtr& dict,
                                          std::uint64_t index) {
  DictCursor cursor(nodes, dict);
  TRY(cursor.seek_index(index));
  if (cursor.entry() == nullptr) return std::nullopt;
  return FoundEntry{cursor.holder(), *cursor.entry()};
}

Result<std::uint64_t> dict_rank(const NodeReader& nodes, const NodePtr& dict,
                                std::string_view name) {
  std::uint64_t rank = 0;
  NodePtr node = dict;
  while (node->level() > 0) {
    auto branches = node->branches();
    auto i = first_not_smaller(branches, name);
    for (const auto& before : branches.first(i)) rank += before.entries;
    if (i == branches.size()) return rank;
    node = TRY(dict_child(nodes, *node, branches[i]));
  }
  return rank + first_not_smaller(node->entries(), name);
}

Result<void> DictCursor::seek_index(std::uint64_t index) {
  path_.clear();
  if (index >= root_->totals().entries) return {};
  NodePtr node = root_;
  while (node->level() > 0) {
    auto branches = node->branches();
    std::size_t i = 0;
    while (index >= branches[i].entries) index -= branches[i++].entries;
    path_.push_back({node, i});
    node = TRY(dict_child(nodes_, *node, branches[i]));
  }
  path_.push_back({node, static_cast<std::size_t>(index)});
  return {};
}

Result<void> DictCursor::seek_name(std::string_view name) {
  path_.clear();
  NodePtr node = root_;
  while (node->level() > 0) {
    auto branches = node->branches();
    auto i = first_not_smaller(branches, name);
    if (i == branches.size()) {
      path_.clear();
      return {};
    }
    path_.push_back({node, i});
    node = TRY(dict_child(nodes_, *node, branches[i]));
  }
  auto i = first_not_smaller(node->entries(), name);
  if (i == node->entries().size()) {
    // Only in the last node of the directory: a branch promised a name at least this large.
    path_.clear();
    return {};
  }
  path_.push_back({node, i});
  return {};
}

const Entry* DictCursor::entry() const {
  if (path_.empty() || path_.back().node->level() > 0) return nullptr;
  const auto& step = path_.back();
  return &step.node->entries()[step.index];
}

Result<void> DictCursor::next() {
  while (!path_.empty()) {
    auto& step = path_.back();
    step.index += 1;
    if (step.index < child_count(*step.node)) return descend_first();
    path_.pop_back();
  }
  return {};
}

Result<void> DictCursor::descend_first() {
  while (path_.back().node->level() > 0) {
    const auto& step = path_.back();
    auto below = TRY(dict_child(nodes_, *step.node, step.node->branches()[step.index]));
    path_.push_back({std::move(below), 0});
  }
  return {};
}

namespace {

// Walks a directory by its largest nodes, and reads one only when it is opened.
class SubtreeCursor final {
 public:
  SubtreeCursor(const NodeReader& nodes, const NodePtr& root) : nodes_(nodes), root_(root) {
    if (root->totals().entries > 0) path_.push_back({root, 0});
  }

  bool at_end() const { return path_.empty(); }
  // How many nodes open() has to read until there is an entry here.
  unsigned height() const { return at_end() ? 0 : path_.back().node->level(); }
  // The entry here, or null at the end. REQUIRES: height() == 0
  const Entry* entry() const {
    return at_end() ? nullptr : &path_.back().node->entries()[path_.back().index];
  }

  // The key of the node of this level that begins exactly here, if one does and is known.
  std::optional<NodeKey> starting_here(unsigned level) const {
    if (at_end() || level > root_->level()) return std::nullopt;
    const std::size_t depth = root_->level() - level;
    if (depth > path_.size()) return std::nullopt;
    for (std::size_t i = depth; i < path_.size(); ++i) {
      if (path_[i].index != 0) return std::nullopt;
    }
    if (depth < path_.size()) return path_[depth].node->key();
    return path_.back().node->branches()[path_.back().index].key;
  }

  // REQUIRES: starting_here(level)
  void skip(unsigned level) {
    path_.resize(root_->level() - level);
    next();
  }

  // REQUIRES: height() > 0
  Result<void> open() {
    const auto& step = path_.back();
    auto below = TRY(dict_child(nodes_, *step.node, step.node->branches()[step.index]));
    path_.push_back({std::move(below), 0});
    return {};
  }

  void next() {
    while (!path_.empty()) {
      auto& step = path_.back();
      step.index += 1;
      if (step.index < child_count(*step.node)) return;
      path_.pop_back();
    }
  }

 private:
  struct Step {
    NodePtr node;
    std::size_t index;
  };

  const NodeReader& nodes_;
  const NodePtr& root_;
  std::vector<Step> path_;  // from the root down to the node that holds what is here
};

// Jumps over the largest node that begins at both cursors.
bool skip_shared(SubtreeCursor& a, SubtreeCursor& b, unsigned highest) {
  for (unsigned above = highest + 1; above > 0; --above) {
    auto here = a.starting_here(above - 1);
    if (!here || here != b.starting_here(above - 1)) continue;
    a.skip(above - 1);
    b.skip(above - 1);
    return true;
  }
  return false;
}

}  // namespace

Result<void> dict_diff(const NodeReader& nodes, const NodePtr& before, const NodePtr& after,
                       const DictDiffVisitor& visit) {
  SubtreeCursor a(nodes, before);
  SubtreeCursor b(nodes, after);
  while (!a.at_end() || !b.at_end()) {
    if (skip_shared(a, b, std::min(before->level(), after->level()))) continue;
    if (auto height = std::max(a.height(), b.height()); height > 0) {
      // Before a.open(), which changes its height. Both are opened when they are as high: equal
      // nodes then show up on both sides at once.
      bool open_b = b.height() == height;
      if (a.height() == height) TRY(a.open());
      if (open_b) TRY(b.open());
      continue;
    }
    const Entry* x = a.entry();
    const Entry* y = b.entry();
    if (y == nullptr || (x != nullptr && x->name < y->name)) {
      TRY(visit(x, nullptr));
      a.next();
    } else if (x == nullptr || y->name < x->name) {
      TRY(visit(nullptr, y));
      b.next();
    } else {
      if (*x != *y) TRY(visit(x, y));
      a.next();
      b.next();
    }
  }
  return {};
}

}  // namespace cairn
