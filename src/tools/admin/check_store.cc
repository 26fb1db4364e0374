#include "data/realm/fsck.h"
#include "tools/admin/tools.h"
#include "tools/executor/call.h"
#include "tools/executor/shape.h"

namespace cairn {
namespace {

constexpr std::size_t kMaxShown = 1000;

Result<Reply> run_check_store(Call& call, const Arguments&) {
  // As it is now: what others do meanwhile is neither looked at nor in their way.
  const auto then = TRY(call.services().realms.store().snapshot());
  Realm realm(*then, call.session().realm, call.clock(), call.services().random);
  auto report = TRY(fsck(realm, call.stopping()));
  json::Array problems;
  for (const auto& problem : report.problems) {
    if (problems.size() == kMaxShown) break;
    json::Object row;
    row["kind"] = name(problem.kind);
    row["key"] = problem.key.render();
    row["message"] = problem.message;
    json::Array paths;
    for (const auto& path : problem.paths) paths.emplace_back(path);
    row["paths"] = std::move(paths);
    problems.emplace_back(std::move(row));
  }
  json::Object out;
  out["clean"] = report.clean();
  out["nodes"] = report.nodes;
  out["bytes"] = report.bytes;
  out["roots"] = report.roots;
  out["problemCount"] = report.problems.size();
  out["problems"] = std::move(problems);
  return Reply(std::move(out));
}

}  // namespace

Tool check_store() {
  return {
      .name = "check_store",
      .title = "Check what is stored",
      .description =
          "Checks every node's hash and every reference of the realm, as it is when the check "
          "begins; others may go on meanwhile.",
      .input = shape::object({}),
      .output = shape::object({{"clean", shape::flag()},
                               {"nodes", shape::integer()},
                               {"bytes", shape::integer()},
                               {"roots", shape::integer()},
                               {"problemCount", shape::integer()},
                               {"problems", shape::list_of(shape::object(
                                                {{"kind", shape::text()},
                                                 {"key", shape::text()},
                                                 {"message", shape::text()},
                                                 {"paths", shape::list_of(shape::text())}}))}}),
      .annotations = {.read_only = true, .idempotent = true},
      .right = Right::kOwn,
      .audience = Audience::kPrograms,
      .run = run_check_store,
  };
}

}  // namespace cairn
