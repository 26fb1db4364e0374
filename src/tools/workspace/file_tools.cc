#include <algorithm>

#include "tools/executor/shape.h"
#include "tools/workspace/depot_workspace.h"
#include "tools/workspace/file_tool.h"

namespace cairn::work {

void add_notes(json::Object& answer, const std::vector<std::string>& notes) {
  if (notes.empty()) return;
  json::Array list;
  for (const auto& note : notes) list.emplace_back(note);
  answer["notes"] = std::move(list);
}

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

json::Object said_of(const Work& work, const Done& done) {
  return said(
      work.dry ? fmt::format("Would have {} {}; dryRun: nothing was changed", done.would, done.what)
               : fmt::format("Successfully {} {}", done.done, done.what),
      work.files.notes());
}

json::Object result_of(const Work& work, json::Object value) {
  if (work.dry) value["dryRun"] = true;
  return result(std::move(value), work.files.notes());
}

shape::Field dry_run_shape() {
  return {"dryRun", with_default(shape::flag("Only say what would happen"), false),
          shape::kOptional};
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

json::Array content_of(const json::Object& answer) {
  json::Array out;
  const auto add_text = [&](std::string_view text) {
    out.emplace_back(json::Object{{"type", "text"}, {"text", text}});
  };
  const auto* content = json::find(answer, "content");
  const auto* result = json::find(answer, "result");
  if (content != nullptr && content->is_array()) {
    out = content->get_array();
  } else if (content != nullptr && content->is_string()) {
    add_text(json::text(*content));
  } else if (result != nullptr) {
    add_text(result->is_string() ? json::text(*result) : json::write(*result));
  } else {
    add_text(json::write(json::Value(answer)));
  }
  if (const auto* notes = json::find(answer, "notes")) {
    for (const auto& note : notes->get_array()) add_text(json::text(note));
  }
  return out;
}

namespace {

std::vector<FileTool> all_tools() {
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
  return all;
}

// On the depot of the caller's desk.
Result<Reply> run_on_depot(const FileTool& file, Call& call, const Arguments& arguments) {
  const auto& desk = call.caller().desk();
  if (desk == nullptr) return fail(Code::kInternal, "{} has no depot to work on", file.tool.name);
  auto files = TRY(DepotWorkspace::open(call, desk->depot, call.services().seen,
                                        {.operation = file.tool.name,
                                         .desk = desk->name,
                                         .read_only = !file.tool.changes(),
                                         .dry_run = file.is_dry(arguments)}));
  const Work work{.files = files,
                  .clock = call.clock(),
                  .style = desk->manual ? Style::kManual : Style::kPlain,
                  .content_bytes = Work::kServed,
                  .stop = call.stopping(),
                  .dry = file.is_dry(arguments)};
  return Reply(TRY(file.work(work, arguments)));
}

// On the directory of the caller's desk.
Result<Reply> run_on_directory(const FileTool& file, const FileTools::Directory& directory,
                               Call& call, const Arguments& arguments) {
  const auto& desk = call.caller().desk();
  if (desk == nullptr) return fail(Code::kInternal, "{} has no directory", file.tool.name);
  auto files = TRY(directory(desk->directory));
  const bool dry = file.is_dry(arguments);
  if (dry) files = files->rehearsal();
  const Work work{.files = *files,
                  .clock = call.clock(),
                  .style = desk->manual ? Style::kManual : Style::kPlain,
                  .content_bytes = Work::kServed,
                  .stop = call.stopping(),
                  .dry = dry};
  return Reply(TRY(file.work(work, arguments)));
}

// Fills in what the executor has to know about a file tool.
void complete(FileTool& file, Right reading, Right writing) {
  auto& tool = file.tool;
  tool.voice = Voice::kReference;
  tool.right = tool.changes() ? writing : reading;
  const auto& properties = tool.input.at("properties").get_object();
  if (properties.contains("dryRun")) tool.dry_run = "dryRun";
  for (const std::string_view name :
       {"path", "source", "destination", "change", "from", "to", "paths"}) {
    if (properties.contains(name)) tool.audited.emplace_back(name);
  }
}

}  // namespace

FileTools::FileTools() : tools_(all_tools()) {
  one_tool_.name = kOneTool;
  one_tool_.only_when_named = true;
  one_tool_.annotations.read_only = true;  // its methods are selected one by one
}

FileToolsPtr FileTools::make() {
  std::shared_ptr<FileTools> out(new FileTools());
  for (auto& file : out->tools_) {
    complete(file, Right::kRead, Right::kUpload);
    file.tool.run = [&file](Call& call, const Arguments& arguments) {
      return run_on_depot(file, call, arguments);
    };
  }
  return out;
}

FileToolsPtr FileTools::on_directories(Directory directory) {
  std::shared_ptr<FileTools> out(new FileTools());
  const auto shared = std::make_shared<const Directory>(std::move(directory));
  for (auto& file : out->tools_) {
    complete(file, Right::kReadDirectory, Right::kWriteDirectory);
    file.tool.run = [&file, shared](Call& call, const Arguments& arguments) {
      return run_on_directory(file, *shared, call, arguments);
    };
  }
  return out;
}

const FileTool* FileTools::find(std::string_view name) const {
  const auto found = std::ranges::find(
      tools_, name, [](const FileTool& file) -> std::string_view { return file.tool.name; });
  return found == tools_.end() ? nullptr : &*found;
}

std::vector<const Tool*> FileTools::tools() const {
  std::vector<const Tool*> out;
  for (const auto& file : tools_) out.push_back(&file.tool);
  out.push_back(&one_tool_);
  return out;
}

}  // namespace cairn::work
