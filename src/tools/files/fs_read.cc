#include "tools/files/fs.h"
#include "tools/files/known.h"
#include "tools/files/read_text.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

Result<Reply> run_fs_read(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  Budget budget(call.clock(), call.limits());
  const auto path = TRY(fs::path_of(arguments));
  const auto known = TRY(fs::Known::of(call, opened));
  auto found = read_text(opened.tree, path, arguments, budget);
  if (!found && found.error().code == Code::kPathNotFound) known.missing(path);
  auto content = TRY(std::move(found));
  known.read(content);
  return fs::about(opened, content.key, render_text(content, arguments));
}

}  // namespace

Tool fs_read() {
  return {
      .name = "fs_read",
      .title = "Read a text file",
      .description =
          "The content of one text file. Long ones come in parts of whole lines: when "
          "truncated, call again with startLine = lastLine + 1, or as hint says. Binary files "
          "are refused (NOT_TEXT).",
      .input = shape::object({fs::node_key(), fs::path("e.g. 'src/main.ts'", shape::kOptional),
                              start_line_field(), end_line_field(), start_byte_field()}),
      .output = text_shape(),
      .annotations = {.read_only = true, .idempotent = true},
      // The beginning of a file is near; its other lines have to be counted.
      .audited = {"nodeKey", "path"},
      .quick_without = {"startLine", "startByte"},
      .run = run_fs_read,
  };
}

}  // namespace cairn
