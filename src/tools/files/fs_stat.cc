#include "tools/executor/render.h"
#include "tools/files/fs.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

Result<Reply> run_fs_stat(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  auto at = TRY(locate(opened.tree, TRY(fs::path_of(arguments))));
  json::Object out;
  out["type"] = "";
  out["name"] = at.path.is_root() ? "" : at.path.name();
  add_entry(out, EntryValue::of(at.entry), at.entry.key.render());
  if (at.entry.is_dir()) {
    out["fileCount"] = at.entry.files;
    out["totalBytes"] = at.entry.bytes;
  }
  return fs::about(opened, at.entry.key, std::move(out));
}

}  // namespace

Tool fs_stat() {
  return {
      .name = "fs_stat",
      .title = "What is at a path",
      .description =
          "Metadata of one file or directory: type, name, key, size and content type, or child "
          "count. Paths have no leading '/'. The same key means the same content.",
      .input =
          shape::object({fs::node_key(), fs::path("e.g. 'src/main.ts'; '~0' is the first child",
                                                  shape::kOptional)}),
      .output = shape::object({{"type", shape::choice({"file", "dir"})},
                               {"name", shape::text()},
                               {"key", shape::text()},
                               {"size", shape::integer(), shape::kOptional},
                               {"contentType", shape::text(), shape::kOptional},
                               {"childCount", shape::integer(), shape::kOptional},
                               {"fileCount", shape::integer("Files below"), shape::kOptional},
                               {"totalBytes", shape::integer("Bytes below"), shape::kOptional}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audited = {"nodeKey", "path"},
      .quick = true,
      .run = run_fs_stat,
  };
}

}  // namespace cairn
