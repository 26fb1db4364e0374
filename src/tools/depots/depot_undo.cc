#include "tools/depots/changes.h"
#include "tools/depots/depots.h"
#include "tools/depots/tools.h"
#include "tools/executor/render.h"

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

Result<Reply> run(Call& call, const Arguments& arguments) {
  const auto place = TRY(call.sight().place(arguments.text("depotId")));
  const auto range = TRY(range_of(call, place, arguments));
  constexpr std::size_t kPaths = 1000;
  const auto taken = TRY(depots::Changes(call, place).touched(range, kPaths));
  const bool dry = arguments.flag("dryRun");
  const auto done = TRY(call.realm().undo({.place = place,
                                           .changes = range,
                                           .message = std::string(arguments.text("message")),
                                           .author = call.session().answers_for(),
                                           .owners = call.session().owners,
                                           .dry_run = dry}));
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
          "Takes one commit back, or a run of them, as a new commit: what came later stays. By "
          "default your own latest. Where later commits build on it it is CONFLICT with the paths, "
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
      .run = run,
  };
}

}  // namespace cairn
