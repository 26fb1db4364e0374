#include "tools/files/fs.h"
#include "tools/files/known.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

Result<Reply> run_read_file(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  auto at = TRY(locate(opened.tree, TRY(fs::path_of(arguments))));
  Reply reply;
  if (at.entry.is_dir()) {
    return fail(Code::kNotAFile, "'{}' is a directory; list it instead", at.path.render());
  }
  reply.file =
      FileBody{&call.realm().nodes(), at.entry.key, at.entry.bytes, std::string(at.entry.type)};
  reply.about = at.entry.key;
  reply.immutable = opened.immutable;
  // Over MCP this is a resource, which is given whole.
  TRY(fs::Known::of(call, opened)).read_whole(at.path);
  return reply;
}

}  // namespace

Tool read_file_tool() {
  return {
      .name = "read_file",
      .title = "A file's bytes",
      .description = "The bytes of a file of any size, or a range of them.",
      .input = shape::object({fs::node_key(), fs::path("e.g. 'img/logo.png'", shape::kOptional)}),
      .output = shape::anything("The bytes"),
      .annotations = {.read_only = true, .idempotent = true},
      .audience = Audience::kPrograms,
      .gives = Gives::kFile,
      .audited = {"nodeKey", "path"},
      .quick = true,
      .run = run_read_file,
  };
}

}  // namespace cairn
