#include "data/tree/outline.h"
#include "tools/files/fs.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

// Children come after their parent in the outline, so it is rendered from its end.
json::Object render(const Call& call, Outline& outline) {
  std::vector<json::Object> nodes(outline.items.size());
  for (std::size_t i = outline.items.size(); i-- > 0;) {
    const auto& item = outline.items[i];
    auto& out = nodes[i];
    out["hash"] = i == 0 ? item.value.key.render() : call.listed(item.value.key);
    if (item.value.kind == Kind::kFile) {
      out["kind"] = "file";
      out["type"] = item.value.type;
      out["size"] = item.value.bytes;
      continue;
    }
    out["kind"] = "dir";
    out["count"] = item.value.children;
    if (i == 0) out["truncated"] = outline.truncated;
    if (item.collapsed) {
      out["collapsed"] = true;
      continue;
    }
    json::Object children;
    children.reserve(item.value.children);
    for (std::size_t k = 0; k < item.value.children; ++k) {
      children.emplace(outline.items[item.first + k].name, std::move(nodes[item.first + k]));
    }
    out["children"] = std::move(children);
  }
  return std::move(nodes.front());
}

Result<Reply> run(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  OutlineOptions options;
  options.depth = arguments.number("depth", options.depth);
  options.max_entries = arguments.number("maxEntries", options.max_entries);
  Budget budget(call.clock(), call.limits());
  auto found = TRY(outline(opened.tree, TRY(fs::path_of(arguments)), options, budget));
  const auto key = found.items.front().value.key;
  return fs::about(opened, key, render(call, found));
}

}  // namespace

Tool fs_tree() {
  return {
      .name = "fs_tree",
      .title = "Directory tree",
      .description =
          "A directory with everything below it, nested: the first look at a project. "
          "Directories beyond depth or maxEntries are marked collapsed: call again with their "
          "path, or search.",
      .input = shape::object(
          {fs::node_key(),
           fs::path("Where to start; default: the root", shape::kOptional),
           {"depth", shape::integer("Levels (default 3, -1: all)", -1), shape::kOptional},
           {"maxEntries", shape::integer("Entries at most (default 500)", 1, 100'000),
            shape::kOptional}}),
      .output = shape::object(
          {{"hash", shape::text()},
           {"kind", shape::choice({"dir"})},
           {"count", shape::integer("Direct children")},
           {"truncated", shape::flag("The limit cut something")},
           {"collapsed", shape::flag(), shape::kOptional},
           {"children", shape::map_of(shape::anything("A file or directory")), shape::kOptional}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audited = {"nodeKey", "path"},
      .run = run,
  };
}

}  // namespace cairn
