#include "tools/depots/depots.h"
#include "tools/depots/tools.h"
#include "tools/files/known.h"

namespace cairn {
namespace {

// The paths of one root, as many as an answer has room for.
json::Object rendered(const Uncommitted& root, std::size_t& room) {
  json::Object out;
  out["root"] = root.root.render();
  json::Array paths;
  bool more = root.more;
  for (const auto& path : root.paths) {
    more = more || path.size() > room;
    if (path.size() > room) break;
    room -= path.size();
    paths.emplace_back(path);
  }
  out["paths"] = std::move(paths);
  if (more) out["more"] = true;
  return out;
}

// Says what else the caller has made from this depot. One who began twice from the depot has two
// roots, and committed one.
Result<void> add_uncommitted(Call& call, const Place& place, const NodeKey& current,
                             json::Object& answer) {
  // Not to outsiders, who do not act for themselves, nor where each write is a commit.
  if (call.caller().via() || call.entrance() == Entrance::kCli) return {};
  const auto left = TRY(call.realm().uncommitted(call.session().answers_for(), place, current));
  if (left.empty()) return {};
  std::size_t room = 8000;
  json::Array rows;
  for (const auto& one : left) rows.emplace_back(rendered(one, room));
  answer["uncommitted"] = std::move(rows);
  const auto* before = json::find(answer, "hint");
  answer["hint"] = fmt::format(
      "{}{}you made the roots in uncommitted from this depot too, and their changes are not in it: "
      "depot_commit each that you want; it is merged",
      before == nullptr ? "" : json::text(*before), before == nullptr ? "" : "; ");
  return {};
}

Result<Reply> run_depot_commit(Call& call, const Arguments& arguments) {
  auto sight = call.sight();
  auto place = TRY(sight.place(arguments.text("depotId")));
  CommitRequest request{.depot = place.depot,
                        .root = TRY(sight.node(arguments.text("root"))),
                        .message = std::string(arguments.text("message")),
                        .force = arguments.flag("force"),
                        .author = call.session().answers_for(),
                        .place = place.path,
                        .exact = arguments.flag("exact"),
                        .owners = call.session().owners,
                        .dry_run = arguments.flag("dryRun"),
                        // An outsider's change is made again, not put right by hand.
                        .keep_merged = !call.caller().via()};
  if (auto expected = arguments.maybe_text("expectedRoot")) {
    auto base = sight.node(*expected);
    const bool unknown = !base && (base.error().code == Code::kNodeNotFound ||
                                   base.error().code == Code::kNodeNotAuthorized);
    if (unknown && request.exact) {
      return fail(Code::kPreconditionFailed, "the depot is not at {}", *expected);
    }
    request.expected_root = TRY(std::move(base));
  }
  const auto result = TRY(call.realm().commit(request));
  if (request.dry_run) return depots::would_commit(call, place, result);
  fs::note_committed(call, place, request.root);
  auto reply = TRY(depots::committed(call, place, result));
  TRY(add_uncommitted(call, place, result.root, reply.value.get_object()));
  return reply;
}

}  // namespace

Tool depot_commit() {
  return {
      .name = "depot_commit",
      .title = "Commit to a depot",
      .description =
          "Makes newRoot of your last write the depot's root; what is not committed is lost "
          "after a day. What others committed meanwhile is merged in, or "
          "nothing changes and CONFLICT shows the lines and a mergedRoot with all else: edit "
          "those lines there, commit that. To count or take a lock use exact: a merge takes "
          "the same change of two as one.",
      .input = shape::object(
          {depots::depot_id(),
           {"root", shape::text("newRoot of a write (nod_…)")},
           {"expectedRoot", shape::text("Root you started from, if made elsewhere"),
            shape::kOptional},
           {"message", shape::text("What and why", Realm::kMaxMessageBytes), shape::kOptional},
           {"force", shape::flag("Overwrite what others did"), shape::kOptional},
           {"exact", shape::flag("Never merge: fail unless it is at expectedRoot"),
            shape::kOptional},
           depots::dry_run()}),
      .output = depots::committed_shape(),
      .annotations = {.destructive = true},
      .right = Right::kUpload,
      .audited = {"depotId", "root"},
      .run = run_depot_commit,
  };
}

}  // namespace cairn
