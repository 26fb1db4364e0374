// DepotWorkspace: its history, and taking changes of it back.
#include <algorithm>

#include "base/quote.h"
#include "tools/depots/changes.h"
#include "tools/files/known.h"
#include "tools/workspace/depot_workspace.h"

namespace cairn {
namespace {

constexpr std::size_t kPathsShown = 5;
constexpr std::size_t kPathsCounted = 1000;

std::string id_of(const ChangeRange& changes) {
  if (changes.from == changes.to) return std::to_string(changes.to);
  return fmt::format("{}..{}", changes.from, changes.to);
}

}  // namespace

// The change, or a run of changes of which it is the last.
Result<WorkChange> DepotWorkspace::render(const HistoryEntry& entry,
                                          const ChangeRange& changes) const {
  const depots::Changes known(call_, place_);
  WorkChange out;
  out.id = id_of(changes);
  out.time = entry.time;
  out.author = entry.author ? entry.author->render() : "";
  out.message = TRY(known.message(entry));
  out.paths = TRY(known.touched(changes, kPathsCounted));
  if (out.paths.size() > kPathsShown) {
    out.more_paths = out.paths.size() - kPathsShown;
    out.paths.resize(kPathsShown);
  }
  return out;
}

Result<WorkHistory> DepotWorkspace::history(std::size_t limit, std::string_view from) const {
  TRY(call_.sight().check_history());
  const auto cursor = from.empty() ? std::nullopt : std::optional(from);
  const auto page = TRY(call_.realm().history_at(place_, limit, cursor));
  WorkHistory out;
  out.next = page.next_cursor.value_or("");
  if (page.entries.empty()) return out;
  const auto undone =
      TRY(depots::Changes(call_, place_).undone_since(page.entries.back().sequence));
  for (const auto& entry : page.entries) {
    auto change = TRY(render(entry, {entry.sequence, entry.sequence}));
    change.undone = depots::contains(undone, entry.sequence);
    out.changes.push_back(std::move(change));
  }
  return out;
}

Result<ChangeRange> DepotWorkspace::to_undo(std::string_view from, std::string_view to) const {
  const depots::Changes known(call_, place_);
  if (from.empty()) {
    const auto own = TRY(known.own_latest());
    return ChangeRange{own, own};
  }
  // One that was taken back may be there again: whether there is something left to take back is
  // found out by doing it.
  return ChangeRange{TRY(depots::change_number(from)), TRY(depots::change_number(to))};
}

Result<WorkChange> DepotWorkspace::undo(std::string_view from, std::string_view to) {
  TRY(check_writable());
  TRY(call_.sight().check_history());
  const auto changes = TRY(to_undo(from, to));
  const auto replaced = TRY(call_.realm().replaced_by(place_, changes));
  auto out = TRY(render(replaced.last, changes));
  const auto done = TRY(call_.realm().undo(
      {.place = place_,
       .changes = changes,
       .message = fmt::format("undo {}: {}", changes.render(), shown(out.message, 1000)),
       .author = call_.session().answers_for(),
       .owners = call_.session().owners,
       .dry_run = dry_run_}));
  if (dry_run_) return out;
  tree_.root = TRY(view_tree(call_.realm().nodes(), done.root)).root;
  const depots::Changes known(call_, place_);
  fs::note_taken_back(seen_, agent_, tree_,
                      TRY(known.touched(replaced.before, replaced.last.root, kPathsCounted)));
  out.undone = true;
  return out;
}

}  // namespace cairn
