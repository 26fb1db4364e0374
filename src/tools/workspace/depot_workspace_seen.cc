// DepotWorkspace: what its caller has seen.
#include "base/quote.h"
#include "tools/files/looks.h"
#include "tools/workspace/depot_workspace.h"

namespace cairn {

void DepotWorkspace::seen(const WorkFile& file) const {
  knows(relative(file.place()), tree_.root->key());
}

void DepotWorkspace::has_changed(const std::string& path, const NodeKey& root) const {
  if (dry_run_) return;
  seen_.note(agent_, path, SeenFiles::Seen{.root = root, .before = seen_.last(agent_, path)});
}

void DepotWorkspace::listed(const WorkDirectory& directory) const {
  if (dry_run_) return;
  const auto place = relative(directory.place());
  seen_.note_look(agent_, place == "." ? "" : place, {.root = tree_.root->key()});
}

Result<bool> DepotWorkspace::is_known(const Located& now) const {
  const auto seen = seen_.last(agent_, now.path.render());
  if (!seen) return false;
  const auto then = view_tree(tree_.nodes, *seen);
  if (!then) return false;
  const auto was = TRY(find(*then, now.path));
  return was && EntryValue::of(was->entry) == EntryValue::of(now.entry);
}

Result<void> DepotWorkspace::check_below(const Path& directory) const {
  for (const auto& [file, root] : seen_.below(agent_, directory.render())) {
    // Gone with its depot's history: nothing is known of it.
    const auto then = view_tree(tree_.nodes, root);
    if (!then) continue;
    const auto path = TRY(Path::parse(file));
    const auto was = TRY(find(*then, path));
    const auto now = TRY(find(tree_, path));
    if (!now || (was && EntryValue::of(now->entry) == EntryValue::of(was->entry))) continue;
    const auto seen = seen_.find(agent_, file);
    return Failure(Error(Code::kConflict,
                         fmt::format("{} changed '{}' since you read it; nothing was deleted: read "
                                     "it again first",
                                     seen && seen->taken_back ? "what was taken back has"
                                                              : "somebody else has",
                                     shown(file, 300)))
                       .with("paths", std::vector<std::string>{file}));
  }
  const auto known_now = [&](const Path& file) -> Result<bool> {
    const auto now = TRY(find(tree_, file));
    return now && TRY(is_known(*now));
  };
  const fs::LookedFrom from{agent_, call_.session().answers_for(), place_, known_now};
  auto files = TRY(fs::unseen_below(call_.realm(), seen_, from, tree_, directory));
  if (!files.empty()) return Failure(fs::not_seen(directory, std::move(files)));
  return {};
}

}  // namespace cairn
