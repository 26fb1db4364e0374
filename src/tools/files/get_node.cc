#include "tools/files/fs.h"
#include "tools/files/nodes.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

Result<Reply> run_get_node(Call& call, const Arguments& arguments) {
  // A piece of a file or directory too: whoever knows the key of a node may want just that.
  const auto text = arguments.text("nodeKey");
  const auto target = TRY(call.sight().target(text));
  auto node = TRY(call.realm().nodes().get(target.root));
  Reply reply;
  reply.node = TRY(nodes::navigate(call, std::move(node), arguments.text("navigation")));
  reply.about = reply.node->key();
  reply.immutable = !target.place && !target.version_of && text.size() == 4 + NodeKey::kDigits;
  return reply;
}

}  // namespace

Tool get_node() {
  return {
      .name = "get_node",
      .title = "A node's bytes",
      .description = "The canonical bytes of a node, as docs/node-format.md draws them.",
      .input = shape::object(
          {fs::node_key(),
           {"navigation", shape::text("Child indices from there: '~0/~1'"), shape::kOptional}}),
      .output = shape::anything("The bytes"),
      .annotations = {.read_only = true, .idempotent = true},
      .audience = Audience::kPrograms,
      .gives = Gives::kNode,
      .audited = {"nodeKey"},
      .quick = true,
      .run = run_get_node,
  };
}

}  // namespace cairn
