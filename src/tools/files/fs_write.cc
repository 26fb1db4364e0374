#include "data/cas/content_type.h"
#include "tools/files/fs.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

Result<Reply> run(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  const auto content = arguments.text("content");
  if (content.size() > kMaxNodeBytes) {
    return fail(Code::kFileTooLarge,
                "the content has {} bytes; fs_write takes up to {}, larger files go over REST or "
                "the command line",
                content.size(), kMaxNodeBytes);
  }
  std::optional<std::string> type;
  if (auto given = arguments.maybe_text("contentType")) type = TRY(parse_content_type(*given));
  Stage stage(call.realm().nodes());
  auto written = TRY(write(stage, opened.tree.root, TRY(fs::path_of(arguments)), content, type));
  return fs::save_written(call, opened, stage, written);
}

}  // namespace

Tool fs_write() {
  return {
      .name = "fs_write",
      .title = "Write a text file",
      .description =
          "Creates or overwrites one text file; directories on the way are made. Gives a newRoot "
          "and does NOT change the depot: pass newRoot as nodeKey to the next write, and at the "
          "end call depot_commit with it. To change a part of a file use fs_edit.",
      .input = shape::object(
          {fs::node_key(),
           fs::path("e.g. 'src/main.ts'"),
           {"content", shape::text("The whole content, UTF-8")},
           {"contentType", shape::text("Default: by name and content"), shape::kOptional}}),
      .output = fs::written_shape(),
      .annotations = {.idempotent = true},
      .right = Right::kUpload,
      .audited = {"nodeKey", "path"},
      .run = run,
  };
}

}  // namespace cairn
