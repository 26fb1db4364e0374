// Realm::revert, restore and undo: a depot, or a place in it, as it was, and without what some
// commits did.

#include <algorithm>

#include "base/explain.h"
#include "data/realm/realm.h"
#include "data/tree/editor.h"

namespace cairn {
namespace {

// `'a.txt', 'b.txt' and 3 more`
std::string paths_of(const Error& error) {
  constexpr std::size_t kShown = 5;
  const auto found = error.details.find("paths");
  if (found == error.details.end()) return "it";
  const auto& paths = std::get<std::vector<std::string>>(found->second);
  std::string out;
  for (std::size_t i = 0; i < std::min(paths.size(), kShown); ++i) {
    out += fmt::format("{}'{}'", i == 0 ? "" : ", ", paths[i]);
  }
  if (paths.size() > kShown) out += fmt::format(" and {} more", paths.size() - kShown);
  return out;
}

Failure built_upon(Error error, const ChangeRange& changes) {
  auto message = fmt::format(
      "{} cannot be taken back by itself: later commits changed {} where it did; nothing was "
      "changed. Take those back too (from and to), or edit the files",
      changes.render(), paths_of(error));
  return Failure(retold(std::move(error), std::move(message)));
}

Failure changed_nothing(const ChangeRange& changes) {
  return fail(Code::kHistoryNotFound, "{} changed nothing here that could be taken back",
              changes.render());
}

}  // namespace

Result<CommitResult> Realm::revert(const Place& place, const NodeKey& root,
                                   std::string_view message, std::optional<DelegateId> author) {
  TRY(get_depot(place.depot));
  if (!TRY(in_history(place, root))) {
    return fail(Code::kHistoryNotFound,
                "{} is not in the history of {}; its history lists the roots to choose from",
                root.render(), place.depot.render());
  }
  CommitRequest request{.depot = place.depot,
                        .root = root,
                        .message = std::string(message),
                        // A revert is meant to replace what is there now, so there is nothing to
                        // merge with.
                        .force = true,
                        .author = author,
                        .place = place.path};
  if (request.message.empty()) request.message = fmt::format("revert to {}", root.render_short());
  return commit(request);
}

Result<CommitResult> Realm::restore(CommitRequest request, const Path& path) {
  const Place place(request.depot, request.place);
  TRY(check_place(path));
  const auto now = TRY(root_at(place));
  const auto wanted = TRY(find_place(nodes_, request.root, path));
  if (!wanted && !TRY(find_place(nodes_, now, path))) {
    return fail(Code::kPathNotFound, "there is no '{}' now, and there was none then",
                path.render());
  }
  Stage stage(nodes_);
  TreeEditor editor(stage, TRY(dict_open(stage, now)));
  std::vector<NodeKey> linked;
  if (wanted) {
    TRY(editor.put(path, *wanted));
    linked.push_back(wanted->key);
  } else {
    TRY(editor.remove(path));
  }
  request.root = TRY(editor.finish())->key();
  request.made_on = now;
  request.expected_root.reset();
  request.force = false;
  return commit(request, stage, linked);
}

Result<Replaced> Realm::replaced_by(const Place& place, const ChangeRange& changes) const {
  TRY(check_place(place.path));
  const auto depot = TRY(get_depot(place.depot));
  if (changes.from > changes.to) {
    return fail(Code::kInvalidArgument, "from is #{} and to is #{}; from is the older one",
                changes.from, changes.to);
  }
  auto newest = entry_at(depot, changes.to);
  if (!place.path.is_root() && !newest && newest.error().code == Code::kHistoryNotFound) {
    return changed_nothing(changes);
  }
  auto last = TRY(std::move(newest));
  if (changes.from == 0) {
    return fail(Code::kHistoryNotFound, "#0 made the depot; there is nothing before it");
  }
  auto before = entry_at(depot, changes.from - 1);
  if (!place.path.is_root() && !before && before.error().code == Code::kHistoryNotFound) {
    return fail(Code::kHistoryNotFound,
                "what #{} changed is not known any more: the version before it is not kept",
                changes.from);
  }
  if (!before && before.error().code == Code::kHistoryNotFound) {
    return fail(Code::kHistoryNotFound,
                "what #{} changed is not known any more: the version before it is not kept ({}). "
                "{}",
                changes.from, depot.keep.render(), before.error().message);
  }
  const auto was = TRY(find_place(nodes_, TRY(std::move(before)).root, place.path));
  const auto became = TRY(find_place(nodes_, last.root, place.path));
  if (!was || !became || was->key == became->key) return changed_nothing(changes);
  last.root = became->key;
  return Replaced{std::move(last), was->key};
}

Result<CommitResult> Realm::undo(const UndoRequest& request) {
  const auto replaced = TRY(replaced_by(request.place, request.changes));
  CommitRequest inverse{.depot = request.place.depot,
                        .root = replaced.before,
                        .made_on = replaced.last.root,
                        .message = request.message,
                        .author = request.author,
                        .place = request.place.path,
                        .owners = request.owners,
                        .dry_run = request.dry_run,
                        .undid = request.changes};
  if (inverse.message.empty()) {
    inverse.message = fmt::format("undo {}", request.changes.render());
  }
  auto done = commit(inverse);
  // One without paths says itself what is in the way, such as a place that is gone.
  if (!done && done.error().code == Code::kConflict && done.error().details.contains("paths")) {
    return built_upon(std::move(done).error(), request.changes);
  }
  auto result = TRY(std::move(done));
  if (!result.changed) {
    return fail(Code::kInvalidArgument,
                "nothing is left of {} that could be taken back; nothing was changed",
                request.changes.render());
  }
  return result;
}

}  // namespace cairn
