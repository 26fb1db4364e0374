#include <algorithm>

#include "base/quote.h"
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

json::Value said_shape() {
  return shape::object(
      {{"content", shape::text()},
       {"notes", shape::list_of(shape::text(), "What else there is to say"), shape::kOptional}});
}

Result<FileTools> FileTools::make() {
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
  for (auto& tool : all) {
    auto schema = TRY(json::Schema::compile(tool.input));
    out.rows_.push_back({std::move(tool), std::move(schema)});
  }
  return out;
}

const FileTools::Row* FileTools::find(std::string_view name) const {
  const auto found = std::ranges::find(rows_, name, [](const Row& row) { return row.tool.name; });
  return found == rows_.end() ? nullptr : &*found;
}

Result<json::Object> FileTools::run(const Row& row, const Work& work,
                                    const json::Value& arguments) {
  auto outcome = [&]() -> Result<json::Object> {
    TRY(row.schema.check(arguments));
    return row.tool.run(work, Arguments(arguments.get_object()));
  }();
  if (outcome) return outcome;
  const auto* to = json::find(arguments.get_object(), "destination");
  return Failure(told_error(std::move(outcome).error(), row.tool.operation,
                            to == nullptr ? std::string_view() : json::text(*to)));
}

}  // namespace cairn::work
