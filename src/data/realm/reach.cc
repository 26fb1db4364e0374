#include "data/realm/reach.h"

namespace cairn {

Result<Reach::Frame> Reach::look_at(const NodeKey& key) {
  Frame frame{key, {}};
  auto node = nodes_.get(key);
  if (!node && node.error().code == Code::kNodeNotFound) return frame;
  const auto found = TRY(std::move(node));
  auto add = [&](const NodeKey& child) {
    const auto known = known_.find(child);
    if (known == known_.end()) {
      frame.open.push_back(child);
    } else {
      frame.found = frame.found || known->second;
    }
  };
  for (const auto& branch : found->branches()) add(branch.key);
  for (const auto& entry : found->entries()) {
    if (wanted_.contains(entry.key)) {
      frame.found = true;
    } else if (entry.is_dir()) {
      add(entry.key);
    }
  }
  return frame;
}

// With a list of its own instead of recursion: raw nodes can be nested deeper than any path.
Result<bool> Reach::holds(const NodeKey& root) {
  if (wanted_.contains(root)) return true;
  if (auto known = known_.find(root); known != known_.end()) return known->second;
  std::vector<Frame> frames{TRY(look_at(root))};
  while (!frames.empty()) {
    auto& top = frames.back();
    if (!top.found && !top.open.empty()) {
      const auto next = top.open.back();
      if (auto known = known_.find(next); known != known_.end()) {
        top.found = known->second;
        top.open.pop_back();
      } else {
        frames.push_back(TRY(look_at(next)));
      }
      continue;
    }
    known_.insert_or_assign(top.key, top.found);
    frames.pop_back();
  }
  return known_.at(root);
}

Result<void> Reach::walk(const NodeKey& key, const Path& path, std::size_t most,
                         std::vector<Path>& out) {
  const auto node = TRY(nodes_.get(key));
  for (const auto& branch : node->branches()) {
    if (out.size() < most && TRY(holds(branch.key))) TRY(walk(branch.key, path, most, out));
  }
  for (const auto& entry : node->entries()) {
    if (out.size() >= most) return {};
    // Deeper than that nothing can be named.
    if (path.segments().size() >= Path::kMaxSegments) return {};
    if (wanted_.contains(entry.key)) {
      out.push_back(path.child(entry.name));
    } else if (entry.is_dir() && TRY(holds(entry.key))) {
      TRY(walk(entry.key, path.child(entry.name), most, out));
    }
  }
  return {};
}

Result<std::vector<Path>> Reach::paths(const NodeKey& root, std::size_t most) {
  std::vector<Path> out;
  if (!wanted_.contains(root) && TRY(holds(root))) TRY(walk(root, Path(), most, out));
  return out;
}

}  // namespace cairn
