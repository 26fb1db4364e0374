#include "base/quote.h"
#include "tools/depots/changes.h"
#include "tools/depots/depots.h"
#include "tools/depots/tools.h"
#include "tools/files/known.h"

namespace cairn {
namespace {

struct Wanted {
  NodeKey root;
  bool in_history = false;  // known to be
};

// A root by its key, or the version that is meant.
Result<Wanted> wanted_root(Call& call, const Place& place, std::string_view text) {
  if (text.starts_with("nod_")) return Wanted{TRY(call.sight().node(text))};
  if (text.starts_with(DepotTag::kPrefix)) {
    const auto address = TRY(DepotAddress::parse(text));
    const auto target = TRY(call.sight().target(text));
    if (address.version && target.version_of == place) return Wanted{target.root, true};
    return fail(Code::kInvalidArgument,
                "'{}' is not a version of this depot; write nod_…, or ~1, #14, 2h, 2026-11-01",
                shown(text));
  }
  if (text.starts_with('@')) text.remove_prefix(1);
  return Wanted{TRY(call.realm().version_at(place, TRY(Version::parse(text)))).root, true};
}

Result<CommitResult> bring_back(Call& call, const Place& place, const Wanted& wanted,
                                const Path& path, const Arguments& arguments) {
  const auto& root = wanted.root;
  if (!wanted.in_history && !TRY(call.realm().in_history(place, root))) {
    return fail(Code::kHistoryNotFound,
                "{} is not in the history of {}; its history lists the roots to choose from",
                root.render(), place.depot.render());
  }
  CommitRequest request{.depot = place.depot,
                        .root = root,
                        .message = std::string(arguments.text("message")),
                        .author = call.session().answers_for(),
                        .place = place.path,
                        .owners = call.session().owners,
                        .dry_run = arguments.flag("dryRun")};
  if (request.message.empty()) {
    request.message = fmt::format("revert {}to {}", path.is_root() ? "" : path.render() + " ",
                                  root.render_short());
  }
  if (!path.is_root()) return call.realm().restore(std::move(request), path);
  // It is meant to replace what is there now, so there is nothing to merge with.
  request.force = true;
  return call.realm().commit(request);
}

// What stands there differs from what the caller knew. It is done, so that nothing fails here.
void note_changed(Call& call, const Place& place, const std::optional<NodeKey>& before,
                  const NodeKey& now) {
  if (call.entrance() != Entrance::kMcp || !before) return;
  constexpr std::size_t kPaths = 1000;
  const auto paths = depots::Changes(call, place).touched(*before, now, kPaths);
  if (paths && paths->size() < kPaths) {
    fs::note_taken_back(call, place, now, *paths);
  } else {
    fs::note_taken_back(call, place, now, {""});
  }
}

Result<Reply> run_depot_revert(Call& call, const Arguments& arguments) {
  const auto place = TRY(call.sight().place(arguments.text("depotId")));
  TRY(call.sight().check_history());
  const auto wanted = TRY(wanted_root(call, place, arguments.text("root")));
  const auto path = TRY(Path::parse(arguments.text("path")));
  const auto before = TRY(depots::root_of(call, place));
  const auto done = TRY(bring_back(call, place, wanted, path, arguments));
  if (arguments.flag("dryRun")) return depots::would_commit(call, place, done);
  note_changed(call, place, before, done.root);
  return depots::committed(call, place, done);
}

}  // namespace

Tool depot_revert() {
  return {
      .name = "depot_revert",
      .title = "Go back to an earlier root",
      .description =
          "Brings an earlier version back, or one path of it, as a new commit that can be "
          "reverted too. What others did since is undone as well; depot_undo takes back single "
          "commits.",
      .input = shape::object(
          {depots::depot_id(),
           {"root", shape::text("A root of depot_history (nod_…), or ~1, #14, 2h, "
                                "2026-11-01T14:30, a tag")},
           {"path", shape::text("Only this file or directory", Path::kMaxBytes), shape::kOptional},
           {"message", shape::text("Why", Realm::kMaxMessageBytes), shape::kOptional},
           depots::dry_run()}),
      .output = depots::committed_shape(),
      .annotations = {.destructive = true},
      .right = Right::kUpload,
      .audited = {"depotId", "root", "path"},
      .run = run_depot_revert,
  };
}

}  // namespace cairn
