#include "tools/files/nodes.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

// A node gives its writer a path to all it names: whoever may not read a child may not name it.
Result<void> check_children(Call& call, ByteView bytes) {
  if (call.rights().realm_wide() || bytes.size() > kMaxNodeBytes) return {};
  auto node = Node::decode(Bytes(bytes));
  if (!node) return {};  // admission says what is wrong with it
  auto sight = call.sight();
  for (const auto& child : (*node)->children()) {
    if (TRY(sight.has(child))) continue;
    return fail(Code::kNodeNotAuthorized,
                "you may not use the child {}: upload it before its parent, or claim it",
                child.render());
  }
  return {};
}

Result<Reply> run_put_node(Call& call, const Arguments& arguments) {
  auto key = TRY(nodes::key_of(arguments));
  TRY(check_children(call, call.body()));
  auto node = TRY(call.realm().admit(key, call.body(), call.session().owners));
  json::Object out;
  out["key"] = key.render();
  out["kind"] = name(node->kind());
  out["size"] = node->bytes().size();
  Reply reply(std::move(out));
  reply.about = key;
  return reply;
}

}  // namespace

Tool put_node() {
  return {
      .name = "put_node",
      .title = "Store a node's bytes",
      .description =
          "Stores canonical bytes under the key that is their hash. Children go first; every "
          "reference is checked.",
      .input = shape::object({{"key", shape::text("nod_… and all 52 characters")}}),
      .output = shape::object({{"key", shape::text()},
                               {"kind", shape::choice({"file", "dict", "successor"})},
                               {"size", shape::integer()}}),
      .annotations = {.idempotent = true},
      .right = Right::kUpload,
      .audience = Audience::kPrograms,
      .body = Body::kBytes,
      .max_body = kMaxNodeBytes,
      .audited = {"key"},
      .run = run_put_node,
  };
}

}  // namespace cairn
