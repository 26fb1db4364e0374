#include "exposure/cli/publish.h"

#include <algorithm>
#include <cstddef>

#include "base/explain.h"
#include "base/quote.h"
#include "tools/executor/arguments.h"

namespace cairn::cli {

namespace {

// The answer of the commit, or of a bare node the new root as one would look.
Result<json::Value> commit(client::Client& client, const client::Tree& tree, std::string_view root,
                           const std::string& message) {
  if (tree.kind != client::TreeKind::kDepot) return json::Value(json::Object{{"root", root}});
  json::Object arguments{{"depotId", tree.key}, {"root", root}};
  if (!message.empty()) arguments["message"] = message;
  return client.call("depot_commit", arguments);
}

void print_root(Kit& kit, const json::Value& answer) {
  Arguments done(answer.as_object());
  kit.out.print("{}\n", done.text("root"));
  if (done.flag("merged")) note("others had committed; their changes were merged in");
}

}  // namespace

Result<int> publish(Kit& kit, client::Client& client, const client::Tree& tree,
                    const json::Value& written, const std::string& message) {
  const bool depot = tree.kind == client::TreeKind::kDepot;
  const auto root = Arguments(written.as_object()).text("newRoot");
  const auto answer = TRY(commit(client, tree, root, message));
  if (kit.options.json) {
    kit.out.print_json(depot ? answer : written);
  } else {
    print_root(kit, answer);
  }
  return 0;
}

Result<int> publish_move(Kit& kit, client::Client& client, const Moved& trees,
                         const json::Value& written, const std::string& message) {
  Arguments roots(written.as_object());
  const auto there = TRY(commit(client, trees.target, roots.text("newRoot"), message));
  auto here = commit(client, trees.source, roots.text("sourceRoot"), message);
  if (!here) {
    const auto done =
        fmt::format("'{}' was copied to {} as '{}', but not removed from {}, so that it is in both",
                    roots.text("from"), trees.target.key, roots.text("to"), trees.source.key);
    return Failure(explained(std::move(here).error(), done));
  }
  if (kit.options.json) {
    kit.out.print_json(json::Object{{"target", there}, {"source", *here}});
  } else {
    print_root(kit, there);
    print_root(kit, *here);
  }
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
