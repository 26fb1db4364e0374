#include "tools/depots/depots.h"
#include "tools/depots/tools.h"

namespace cairn {
namespace {

Result<Reply> run(Call& call, const Arguments& arguments) {
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
                        .dry_run = arguments.flag("dryRun")};
  if (auto expected = arguments.maybe_text("expectedRoot")) {
    auto base = sight.node(*expected);
    const bool unknown = !base && (base.error().code == Code::kNodeNotFound ||
                                   base.error().code == Code::kNodeNotAuthorized);
    if (unknown && request.exact) {
      return fail(Code::kPreconditionFailed, "the depot is not at {}", *expected);
    }
    request.expected_root = TRY(std::move(base));
  }
  const auto done = TRY(call.realm().commit(request));
  if (request.dry_run) return depots::would_commit(call, place, done);
  return depots::committed(call, place, done);
}

}  // namespace

Tool depot_commit() {
  return {
      .name = "depot_commit",
      .title = "Commit to a depot",
      .description =
          "Makes newRoot of your last write the depot's root; without it writes are lost after a "
          "day. If others committed meanwhile their changes are merged in (merged: true); if they "
          "do not fit, nothing changes and CONFLICT names the paths: read those again, redo your "
          "change on the depot, commit again.",
      .input = shape::object(
          {depots::depot_id(),
           {"root", shape::text("newRoot of a write (nod_…)")},
           {"expectedRoot", shape::text("The root you started from, for a root made elsewhere"),
            shape::kOptional},
           {"message", shape::text("What was done and why", Realm::kMaxMessageBytes),
            shape::kOptional},
           {"force", shape::flag("Overwrite what others did"), shape::kOptional},
           {"exact",
            shape::flag("Compare and set: never merge, fail unless the depot is at expectedRoot"),
            shape::kOptional},
           depots::dry_run()}),
      .output = depots::committed_shape(),
      .annotations = {.destructive = true},
      .right = Right::kUpload,
      .audited = {"depotId", "root"},
      .run = run,
  };
}

}  // namespace cairn
