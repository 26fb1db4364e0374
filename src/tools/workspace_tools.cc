// The file tools on a depot, as two operations: those that read and those that change. Which one,
// and how it answers, is in the arguments.
#include "base/quote.h"
#include "tools/depot_workspace.h"
#include "tools/depots.h"
#include "tools/list.h"
#include "tools/workspace/file_tool.h"

namespace cairn {
namespace {

// What the two share.
struct Shelf {
  work::FileTools tools;
  SeenFiles seen;
};

Result<Reply> run(Shelf& shelf, bool changes, Call& call, const Arguments& arguments) {
  const auto name = arguments.text("tool");
  const auto* row = shelf.tools.find(name);
  const auto& given = arguments.object().at("arguments").get_object();
  if (row == nullptr || row->tool.changes(given) != changes) {
    return fail(Code::kToolNotFound, "there is no file tool '{}' that {}", shown(name),
                changes ? "changes something" : "only reads");
  }
  auto files = TRY(DepotWorkspace::open(
      call, arguments.text("depotId"), shelf.seen,
      {.operation = row->tool.name, .desk = arguments.text("desk"), .read_only = !changes}));
  const work::Work work{
      .files = files,
      .clock = call.clock(),
      .style = arguments.flag("manual") ? work::Style::kManual : work::Style::kPlain,
      .answer_bytes = arguments.number("answerBytes", work::Work::kAnswerBytes),
      .stop = call.limits().stop};
  return Reply(TRY(work::FileTools::run(*row, work, arguments.object().at("arguments"))));
}

json::Value input() {
  return shape::object(
      {depots::depot_id(),
       {"tool", shape::text("A file tool, such as read_text_file")},
       {"arguments", shape::map_of(shape::anything(), "What the file tool takes")},
       {"manual", shape::flag("Answer as the tool 'filesystem' does"), shape::kOptional},
       {"desk", shape::text("Tells apart who shares a token", 200), shape::kOptional},
       {"answerBytes", shape::integer("Room for an answer", 1000), shape::kOptional}});
}

}  // namespace

std::vector<Tool> workspace_tools() {
  auto shelf = std::make_shared<Shelf>(work::FileTools::make());
  // By the file tool, for who looks for that; a name that is none stays out of the log.
  const auto label = [shelf](std::string_view otherwise) {
    return [shelf, otherwise](const json::Object& arguments) {
      const auto* name = json::find(arguments, "tool");
      const auto* row = name == nullptr ? nullptr : shelf->tools.find(json::text(*name));
      return row == nullptr ? otherwise : row->tool.name;
    };
  };
  Tool reads{
      .name = "workspace_read",
      .title = "Read in a workspace",
      .description = "One of the file tools that only read, on a depot.",
      .input = input(),
      .output = shape::map_of(shape::anything(), "As the file tool answers"),
      .annotations = {.read_only = true},
      .audience = Audience::kWorkspaces,
      .run = [shelf](Call& call,
                     const Arguments& given) { return run(*shelf, false, call, given); },
      .label = label("workspace_read"),
  };
  Tool changes{
      .name = "workspace_change",
      .title = "Change a workspace",
      .description = "One of the file tools that change something, on a depot, with a commit.",
      .input = input(),
      .output = shape::map_of(shape::anything(), "As the file tool answers"),
      .annotations = {.destructive = true},
      .right = Right::kUpload,
      .audience = Audience::kWorkspaces,
      .run = [shelf](Call& call, const Arguments& given) { return run(*shelf, true, call, given); },
      .label = label("workspace_change"),
  };
  std::vector<Tool> out;
  out.push_back(std::move(reads));
  out.push_back(std::move(changes));
  return out;
}

}  // namespace cairn
