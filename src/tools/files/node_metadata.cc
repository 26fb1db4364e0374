#include "base/quote.h"
#include "data/tree/metadata.h"
#include "tools/executor/render.h"
#include "tools/files/fs.h"
#include "tools/files/nodes.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

// The pieces of a file, a page of them from where the cursor says.
Result<void> add_pieces(const Call& call, const NodeMetadata& found, const ListOptions& options,
                        json::Object& out) {
  // The first piece is the file's; the chain of those after it is what a successor is.
  out["successor"] =
      found.pieces.size() > 1 ? json::Value(found.pieces[1].key.render()) : json::Value(nullptr);
  std::uint64_t from = 0;
  if (options.cursor) {
    const auto text = TRY(parse_cursor(*options.cursor));
    from = child_index("~" + text).value_or(found.pieces.size());
    if (from >= found.pieces.size()) {
      return fail(Code::kInvalidCursor, "'{}' is not a cursor of this node",
                  shown(*options.cursor));
    }
  }
  json::Array pieces;
  for (auto i = from; i < found.pieces.size() && pieces.size() < options.limit; ++i) {
    json::Object row;
    row["key"] = found.pieces[i].key.render();
    row["length"] = found.pieces[i].length;
    pieces.emplace_back(std::move(row));
  }
  pieces.resize(fitting(call, pieces));
  const auto end = from + pieces.size();
  out["pieces"] = std::move(pieces);
  out["pieceCount"] = found.pieces.size();
  if (end < found.pieces.size()) out["nextCursor"] = render_cursor(std::to_string(end));
  return {};
}

Result<Reply> run_node_metadata(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  auto node = TRY(nodes::navigate(call, opened.tree.root, arguments.text("navigation")));
  ListOptions options;
  options.limit = static_cast<std::uint64_t>(arguments.number("limit", 1000));
  if (auto cursor = arguments.maybe_text("cursor")) options.cursor = std::string(*cursor);
  Budget budget(call.clock(), call.limits());
  auto found = TRY(metadata(call.realm().nodes(), node, options, budget));
  json::Object out;
  out["key"] = found.key.render();
  out["kind"] = name(found.kind);
  out["payloadSize"] = found.payload_size;
  if (found.kind == Kind::kDict) {
    json::Object children;
    for (const auto& child : found.children) {
      children.emplace(child.name, child.value.key.render());
    }
    out["children"] = std::move(children);
    out["childCount"] = found.child_count;
    out["nextCursor"] = or_null(found.next_cursor);
  } else {
    if (found.kind == Kind::kFile) out["contentType"] = found.content_type;
    out["successor"] = nullptr;
    if (!found.pieces.empty()) TRY(add_pieces(call, found, options, out));
  }
  return fs::about(opened, found.key, std::move(out));
}

}  // namespace

Tool node_metadata() {
  return {
      .name = "node_metadata",
      .title = "A node as it is stored",
      .description =
          "The structure of one stored node: the children of a directory (name → key), or a file's "
          "size, type and pieces. Lower level than fs_stat and fs_ls, which you usually want.",
      .input = shape::object(
          {fs::node_key(),
           {"navigation", shape::text("Child indices from there: '~0/~1'"), shape::kOptional},
           {"limit", shape::integer("Default 1000", 1, 1000), shape::kOptional},
           {"cursor", shape::text("From nextCursor"), shape::kOptional}}),
      .output = shape::object(
          {{"key", shape::text()},
           {"kind", shape::choice({"file", "dict", "successor"})},
           {"payloadSize", shape::integer("Bytes of content; 0 for a directory")},
           {"children", shape::map_of(shape::text()), shape::kOptional},
           {"childCount", shape::integer(), shape::kOptional},
           {"nextCursor", shape::nullable(shape::text()), shape::kOptional},
           {"contentType", shape::text(), shape::kOptional},
           {"successor", shape::nullable(shape::text("The piece after the first")),
            shape::kOptional},
           {"pieces",
            shape::list_of(shape::object({{"key", shape::text()}, {"length", shape::integer()}})),
            shape::kOptional},
           {"pieceCount", shape::integer(), shape::kOptional}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audited = {"nodeKey"},
      .run = run_node_metadata,
  };
}

}  // namespace cairn
