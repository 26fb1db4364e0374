// history and undo, where changes are kept.
#include <utility>

#include "tools/executor/shape.h"
#include "tools/workspace/file_text.h"
#include "tools/workspace/file_tool.h"

namespace cairn::work {
namespace {

json::Object render(const WorkChange& change) {
  json::Object out{{"change", change.id},
                   {"time", iso_time(change.time)},
                   {"author", change.author},
                   {"message", change.message}};
  json::Array paths;
  for (const auto& path : change.paths) paths.emplace_back(path);
  out["paths"] = std::move(paths);
  if (change.more_paths > 0) out["morePaths"] = change.more_paths;
  if (change.undone) out["undone"] = true;
  return out;
}

std::string line(const WorkChange& change) {
  return fmt::format("#{}  {}  {}  {}{}", change.id, iso_time(change.time), change.author,
                     change.message, change.undone ? "  (undone)" : "");
}

Result<json::Object> run_history(const Work& work, const Arguments& arguments) {
  const auto page = TRY(work.files.history(static_cast<std::size_t>(arguments.number("limit", 20)),
                                           arguments.text("cursor")));
  json::Array changes;
  std::string text;
  for (const auto& change : page.changes) {
    changes.emplace_back(render(change));
    if (!text.empty()) text += '\n';
    text += line(change);
  }
  if (text.empty()) text = "No changes yet";
  std::vector<std::string> notes;
  if (!page.next.empty()) {
    notes.push_back(fmt::format("older changes follow with the cursor {}", page.next));
  }
  auto out = work.manual() ? result(std::move(changes), notes) : said(std::move(text), notes);
  if (!work.manual()) out["changes"] = std::move(changes);
  if (!page.next.empty()) out["nextCursor"] = page.next;
  return out;
}

Result<json::Object> run_undo(const Work& work, const Arguments& arguments) {
  const auto one = arguments.maybe_text("change");
  const auto from = arguments.maybe_text("from");
  const auto to = arguments.maybe_text("to");
  for (const auto& [name, id] : {std::pair("change", one), {"from", from}, {"to", to}}) {
    if (id && id->empty()) {
      return fail(Code::kInvalidArgument,
                  "'{}' is empty; leave it out for your latest, or take an id from history", name);
    }
  }
  if ((one && (from || to)) || from.has_value() != to.has_value()) {
    return fail(Code::kInvalidArgument, "give 'change', or 'from' and 'to', or neither");
  }
  const auto undone =
      TRY(work.files.undo(one ? *one : from.value_or(""), one ? *one : to.value_or("")));
  if (work.manual()) return result_of(work, render(undone));
  const auto what = fmt::format("#{}: {}", undone.id, undone.message);
  auto out = work.dry ? said_of(work, {"", "taken back", what}) : said("Took back " + what);
  out["change"] = render(undone);
  return out;
}

}  // namespace

std::vector<FileTool> history_tools() {
  auto change = shape::object({{"change", shape::text()},
                               {"time", shape::text()},
                               {"author", shape::text()},
                               {"message", shape::text()},
                               {"paths", shape::list_of(shape::text())},
                               {"morePaths", shape::integer(), shape::kOptional},
                               {"undone", shape::flag(), shape::kOptional}});
  std::vector<FileTool> out;
  out.push_back({
      .tool = {.name = "history",
               .title = "History",
               .description = "The changes made here, newest first: when, by whom, what. Every "
                              "change has an id that "
                              "undo takes.",
               .input = shape::object(
                   {{"limit", shape::integer("How many (default 20)", 1, 100), shape::kOptional},
                    {"cursor", shape::text("From the answer before"), shape::kOptional}}),
               .output = shape::object({{"content", shape::text()},
                                        {"notes", shape::list_of(shape::text()), shape::kOptional},
                                        {"changes", shape::list_of(change)},
                                        {"nextCursor", shape::text(), shape::kOptional}}),
               .annotations = {.read_only = true}},
      .operation = "history",
      .needs_history = true,
      .work = run_history,
  });
  out.push_back({
      .tool =
          {.name = "undo",
           .title = "Undo",
           .description =
               "Takes a change back: your latest, the one named by its id from history, or a run "
               "of them at once. Changes made since stay as they are; when one of them builds on "
               "it, it is a CONFLICT and nothing happens. Undoing an undo brings the change back.",
           .input =
               shape::object({{"change", shape::text("An id from history; default: your latest"),
                               shape::kOptional},
                              {"from", shape::text("The first of a run"), shape::kOptional},
                              {"to", shape::text("The last of the run"), shape::kOptional},
                              dry_run_shape()}),
           .output = shape::object({{"content", shape::text()},
                                    {"notes", shape::list_of(shape::text()), shape::kOptional},
                                    {"change", change}}),
           .annotations = {.destructive = true}},
      .operation = "undo",
      .needs_history = true,
      .work = run_undo,
  });
  return out;
}

}  // namespace cairn::work
