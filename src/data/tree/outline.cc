#include "data/tree/outline.h"

namespace cairn {
namespace {

// Deeper nothing can be named, and whoever takes an answer apart runs out of stack.
constexpr std::int64_t kMostLevels = Path::kMaxSegments;

// What the items from `first` on take in the rendered answer.
std::int64_t rendered_bytes(const std::vector<Outline::Item>& items, std::size_t first,
                            const Rendering& rendering) {
  std::int64_t bytes = 0;
  for (auto i = first; i < items.size(); ++i) {
    bytes += branch_bytes(items[i].name, items[i].value, rendering);
  }
  return bytes;
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
    if (depth > kMostLevels) {
      out.truncated = true;
      break;
    }
    auto count = static_cast<std::int64_t>(out.items[i].value.children);
    auto node = i == 0 ? dict : TRY(tree.nodes.get(out.items[i].value.key));
    const auto first = out.items.size();
    bool fits = count <= left && budget.in_time() && budget.take_entries(count);
    if (fits) {
      TRY(append_children(tree.nodes, node, out));
      fits = budget.take_bytes(rendered_bytes(out.items, first, options.rendering));
    }
    if (!fits) {
      out.items.resize(first);
      out.truncated = true;
      break;
    }
    left -= count;
    out.items[i].collapsed = false;
    out.items[i].first = first;
  }
  return out;
}

}  // namespace cairn
