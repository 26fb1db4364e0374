#include "data/realm/admit.h"

#include "base/quote.h"
#include "data/cas/reference.h"

namespace cairn {
namespace {

Failure invalid(const NodeKey& key, std::string_view why) {
  return fail(Code::kInvalidNode, "{} is not a node: {}", key.render(), why);
}

Failure missing(const NodeKey& key, std::vector<std::string> children) {
  auto message = fmt::format(
      "{} refers to {}, which is not stored{}; upload children before parents", key.render(),
      children.front(),
      children.size() > 1 ? fmt::format(", and neither are {} more", children.size() - 1) : "");
  return Failure(Error(Code::kNodeNotFound, message).with("missing", std::move(children)));
}

Result<void> check_children(const NodeReader& nodes, const Node& node) {
  std::vector<std::string> not_stored;
  for (const auto& reference : references(node)) {
    auto child = nodes.get(reference.key);
    if (!child && child.error().code == Code::kNodeNotFound) {
      not_stored.push_back(reference.key.render());
      continue;
    }
    auto wrong = contradiction(reference, *TRY(std::move(child)));
    if (!wrong) continue;
    auto named = reference.name.empty() ? "" : fmt::format(" '{}'", shown(reference.name));
    return invalid(node.key(),
                   fmt::format("its child{} {} {}", named, reference.key.render(), *wrong));
  }
  if (!not_stored.empty()) return missing(node.key(), std::move(not_stored));
  return {};
}

}  // namespace

Result<NodePtr> admit(const NodeReader& nodes, const NodeKey& key, ByteView bytes) {
  if (bytes.size() > kMaxNodeBytes) {
    return fail(Code::kNodeTooLarge, "the node has {} bytes; the most is {}", bytes.size(),
                kMaxNodeBytes);
  }
  if (auto right = NodeKey::of(bytes); right != key) {
    auto message =
        fmt::format("these bytes are not {}: their key is {}", key.render(), right.render());
    return Failure(Error(Code::kHashMismatch, message).with("key", right.render()));
  }
  auto decoded = Node::decode(Bytes(bytes), key);
  if (!decoded && decoded.error().code == Code::kCorruptNode) {
    return invalid(key, decoded.error().message);
  }
  auto node = TRY(std::move(decoded));
  TRY(check_children(nodes, *node));
  if (auto wrong = TRY(wrong_between_parts(nodes, *node))) return invalid(key, *wrong);
  return node;
}

Result<NodePtr> Realm::admit(const NodeKey& key, ByteView bytes,
                             std::span<const DelegateId> owners) {
  auto node = TRY(cairn::admit(nodes_, key, bytes));
  Batch batch;
  batch.realm = id_;
  batch.nodes.push_back(node);
  batch.required = node->children();
  batch.durability = Durability::kBuffered;
  ownership_.add_to(batch, owners, {&key, 1});
  TRY(kv_.commit(std::move(batch)));
  return node;
}

}  // namespace cairn
