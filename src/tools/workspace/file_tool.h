// FileTool: one of the file tools that many agents know, over any workspace.
//
// Names, arguments and answers are those of the reference MCP server for files
// (docs/workspaces.md lists where they differ and why). The same operations answer in a second
// style, as the manual of the one tool `filesystem` has it.
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "data/json/lazy_schema.h"
#include "data/workspace/workspace.h"
#include "tools/arguments.h"
#include "tools/tool.h"

namespace cairn::work {

enum class Style {
  kPlain,   // `{content: "…"}`, and `notes` where there is more to say
  kManual,  // the manual's object, or `{result: …}` where it has a list or a text
};

// What one run of a tool works with.
struct Work {
  static constexpr std::int64_t kAnswerBytes = 1 << 20;
  static constexpr std::chrono::seconds kTime{10};

  Workspace& files;
  const Clock& clock;
  Style style = Style::kPlain;
  std::int64_t answer_bytes = kAnswerBytes;  // of listings and searches; never of a file's content
  std::stop_token stop = {};

  bool manual() const { return style == Style::kManual; }
};

struct FileTool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  json::Value input;
  json::Value output;
  Annotations annotations;
  // What errors of the operating system are said to come from, for who looks for that.
  std::string_view operation;
  bool needs_history = false;
  bool in_manual = true;  // also a method of `filesystem`
  Result<json::Object> (*run)(const Work& work, const Arguments& arguments);

  bool changes() const { return !annotations.read_only; }
  // The same of one call: a dry run, of a tool that has one, changes nothing.
  bool changes(const json::Object& arguments) const {
    if (!input.at("properties").get_object().contains("dryRun")) return changes();
    const auto* dry = json::find(arguments, "dryRun");
    return changes() && !(dry != nullptr && dry->is_bool() && dry->get_bool());
  }
};

// All of them, in the order they are shown.
//
// Threads  immutable once made.
class FileTools final {
 public:
  static FileTools make();

  struct Row {
    FileTool tool;
    json::LazySchema schema = {};
  };
  const std::vector<Row>& rows() const { return rows_; }
  const Row* find(std::string_view name) const;

  // Checks the arguments and runs the tool. The error is as clients of the reference server know
  // it: its message is all that is to be said.
  // REQUIRES: the arguments are an object.
  static Result<json::Object> run(const Row& row, const Work& work, const json::Value& arguments);

 private:
  std::vector<Row> rows_;
};

// Answers in the plain style, and in the manual's.
json::Object said(std::string text);
json::Object said(std::string text, const std::vector<std::string>& notes);
json::Object result(json::Value value);
json::Object result(json::Value value, const std::vector<std::string>& notes);

// Shapes of arguments and answers that several tools have.
json::Value path_shape(std::string_view what);
json::Value said_shape();
// The schema with the value that is taken when there is none.
json::Value with_default(json::Value schema, json::Value value);

// The tools, by the files they are in.
std::vector<FileTool> read_tools();
std::vector<FileTool> change_tools();
FileTool edit_tool();
std::vector<FileTool> list_tools();
FileTool tree_tool();
std::vector<FileTool> search_tools();
std::vector<FileTool> history_tools();

}  // namespace cairn::work
