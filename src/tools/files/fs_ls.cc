#include "tools/executor/render.h"
#include "tools/files/fs.h"
#include "tools/files/known.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

Result<Reply> run_fs_ls(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  ListOptions options;
  options.limit = static_cast<std::uint64_t>(
      arguments.number("limit", static_cast<std::int64_t>(ListOptions::kDefaultLimit)));
  if (auto cursor = arguments.maybe_text("cursor")) options.cursor = std::string(*cursor);
  options.rendering = call.listing();
  Budget budget(call.clock(), call.limits());
  auto page = TRY(list(opened.tree, TRY(fs::path_of(arguments)), options, budget));
  TRY(fs::Known::of(call, opened)).listed(page.path);
  json::Object out;
  out["path"] = page.path.render();
  out["key"] = page.key.render();
  json::Array children;
  children.reserve(page.children.size());
  for (const auto& child : page.children) {
    json::Object row;
    row["name"] = child.name;
    row["index"] = child.index;
    add_entry(row, child.value, call.listed(child.value.key));
    children.emplace_back(std::move(row));
  }
  out["children"] = std::move(children);
  out["total"] = page.total;
  out["nextCursor"] = or_null(page.next_cursor);
  return fs::about(opened, page.key, std::move(out));
}

}  // namespace

Tool fs_ls() {
  return {
      .name = "fs_ls",
      .title = "List a directory",
      .description =
          "Direct children of one directory, in name order: name, index, type, key, size or "
          "child count. nextCursor: there are more. For a whole project fs_tree is the better "
          "first look.",
      .input = shape::object({fs::node_key(),
                              fs::path("e.g. 'src'; default: the root", shape::kOptional),
                              {"limit", shape::integer("Default 100", 1, 1000), shape::kOptional},
                              {"cursor", shape::text("From nextCursor"), shape::kOptional}}),
      .output = shape::object(
          {{"path", shape::text()},
           {"key", shape::text()},
           {"children",
            shape::list_of(shape::object({{"name", shape::text()},
                                          {"index", shape::integer()},
                                          {"type", shape::choice({"file", "dir"})},
                                          {"key", shape::text()},
                                          {"size", shape::integer(), shape::kOptional},
                                          {"contentType", shape::text(), shape::kOptional},
                                          {"childCount", shape::integer(), shape::kOptional}}))},
           {"total", shape::integer("Children in all")},
           {"nextCursor", shape::nullable(shape::text())}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audited = {"nodeKey", "path"},
      .quick = true,
      .run = run_fs_ls,
  };
}

}  // namespace cairn
