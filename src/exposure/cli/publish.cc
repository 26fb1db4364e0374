#include "exposure/cli/publish.h"

#include <algorithm>
#include <cstddef>

#include "base/quote.h"
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

std::string message_or(const std::string& given, std::string_view command,
                       const std::vector<std::string>& paths) {
  if (!given.empty()) return given;
  // As many as can be read at a glance.
  constexpr std::size_t kShown = 3;
  std::string out(command);
  for (std::size_t i = 0; i < std::min(paths.size(), kShown); ++i) {
    out += (i == 0 ? " " : ", ") + shown(paths[i], 200);
  }
  if (paths.size() > kShown) out += fmt::format(" and {} more", paths.size() - kShown);
  return out;
}

}  // namespace cairn::cli
