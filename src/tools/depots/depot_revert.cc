#include "base/quote.h"
#include "tools/depots/depots.h"
#include "tools/depots/tools.h"

namespace cairn {
namespace {

// A root by its key, or the version that is meant.
Result<NodeKey> root_of(Call& call, const Place& place, std::string_view text) {
  if (text.starts_with("nod_")) return call.sight().node(text);
  if (text.starts_with(DepotTag::kPrefix)) {
    const auto address = TRY(DepotAddress::parse(text));
    const auto target = TRY(call.sight().target(text));
    if (address.version && target.version_of == place) return target.root;
    return fail(Code::kInvalidArgument,
                "'{}' is not a version of this depot; write nod_…, or ~1, #14, 2h, 2026-11-01",
                shown(text));
  }
  if (text.starts_with('@')) text.remove_prefix(1);
  return TRY(call.realm().version_at(place, TRY(Version::parse(text)))).root;
}

Result<CommitResult> bring_back(Call& call, const Place& place, const NodeKey& root,
                                const Path& path, const Arguments& arguments) {
  auto message = std::string(arguments.text("message"));
  const auto author = call.session().answers_for();
  const bool dry_run = arguments.flag("dryRun");
  if (path.is_root() && !dry_run) return call.realm().revert(place, root, message, author);
  if (!TRY(call.realm().in_history(place, root))) {
    return fail(Code::kHistoryNotFound,
                "{} is not in the history of {}; its history lists the roots to choose from",
                root.render(), place.depot.render());
  }
  if (path.is_root()) {
    return call.realm().commit({.depot = place.depot,
                                .root = root,
                                .message = std::move(message),
                                .force = true,
                                .author = author,
                                .place = place.path,
                                .dry_run = true});
  }
  if (message.empty()) {
    message = fmt::format("revert {} to {}", path.render(), root.render_short());
  }
  return call.realm().restore({.depot = place.depot,
                               .root = root,
                               .message = std::move(message),
                               .author = author,
                               .place = place.path,
                               .owners = call.session().owners,
                               .dry_run = dry_run},
                              path);
}

Result<Reply> run(Call& call, const Arguments& arguments) {
  const auto place = TRY(call.sight().place(arguments.text("depotId")));
  const auto root = TRY(root_of(call, place, arguments.text("root")));
  const auto path = TRY(Path::parse(arguments.text("path")));
  const auto done = TRY(bring_back(call, place, root, path, arguments));
  if (arguments.flag("dryRun")) return depots::would_commit(call, place, done);
  return depots::committed(call, place, done);
}

}  // namespace

Tool depot_revert() {
  return {
      .name = "depot_revert",
      .title = "Go back to an earlier root",
      .description =
          "Brings an earlier version back, or one path of it, as a new commit: nothing in the "
          "history is lost, and reverting can itself be reverted. Changes others made since are "
          "undone too; depot_undo takes back single commits.",
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
      .run = run,
  };
}

}  // namespace cairn
