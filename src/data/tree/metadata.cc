#include "data/tree/metadata.h"

#include "data/cas/reference.h"

namespace cairn {
namespace {

std::uint64_t child_count(const Node& node) {
  return node.kind() == Kind::kDict ? node.totals().entries : node.pieces().size();
}

Result<NodePtr> open_entry(const NodeReader& nodes, const NodePtr& dict, std::uint64_t index) {
  auto found = TRY(dict_at(nodes, dict, index)).value();  // the caller has counted
  const TreeView tree{nodes, dict};
  const Located at{Path().child(found.entry.name), found.holder, found.entry};
  return found.entry.is_dir() ? open_dir(tree, at) : open_file(tree, at);
}

Result<NodePtr> open_piece(const NodeReader& nodes, const Node& node, std::uint64_t index) {
  const auto reference = references(node)[index];
  auto piece = TRY(nodes.get(reference.key));
  if (auto wrong = contradiction(reference, *piece)) {
    return fail(Code::kCorruptNode, "{} is not the piece of a file that {} says it is: it {}",
                reference.key.render(), node.key().render(), *wrong);
  }
  return piece;
}

}  // namespace

Result<NodeMetadata> metadata(const NodeReader& nodes, const NodePtr& node,
                              const ListOptions& options, Budget& budget) {
  NodeMetadata about;
  about.key = node->key();
  about.kind = node->kind();
  about.child_count = child_count(*node);
  if (node->kind() == Kind::kDict) {
    auto page = TRY(list({nodes, node}, Path(), options, budget));
    about.children = std::move(page.children);
    about.next_cursor = std::move(page.next_cursor);
    return about;
  }
  about.payload_size = node->size();
  about.content_type = node->type();
  about.pieces.assign(node->pieces().begin(), node->pieces().end());
  return about;
}

Result<NodePtr> step(const NodeReader& nodes, const NodePtr& node, std::uint64_t index) {
  if (const auto count = child_count(*node); index >= count) {
    return fail(Code::kPathNotFound, "'~{}' names no child of {}, a {} with {} of them{}", index,
                node->key().render(), name(node->kind()), count,
                count == 0 ? "" : "; the first is '~0'");
  }
  return node->kind() == Kind::kDict ? open_entry(nodes, node, index)
                                     : open_piece(nodes, *node, index);
}

}  // namespace cairn
