#include "tools/files/fs.h"
#include "tools/files/known.h"
#include "tools/files/read_text.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

json::Object failed(std::string_view path, const Error& error) {
  json::Object out;
  out["path"] = path;
  out["error"] = error.name();
  out["message"] = error.message;
  return out;
}

// Nullopt when the answer has no room for the file, nor for saying what is wrong with it.
Result<std::optional<json::Object>> read_one(const fs::Opened& opened, const fs::Known& known,
                                             const std::string& text, Budget& budget) {
  const json::Object whole;
  if (!budget.in_time()) return std::nullopt;
  auto path = Path::parse(text);
  auto content = path ? read_text(opened.tree, *path, Arguments(whole), budget)
                      : Result<FileContent>(Failure(path.error()));
  if (content) {
    known.read(*content);
    return render_text(*content, Arguments(whole));
  }
  if (content.error().code == Code::kPathNotFound) known.missing(*path);
  if (content.error().code == Code::kBudgetExceeded) return std::nullopt;
  auto out = failed(text, content.error());
  if (!budget.take_bytes(static_cast<std::int64_t>(json::write(out).size()))) return std::nullopt;
  return out;
}

Result<Reply> run_fs_read_many(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  Budget budget(call.clock(), call.limits());
  const auto known = TRY(fs::Known::of(call, opened));
  json::Array files;
  bool truncated = false;
  const auto paths = *arguments.texts("paths");
  for (const auto& text : paths) {
    auto file = TRY(read_one(opened, known, text, budget));
    if (!file) break;
    truncated = truncated || file->contains("truncated");
    files.emplace_back(std::move(*file));
    if (truncated) break;  // what follows would get what this one left over
  }
  const auto left = paths.size() - files.size();
  json::Object out;
  out["files"] = std::move(files);
  out["truncated"] = truncated || left > 0;
  if (left > 0) {
    out["hint"] = fmt::format("the answer is full; ask again for the last {} of the paths", left);
  }
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
          "Several text files in one call. Each entry of files has its own content or error: "
          "one missing file does not fail the others. All share one size limit: go on with "
          "fs_read in a file marked truncated, and ask again for paths that have no entry.",
      .input = shape::object(
          {fs::node_key(),
           {"paths", shape::list_of(shape::text("e.g. 'src/main.ts'", Path::kMaxBytes),
                                    "File paths", 100)}}),
      .output = shape::object({{"files", shape::list_of(std::move(file))},
                               {"truncated", shape::flag("Something was left out")},
                               {"hint", shape::text(), shape::kOptional}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audited = {"nodeKey", "paths"},
      .run = run_fs_read_many,
  };
}

}  // namespace cairn
