#include <algorithm>

#include "base/quote.h"
#include "base/similar.h"
#include "tools/shape.h"
#include "tools/workspace/file_errors.h"
#include "tools/workspace/file_tool.h"

namespace cairn::work {
namespace {

void add_notes(json::Object& out, const std::vector<std::string>& notes) {
  if (notes.empty()) return;
  json::Array list;
  for (const auto& note : notes) list.emplace_back(note);
  out["notes"] = std::move(list);
}

}  // namespace

json::Object said(std::string text) { return {{"content", std::move(text)}}; }

json::Object said(std::string text, const std::vector<std::string>& notes) {
  auto out = said(std::move(text));
  add_notes(out, notes);
  return out;
}

json::Object result(json::Value value) {
  if (value.is_object()) return std::move(value.get_object());
  return {{"result", std::move(value)}};
}

json::Object result(json::Value value, const std::vector<std::string>& notes) {
  auto out = result(std::move(value));
  add_notes(out, notes);
  return out;
}

json::Value path_shape(std::string_view what) { return shape::text(what); }

json::Value with_default(json::Value schema, json::Value value) {
  schema.get_object()["default"] = std::move(value);
  return schema;
}

json::Value said_shape() {
  return shape::object(
      {{"content", shape::text()},
       {"notes", shape::list_of(shape::text(), "What else there is to say"), shape::kOptional}});
}

FileTools FileTools::make() {
  std::vector<FileTool> all = read_tools();
  const auto add = [&](std::vector<FileTool> more) {
    std::ranges::move(more, std::back_inserter(all));
  };
  auto changes = change_tools();
  auto after_edit = changes.begin() + 1;  // write_file, then edit_file, then the others
  all.push_back(std::move(changes.front()));
  all.push_back(edit_tool());
  std::move(after_edit, changes.end(), std::back_inserter(all));
  add(list_tools());
  all.push_back(tree_tool());
  add(search_tools());
  add(history_tools());
  FileTools out;
  for (auto& tool : all) out.rows_.push_back({std::move(tool)});
  return out;
}

const FileTools::Row* FileTools::find(std::string_view name) const {
  const auto found = std::ranges::find(rows_, name, [](const Row& row) { return row.tool.name; });
  return found == rows_.end() ? nullptr : &*found;
}

namespace {

// Arguments that the tool does not know. One that looks like a slip stays, and is refused.
std::vector<std::string> strangers(const FileTool& tool, const json::Object& arguments) {
  std::vector<std::string> known;
  for (const auto& member : tool.input.at("properties").get_object()) {
    known.emplace_back(member.key());
  }
  std::vector<std::string> out;
  for (const auto& member : arguments) {
    const std::string_view name = member.key();
    if (std::ranges::find(known, name) != known.end()) continue;
    if (most_similar(name, known).empty()) out.emplace_back(name);
  }
  return out;
}

Result<json::Object> run_known(const FileTools::Row& row, const Work& work,
                               const json::Value& arguments) {
  auto outcome = [&]() -> Result<json::Object> {
    TRY(row.schema.check(row.tool.input, arguments));
    return row.tool.run(work, Arguments(arguments.get_object()));
  }();
  if (outcome) return outcome;
  return Failure(told_error(std::move(outcome).error(), row.tool.operation));
}

}  // namespace

Result<json::Object> FileTools::run(const Row& row, const Work& work,
                                    const json::Value& arguments) {
  const auto unknown = strangers(row.tool, arguments.get_object());
  if (unknown.empty()) return run_known(row, work, arguments);
  // Whatever else clients of the reference server send has never done anything.
  auto rest = arguments.get_object();
  std::vector<std::string> notes;
  for (const auto& name : unknown) {
    rest.erase(name);
    notes.push_back(
        fmt::format("'{}' is no argument of {} and was ignored", shown(name), row.tool.name));
  }
  auto out = TRY(run_known(row, work, json::Value(std::move(rest))));
  if (const auto* told = json::find(out, "notes")) {
    for (const auto& note : told->get_array()) notes.emplace_back(json::text(note));
  }
  add_notes(out, notes);
  return out;
}

}  // namespace cairn::work
