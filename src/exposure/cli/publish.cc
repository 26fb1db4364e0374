#include "exposure/cli/publish.h"

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
    auto error = std::move(here).error();
    error.message = fmt::format(
        "'{}' was copied to {} as '{}', but not removed from {}, so that it is in both: {}",
        roots.text("from"), trees.target.key, roots.text("to"), trees.source.key, error.message);
    return Failure(std::move(error));
  }
  if (kit.options.json) {
    kit.out.print_json(json::Object{{"target", there}, {"source", *here}});
  } else {
    print_root(kit, there);
    print_root(kit, *here);
  }
  return 0;
}

}  // namespace cairn::cli
