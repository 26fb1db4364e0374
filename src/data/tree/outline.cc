#include "data/tree/outline.h"

namespace cairn {
namespace {

// About what one item costs in the rendered answer.
std::int64_t rendered_bytes(const Node& node) {
  auto entries = static_cast<std::int64_t>(node.totals().entries);
  return entries * 100;
}

Result<void> append_children(const NodeReader& nodes, const NodePtr& dict, Outline& out) {
  DictCursor cursor(nodes, dict);
  TRY(cursor.seek_index(0));
  while (const Entry* entry = cursor.entry()) {
    out.items.push_back({std::string(entry->name), EntryValue::of(*entry), entry->is_dir(), 0});
    TRY(cursor.next());
  }
  return {};
}

}  // namespace

Result<Outline> outline(const TreeView& tree, const Path& path, const OutlineOptions& options,
                        Budget& budget) {
  if (options.depth < -1 || options.max_entries < 0) {
    return fail(
        Code::kInvalidArgument,
        "depth is {} and maxEntries {}; depth should be -1 (no limit) or more, maxEntries 0 "
        "or more",
        options.depth, options.max_entries);
  }
  auto at = TRY(locate(tree, path));
  auto dict = TRY(open_dir(tree, at));
  Outline out;
  out.items.push_back({std::string(at.entry.name), EntryValue::of(at.entry), true, 0});
  auto left = options.max_entries;
  std::int64_t depth = 0;
  std::size_t level_end = 1;  // items before it are of this depth or above
  for (std::size_t i = 0; i < out.items.size(); ++i) {
    if (i == level_end) {
      depth += 1;
      level_end = out.items.size();
    }
    if (options.depth >= 0 && depth >= options.depth) break;
    if (out.items[i].value.kind != Kind::kDict) continue;
    auto count = static_cast<std::int64_t>(out.items[i].value.children);
    auto node = i == 0 ? dict : TRY(tree.nodes.get(out.items[i].value.key));
    bool fits = count <= left && budget.in_time() && budget.take_entries(count) &&
                budget.take_bytes(rendered_bytes(*node));
    if (!fits) {
      out.truncated = true;
      break;
    }
    left -= count;
    out.items[i].collapsed = false;
    out.items[i].first = out.items.size();
    TRY(append_children(tree.nodes, node, out));
  }
  return out;
}

}  // namespace cairn
