#include "exposure/cli/publish.h"

#include "tools/executor/arguments.h"

namespace cairn::cli {

Result<int> publish(Kit& kit, client::Client& client, const client::Tree& tree,
                    const json::Value& written, const std::string& message) {
  const auto root = Arguments(written.as_object()).text("newRoot");
  json::Value answer = written;
  if (tree.kind == client::TreeKind::kDepot) {
    json::Object arguments{{"depotId", tree.key}, {"root", root}};
    if (!message.empty()) arguments["message"] = message;
    answer = TRY(client.call("depot_commit", arguments));
  }
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  Arguments done(answer.as_object());
  kit.out.print("{}\n", tree.kind == client::TreeKind::kDepot ? done.text("root") : root);
  if (done.flag("merged")) note("others had committed; their changes were merged in");
  return 0;
}

}  // namespace cairn::cli
