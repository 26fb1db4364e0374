// FileTool: one of the file tools that many agents know, over any workspace.
//
// Names, arguments and answers are those of the reference MCP server for files
// (docs/workspaces.md lists where they differ and why). The same operations answer in a second
// style, as the manual of the one tool `filesystem` has it.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "data/workspace/directory_workspace.h"
#include "data/workspace/workspace.h"
#include "tools/executor/arguments.h"
#include "tools/executor/shape.h"
#include "tools/executor/tool.h"
#include "tools/workspace/file_text.h"

namespace cairn::work {

enum class Style {
  kPlain,   // `{content: "…"}`, and `notes` where there is more to say
  kManual,  // the manual's object, or `{result: …}` where it has a list or a text
};

// The context in which one run of a tool works.
struct Work {
  static constexpr std::int64_t kAnswerBytes = 1 << 20;
  static constexpr std::chrono::seconds kTime{10};
  // How much of the content of files one answer has.
  struct ContentBytes {
    std::uint64_t text = kMaxReadBytes;
    std::uint64_t media = kMaxReadBytes;  // before it is base64
  };
  // Of those who are served by another process, and share it: as much text as of a listing.
  static constexpr ContentBytes kServed{.text = kAnswerBytes, .media = 4 << 20};

  Workspace& files;
  const Clock& clock;
  Style style = Style::kPlain;
  std::int64_t answer_bytes = kAnswerBytes;  // of listings and searches
  ContentBytes content_bytes = {};
  std::stop_token stop = {};
  // Nothing is changed (`dryRun`): the workspace only looks into it, and the answer says what would
  // be.
  bool dry = false;

  bool manual() const { return style == Style::kManual; }
};

struct FileTool {
  // As clients are shown it. It runs on the depot of the caller's desk (Call), through the
  // executor.
  Tool tool;
  // The system call that errors of the operating system are said to come from, for clients that
  // look for that.
  std::string_view operation;
  bool needs_history = false;
  // The work itself, on whatever workspace.
  Result<json::Object> (*work)(const Work& work, const Arguments& arguments) = nullptr;

  // It could change something, and is asked not to.
  bool is_dry(const Arguments& arguments) const {
    return tool.changes() && !tool.changes(arguments.object());
  }
};

// All of them, in the order they are shown.
//
// Threads  immutable once made.
class FileTools final {
 public:
  // All file tools in one, with the method as an argument. It is offered when it is named.
  static constexpr std::string_view kOneTool = "filesystem";

  // On the depot of a caller's desk, or with no caller at all.
  static std::shared_ptr<const FileTools> make();
  // On the directory of a caller's desk: of those that the function knows by name. NOT_FOUND for
  // any other.
  using Directory = std::function<Result<std::shared_ptr<DirectoryWorkspace>>(std::string_view)>;
  static std::shared_ptr<const FileTools> on_directories(Directory directory);

  const std::vector<FileTool>& all() const { return tools_; }
  const FileTool* find(std::string_view name) const;
  // The tools there are to select from, the one tool last.
  std::vector<const Tool*> tools() const;

 private:
  FileTools();

  std::vector<FileTool> tools_;
  Tool one_tool_;
};
using FileToolsPtr = std::shared_ptr<const FileTools>;

// Answers in the plain style, and in the manual's.
json::Object said(std::string text);
json::Object said(std::string text, const std::vector<std::string>& notes);
json::Object result(json::Value value);
json::Object result(json::Value value, const std::vector<std::string>& notes);

// What a change did, `Successfully wrote to x`, or what it would have done.
struct Done {
  std::string_view done;   // wrote to
  std::string_view would;  // written to
  std::string what;
};
json::Object said_of(const Work& work, const Done& done);
// The manual's object for it, with `dryRun` where it was none.
json::Object result_of(const Work& work, json::Object value);

void add_notes(json::Object& answer, const std::vector<std::string>& notes);
// The answer as blocks of content: its text as it is, a result as text or as JSON, and the notes
// after it.
json::Array content_of(const json::Object& answer);

// Shapes of arguments and answers that several tools have.
json::Value path_shape(std::string_view what);
shape::Field dry_run_shape();
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
