#include "data/realm/gc.h"
#include "tools/admin/tools.h"
#include "tools/executor/call.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

// A shorter grace time takes away what others on the machine may be working with.
Result<void> check_may_set_grace(Call& call) {
  const auto user = TRY(call.services().users.get(call.session().realm));
  if (user.name == Users::kOwner) return {};
  return fail(Code::kForbidden, "only the owner of the machine sets the grace time");
}

Result<Reply> run_collect_garbage(Call& call, const Arguments& arguments) {
  GcOptions options{.dry_run = arguments.flag("dryRun")};
  if (auto grace = arguments.maybe_number("grace")) {
    TRY(check_may_set_grace(call));
    options.grace = std::chrono::seconds(*grace);
  }
  auto keep = TRY(call.services().delegates.frozen_roots(call.session().realm));
  auto report = TRY(collect_garbage(call.realm(), keep, options));
  auto time = [](const std::optional<Millis>& at) {
    return at ? json::Value(*at) : json::Value(nullptr);
  };
  json::Object out;
  out["dryRun"] = options.dry_run;
  out["thinned"] = report.thinned;
  out["marked"] = report.marked;
  out["removed"] = report.removed;
  out["freedBytes"] = report.freed_bytes;
  out["depots"] = report.depots;
  out["spared"] = report.spared;
  out["sparedBytes"] = report.spared_bytes;
  out["sparedUntil"] = time(report.spared_until);
  out["restorableDepots"] = report.restorable;
  out["restorableUntil"] = time(report.restorable_until);
  return Reply(std::move(out));
}

}  // namespace

Tool collect_garbage_tool() {
  return {
      .name = "collect_garbage",
      .title = "Collect garbage",
      .description =
          "Thins histories to what their depots keep; removes nodes of the realm that no depot, "
          "history or delegate holds and nobody wrote "
          "within the grace time of a day, and depots that were deleted too long ago to be "
          "restored.",
      .input = shape::object(
          {{"dryRun", shape::flag("Only count"), shape::kOptional},
           {"grace",
            shape::integer("Another grace time, in seconds; with 0 edits that are not committed "
                           "and deleted depots go at once. For the machine's owner",
                           0, 100LL * 365 * 24 * 3600),
            shape::kOptional}}),
      .output = shape::object(
          {{"dryRun", shape::flag()},
           {"thinned", shape::integer("Commits that depots do not keep any more")},
           {"marked", shape::integer("Nodes in use")},
           {"removed", shape::integer("Nodes")},
           {"freedBytes", shape::integer()},
           {"depots", shape::integer("Deleted depots that went for good")},
           {"spared", shape::integer("Nodes that only the grace time keeps")},
           {"sparedBytes", shape::integer()},
           {"sparedUntil", shape::nullable(shape::integer("When the last of these may go"))},
           {"restorableDepots", shape::integer()},
           {"restorableUntil", shape::nullable(shape::integer())}}),
      .annotations = {.destructive = true, .idempotent = true},
      .right = Right::kOwn,
      .audience = Audience::kPrograms,
      .run = run_collect_garbage,
  };
}

}  // namespace cairn
