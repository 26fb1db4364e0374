#include "tools/files/looks.h"

#include <algorithm>

#include "base/quote.h"
#include "data/tree/diff.h"

namespace cairn::fs {
namespace {

constexpr std::size_t kMostNamed = 100;
constexpr std::int64_t kMostCompared = 100'000;
constexpr std::size_t kCommitsLooked = 1000;

// A tree that the agent has listed, as far as it is still there.
std::vector<TreeView> trees_of(const NodeReader& nodes, const SeenFiles::Seen& seen) {
  std::vector<TreeView> out;
  for (const auto& root : {std::optional(seen.root), seen.made_on}) {
    if (!root) continue;
    if (auto tree = view_tree(nodes, *root)) out.push_back(std::move(*tree));
  }
  return out;
}

std::optional<EntryValue> entry_in(const TreeView& tree, const Path& path) {
  const auto found = find(tree, path);
  if (!found || !*found) return std::nullopt;
  return EntryValue::of((*found)->entry);
}

// Whether nobody else has committed since the place had this root.
Result<bool> only_own_since(Realm& realm, const LookedFrom& from, const NodeKey& root) {
  const auto page = TRY(realm.history_at(from.place, kCommitsLooked, std::nullopt));
  for (const auto& entry : page.entries) {
    if (entry.root == root) return true;
    if (entry.author != from.author) return false;
  }
  return false;
}

// Files that are in one tree and not, or not so, in the other.
Result<std::vector<std::string>> came_since(const Realm& realm, const TreeView& then,
                                            const TreeView& now, const Path& path) {
  const auto was = entry_in(then, path);
  const auto is = entry_in(now, path);
  std::vector<std::string> out;
  if (!is || was == is) return out;
  if (is->kind != Kind::kDict) return std::vector<std::string>{path.render()};
  Budget budget(realm.clock(), {.entries = kMostCompared});
  const auto before =
      was && was->kind == Kind::kDict ? TRY(dict_open(then.nodes, was->key)) : empty_dict();
  const auto found = TRY(
      diff(now.nodes, before, TRY(dict_open(now.nodes, is->key)), Directories::kExpanded, budget));
  for (const auto& change : found.changes) {
    if (change.after && change.after->kind == Kind::kFile) {
      out.push_back(path.render() + "/" + change.path);
    }
  }
  return out;
}

}  // namespace

Result<std::vector<std::string>> unseen_below(Realm& realm, SeenFiles& memory,
                                              const LookedFrom& from, const TreeView& now,
                                              const Path& path) {
  std::vector<std::string> out;
  const auto looks = memory.looks(from.agent, path.render());
  std::vector<TreeView> known;
  for (const auto& [directory, seen] : looks) {
    std::ranges::move(trees_of(realm.nodes(), seen), std::back_inserter(known));
  }
  for (const auto& [directory, seen] : looks) {
    const auto listed = TRY(Path::parse(directory));
    const auto& compared = listed.is_within(path) ? listed : path;
    const auto then = view_tree(realm.nodes(), seen.root);
    if (!then) continue;
    const auto files = TRY(came_since(realm, *then, now, compared));
    if (files.empty() || TRY(only_own_since(realm, from, seen.root))) continue;
    for (const auto& name : files) {
      const auto file = TRY(Path::parse(name));
      const auto is = entry_in(now, file);
      const bool seen_elsewhere = std::ranges::any_of(
          known, [&](const TreeView& tree) { return entry_in(tree, file) == is; });
      if (seen_elsewhere || TRY(from.is_known(file))) continue;
      if (std::ranges::find(out, name) == out.end()) out.push_back(name);
      if (out.size() == kMostNamed) return out;
    }
  }
  return out;
}

Error not_seen(const Path& path, std::vector<std::string> files) {
  constexpr std::size_t kShown = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(files.size(), kShown); ++i) {
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", shown(files[i], 200));
  }
  if (files.size() > kShown) names += fmt::format(" and {} more", files.size() - kShown);
  return Error(Code::kConflict,
               fmt::format("others have made or changed {} since you looked at '{}'; nothing was "
                           "removed: list or read it again, then remove it",
                           names, shown(path.render(), 300)))
      .with("paths", std::move(files));
}

}  // namespace cairn::fs
