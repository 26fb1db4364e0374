#include "tools/fs.h"
#include "tools/list.h"
#include "tools/read_text.h"

namespace cairn {
namespace {

json::Object failed(std::string_view path, const Error& error) {
  json::Object out;
  out["path"] = path;
  out["error"] = error.name();
  out["message"] = error.message;
  return out;
}

Result<Reply> run(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  Budget budget(call.clock(), call.limits());
  const json::Object whole;
  json::Array files;
  bool truncated = false;
  const auto paths = *arguments.texts("paths");
  for (const auto& text : paths) {
    auto read_one = [&]() -> Result<FileContent> {
      if (budget.bytes_left() < 100 || !budget.in_time()) {
        return fail(Code::kBudgetExceeded, "the answer is full; read this one with another call");
      }
      return read_text(opened.tree, TRY(Path::parse(text)), Arguments(whole), budget);
    };
    auto content = read_one();
    truncated = truncated || (content && content->truncated) ||
                (!content && content.error().code == Code::kBudgetExceeded);
    files.emplace_back(content ? render_text(*content, Arguments(whole))
                               : failed(text, content.error()));
  }
  json::Object out;
  out["files"] = std::move(files);
  out["truncated"] = truncated;
  return Reply(std::move(out));
}

}  // namespace

Tool fs_read_many() {
  auto file = text_shape();
  auto& object = file.as_object();
  object["required"] = json::Array{"path"};
  object["properties"].as_object()["error"] = shape::text("Code, when this file failed");
  object["properties"].as_object()["message"] = shape::text();
  return {
      .name = "fs_read_many",
      .title = "Read several text files",
      .description =
          "Several text files in one call. Each entry of files has its own content, or its own "
          "error and message: one missing file does not fail the others. All share one size "
          "limit; those marked truncated or BUDGET_EXCEEDED are read with fs_read.",
      .input = shape::object(
          {fs::node_key(),
           {"paths", shape::list_of(shape::text("e.g. 'src/main.ts'", Path::kMaxBytes),
                                    "File paths", 100)}}),
      .output = shape::object({{"files", shape::list_of(std::move(file))},
                               {"truncated", shape::flag("Something was left out")}}),
      .annotations = {.read_only = true, .idempotent = true},
      .run = run,
  };
}

}  // namespace cairn
