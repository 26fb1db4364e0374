#include "tools/files/nodes.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

Result<Reply> run_check_nodes(Call& call, const Arguments& arguments) {
  auto sight = call.sight();
  json::Array owned;
  json::Array missing;
  const auto keys = *arguments.texts("keys");
  for (const auto& text : keys) {
    auto key = TRY(NodeKey::parse(text));
    const bool there = TRY(sight.has(key));
    (there ? owned : missing).emplace_back(text);
  }
  json::Object out;
  out["owned"] = std::move(owned);
  out["missing"] = std::move(missing);
  return Reply(std::move(out));
}

}  // namespace

Tool check_nodes() {
  return {
      .name = "check_nodes",
      .title = "Which nodes need not be sent",
      .description =
          "Sorts keys into those you can use already and those you cannot: what is missing here "
          "has to be uploaded or claimed. A node you may not see counts as missing.",
      .input = shape::object({{"keys", shape::list_of(shape::text(), "Whole keys", 1000)}}),
      .output = shape::object(
          {{"owned", shape::list_of(shape::text())}, {"missing", shape::list_of(shape::text())}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audience = Audience::kPrograms,
      .run = run_check_nodes,
  };
}

}  // namespace cairn
