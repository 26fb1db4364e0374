// dict_apply: editing a directory level by level, from its entries up to its root.
//
// Every level is a sorted list of items (entries at level 0, branches above), cut into nodes. An
// edit of one level rewrites the nodes around the edited items, until a new cut falls on an old
// one; the nodes that went and came are the edits of the level above.

#include <algorithm>
#include <map>

#include "base/quote.h"
#include "data/cas/boundary.h"
#include "data/cas/dict.h"

namespace cairn {
namespace {

std::string_view item_name(const Entry& entry) { return entry.name; }
std::string_view item_name(const Branch& branch) { return branch.last; }

template <typename Item>
std::span<const Item> items_of(const Node& node);
template <>
std::span<const Entry> items_of<Entry>(const Node& node) {
  return node.entries();
}
template <>
std::span<const Branch> items_of<Branch>(const Node& node) {
  return node.branches();
}

NodePtr make_node(unsigned, std::span<const Entry> entries) { return make_dict(entries); }
NodePtr make_node(unsigned level, std::span<const Branch> branches) {
  return make_dict(level, branches);
}

// A node that came into being, as the level above will list it.
struct NewBranch {
  std::string last;
  NodeKey key;
  Totals totals;

  Branch branch() const { return {last, key, totals.entries, totals.files, totals.bytes}; }
};

// Edits of a level of branches: by last name, a new node, or nullopt for one that is gone.
using BranchEdits = std::map<std::string, std::optional<NewBranch>, std::less<>>;

// Cuts a stream of items into nodes of one level.
template <typename Item>
class NodeCutter final {
 public:
  NodeCutter(Stage& stage, unsigned level) : stage_(stage), level_(level) {}

  bool empty() const { return items_.empty(); }

  Result<void> feed(const Item& item) {
    if (!follows(item_name(item))) {
      return fail(Code::kCorruptNode, "the directory's nodes overlap at the name '{}'",
                  shown(item_name(item)));
    }
    totals_.add(item);
    if (!totals_.plausible()) {
      return fail(Code::kNodeTooLarge,
                  "the directory would hold more than {} entries, files or bytes", kMaxTotal);
    }
    items_.push_back(item);
    if (DictBoundary::ends(level_, items_.size(), item_name(item))) return flush();
    return {};
  }

  Result<void> flush() {
    if (items_.empty()) return {};
    auto node = make_node(level_, std::span<const Item>(items_));
    made_.push_back({std::string(item_name(items_.back())), node->key(), node->totals()});
    items_.clear();
    totals_ = {};
    return stage_.add(std::move(node));
  }

  std::vector<NewBranch>& made() { return made_; }

 private:
  // False only when the old nodes do not form one directory: a damaged store.
  bool follows(std::string_view name) const {
    if (!items_.empty()) return item_name(items_.back()) < name;
    return made_.empty() || made_.back().last < name;
  }

  Stage& stage_;
  unsigned level_;
  std::vector<Item> items_;
  Totals totals_;  // of the items
  std::vector<NewBranch> made_;
};

// The nodes of one level of the old directory, in order.
class LevelCursor final {
 public:
  LevelCursor(const NodeReader& nodes, const NodePtr& root, unsigned level)
      : nodes_(nodes), root_(root), level_(level) {}

  // To the node that holds `name` or would.
  Result<void> seek(std::string_view name) {
    path_.clear();
    node_ = root_;
    while (node_->level() > level_) {
      auto branches = node_->branches();
      auto at = std::ranges::lower_bound(branches, name, {}, &Branch::last);
      // Beyond the last name: it would be appended to the last node.
      if (at == branches.end()) --at;
      path_.push_back({node_, static_cast<std::size_t>(at - branches.begin())});
      node_ = TRY(dict_child(nodes_, *node_, *at));
    }
    return {};
  }

  const NodePtr& node() const { return node_; }

  bool is_last() const {
    return std::ranges::all_of(
        path_, [](const auto& step) { return step.second + 1 == step.first->branches().size(); });
  }

  // REQUIRES: !is_last()
  Result<void> next() {
    while (path_.back().second + 1 == path_.back().first->branches().size()) path_.pop_back();
    path_.back().second += 1;
    const auto& [parent, index] = path_.back();
    node_ = TRY(dict_child(nodes_, *parent, parent->branches()[index]));
    while (node_->level() > level_) {
      path_.push_back({node_, 0});
      node_ = TRY(dict_child(nodes_, *node_, node_->branches()[0]));
    }
    return {};
  }

 private:
  const NodeReader& nodes_;
  const NodePtr& root_;
  unsigned level_;
  NodePtr node_;
  std::vector<std::pair<NodePtr, std::size_t>> path_;
};

// The edits of one level as a sorted sequence to merge with the old items.
class EntryEdits final {
 public:
  explicit EntryEdits(std::span<const DictEdit> edits) : edits_(edits) {}
  bool done() const { return edits_.empty(); }
  std::string_view name() const { return edits_.front().name; }
  std::optional<Entry> item() const {
    const auto& edit = edits_.front();
    if (!edit.value) return std::nullopt;
    return edit.value->named(edit.name);
  }
  void pop() { edits_ = edits_.subspan(1); }

 private:
  std::span<const DictEdit> edits_;
};

class BranchEditSequence final {
 public:
  explicit BranchEditSequence(const BranchEdits& edits) : at_(edits.begin()), end_(edits.end()) {}
  bool done() const { return at_ == end_; }
  std::string_view name() const { return at_->first; }
  std::optional<Branch> item() const {
    if (!at_->second) return std::nullopt;
    return at_->second->branch();
  }
  void pop() { ++at_; }

 private:
  BranchEdits::const_iterator at_;
  BranchEdits::const_iterator end_;
};

// Feeds the items of `node`, changed by the edits that fall into it, to the cutter.
template <typename Item, typename Edits>
Result<void> merge_node(const Node& node, bool takes_the_rest, Edits& edits,
                        NodeCutter<Item>& cutter) {
  auto items = items_of<Item>(node);
  auto last = items.empty() ? std::string_view() : item_name(items.back());
  std::size_t i = 0;
  // In the last node of the level there is nobody else to take what comes after its end.
  while (!edits.done() && (takes_the_rest || edits.name() <= last)) {
    while (i < items.size() && item_name(items[i]) < edits.name()) TRY(cutter.feed(items[i++]));
    if (i < items.size() && item_name(items[i]) == edits.name()) ++i;
    if (auto item = edits.item()) TRY(cutter.feed(*item));
    edits.pop();
  }
  while (i < items.size()) TRY(cutter.feed(items[i++]));
  return {};
}

// Applies the edits of one level. Returns the edits of the level above.
template <typename Item, typename Edits>
Result<BranchEdits> edit_level(Stage& stage, const NodePtr& root, unsigned level, Edits edits) {
  BranchEdits above;
  LevelCursor cursor(stage, root, level);
  NodeCutter<Item> cutter(stage, level);
  std::vector<NodePtr> alive;  // what the items in the cutter point into
  while (!edits.done()) {
    TRY(cursor.seek(edits.name()));
    while (true) {
      const auto& node = cursor.node();
      bool last = cursor.is_last();
      alive.push_back(node);
      if (auto items = items_of<Item>(*node); !items.empty()) {
        // The old node goes. If it comes out the same, insert_or_assign() below puts it back.
        above.try_emplace(std::string(item_name(items.back())), std::nullopt);
      }
      TRY(merge_node<Item>(*node, last, edits, cutter));
      if (last) TRY(cutter.flush());
      // A cut fell on the end of an old node: from here on the old nodes are as they would be made.
      if (cutter.empty()) break;
      TRY(cursor.next());
    }
    alive.clear();
  }
  // After all deletions: a node that was made anew under an old last name replaces it.
  for (auto& made : cutter.made()) above.insert_or_assign(made.last, made);
  return above;
}

// The root over a list of nodes of one level.
Result<NodePtr> build_root(Stage& stage, std::vector<NewBranch> nodes, unsigned level) {
  while (nodes.size() > 1) {
    level += 1;
    if (level > kMaxLevel) return fail(Code::kCorruptNode, "the directory is too high");
    NodeCutter<Branch> cutter(stage, level);
    for (const auto& node : nodes) TRY(cutter.feed(node.branch()));
    TRY(cutter.flush());
    nodes = std::move(cutter.made());
  }
  if (nodes.empty()) {
    auto node = empty_dict();
    TRY(stage.add(node));
    return node;
  }
  return stage.get(nodes.front().key);
}

// After deletions a root may have a single child. The same entries inserted from scratch would have
// had no such root, and equal directories must have equal keys.
Result<NodePtr> lower_root(const NodeReader& nodes, NodePtr root) {
  while (root->level() > 0 && root->branches().size() == 1) {
    root = TRY(dict_child(nodes, *root, root->branches().front()));
  }
  return root;
}

}  // namespace

EntryValue EntryValue::of(const Entry& entry) {
  return {entry.kind, entry.key, entry.bytes, std::string(entry.type), entry.children, entry.files};
}

Entry EntryValue::named(std::string_view name) const {
  return {kind, name, key, bytes, type, children, files};
}

Result<NodePtr> dict_apply(Stage& stage, const NodePtr& dict, std::span<const DictEdit> edits) {
  if (edits.empty()) return dict;
  auto above = TRY(edit_level<Entry>(stage, dict, 0, EntryEdits(edits)));
  for (unsigned level = 1; level <= dict->level(); ++level) {
    above = TRY(edit_level<Branch>(stage, dict, level, BranchEditSequence(above)));
  }
  // The edits above the root's own level are all the nodes there are on it.
  std::vector<NewBranch> nodes;
  for (auto& [last, node] : above) {
    if (node) nodes.push_back(std::move(*node));
  }
  auto root = TRY(build_root(stage, std::move(nodes), dict->level()));
  return lower_root(stage, std::move(root));
}

}  // namespace cairn
