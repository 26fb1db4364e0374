#include <algorithm>

#include "base/explain.h"
#include "data/tree/conflict.h"
#include "tools/depots/changes.h"
#include "tools/depots/depots.h"
#include "tools/depots/tools.h"
#include "tools/executor/render.h"
#include "tools/files/known.h"

namespace cairn {
namespace {

Result<ChangeRange> range_of(Call& call, const Place& place, const Arguments& arguments) {
  const auto change = arguments.maybe_number("change");
  const auto from = arguments.maybe_number("from");
  const auto to = arguments.maybe_number("to");
  if (change && (from || to)) {
    return fail(Code::kInvalidArgument,
                "give 'change' for one commit, or 'from' and 'to' for a run");
  }
  if (from.has_value() != to.has_value()) {
    return fail(Code::kInvalidArgument, "a run of commits needs 'from' and 'to'");
  }
  if (from) return ChangeRange{static_cast<std::uint64_t>(*from), static_cast<std::uint64_t>(*to)};
  const auto one =
      change ? static_cast<std::uint64_t>(*change) : TRY(depots::Changes(call, place).own_latest());
  return ChangeRange{one, one};
}

Failure built_upon(Error error, const UndoRequest& request) {
  constexpr std::size_t kShown = 5;
  const auto merged = error.details.find("mergedRoot");
  // A place that is gone has neither paths nor a root to go on from.
  if (merged == error.details.end()) return Failure(std::move(error));
  const auto paths = std::get<std::vector<std::string>>(error.details.at("paths"));
  std::string shown;
  for (std::size_t i = 0; i < std::min(paths.size(), kShown); ++i) {
    shown += fmt::format("{}'{}'", i == 0 ? "" : ", ", paths[i]);
  }
  if (paths.size() > kShown) shown += fmt::format(" and {} more", paths.size() - kShown);
  auto message = fmt::format(
      "{} cannot be taken back by itself: later commits changed {} where it did; nothing was "
      "changed. The rest of it is taken back in mergedRoot {}: edit these there (nodeKey: "
      "mergedRoot), then depot_commit that newRoot; or take the later commits back too (from and "
      "to)\n{}",
      request.changes.render(), shown, std::get<std::string>(merged->second),
      told(std::get<std::vector<DetailRow>>(error.details.at("conflicts"))));
  while (message.ends_with('\n')) message.pop_back();
  return Failure(retold(std::move(error), std::move(message)));
}

// Where later commits are in the way, once more: with the lines, and a root in which the rest is
// taken back.
Result<CommitResult> take_back(Call& call, const UndoRequest& request) {
  auto done = call.realm().undo(request);
  const bool conflict = !done && done.error().code == Code::kConflict;
  // An outsider's change is made again, not put right by hand.
  if (!conflict || request.dry_run || call.caller().via()) return done;
  const auto replaced = TRY(call.realm().replaced_by(request.place, request.changes));
  auto kept = call.realm().commit({.depot = request.place.depot,
                                   .root = replaced.before,
                                   .made_on = replaced.last.root,
                                   .message = request.message.empty()
                                                  ? fmt::format("undo {}", request.changes.render())
                                                  : request.message,
                                   .author = request.author,
                                   .place = request.place.path,
                                   .owners = request.owners,
                                   .keep_merged = true,
                                   .undid = request.changes});
  if (kept || kept.error().code != Code::kConflict) return kept;
  return built_upon(std::move(kept).error(), request);
}

Result<Reply> run_depot_undo(Call& call, const Arguments& arguments) {
  const auto place = TRY(call.sight().place(arguments.text("depotId")));
  TRY(call.sight().check_history());
  const auto range = TRY(range_of(call, place, arguments));
  constexpr std::size_t kPaths = 1000;
  const std::vector<std::string> everything{""};
  const auto taken = TRY(depots::Changes(call, place).touched(range, kPaths));
  const bool dry = arguments.flag("dryRun");
  const auto done = TRY(take_back(call, {.place = place,
                                         .changes = range,
                                         .message = std::string(arguments.text("message")),
                                         .author = call.session().answers_for(),
                                         .owners = call.session().owners,
                                         .dry_run = dry}));
  if (!dry) {
    fs::note_taken_back(call, place, done.root, taken.size() < kPaths ? taken : everything);
  }
  auto reply =
      TRY(dry ? depots::would_commit(call, place, done) : depots::committed(call, place, done));
  auto& out = reply.value.as_object();
  out["undid"] = render_range(range);
  json::Array paths;
  for (const auto& path : taken) paths.emplace_back(path);
  if (const auto fits = fitting(call, paths); fits < paths.size()) {
    out["hint"] =
        fmt::format("{} more paths were taken back; fs_diff shows them", paths.size() - fits);
    paths.resize(fits);
  }
  out["paths"] = std::move(paths);
  return reply;
}

}  // namespace

Tool depot_undo() {
  auto output = depots::committed_shape();
  auto& properties = output.as_object()["properties"].as_object();
  properties["undid"] = range_shape();
  properties["paths"] = shape::list_of(shape::text(), "What was taken back");
  return {
      .name = "depot_undo",
      .title = "Take commits back",
      .description =
          "Takes one commit back, or a run of them, as a new commit: what came later stays. "
          "Default: your own latest. Where later ones build on it: CONFLICT with the lines, "
          "and nothing changes. An undo can be undone.",
      .input = shape::object(
          {depots::depot_id(),
           {"change", shape::integer("Its number in depot_history"), shape::kOptional},
           {"from", shape::integer("First of a run"), shape::kOptional},
           {"to", shape::integer("Last of the run"), shape::kOptional},
           {"message", shape::text("Why", Realm::kMaxMessageBytes), shape::kOptional},
           depots::dry_run()}),
      .output = std::move(output),
      .annotations = {.destructive = true},
      .right = Right::kUpload,
      .audited = {"depotId", "change", "from", "to"},
      .run = run_depot_undo,
  };
}

}  // namespace cairn
