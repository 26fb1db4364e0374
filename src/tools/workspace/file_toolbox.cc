#include "tools/workspace/file_toolbox.h"

#include <algorithm>

#include "base/quote.h"
#include "base/similar.h"
#include "tools/executor/definition.h"

namespace cairn::work {
namespace {

// Arguments that the tool does not know. One that looks like a slip stays, and is refused.
std::vector<std::string> strangers(const Tool& tool, const json::Object& arguments) {
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

// Takes them out of a call that only reads: whatever else clients of the reference server send has
// never done anything. What is to be said of it is given back. A call that changes something is
// refused instead: what it was not understood to ask for may have been what mattered.
std::vector<std::string> without_strangers(const Tool& tool, json::Object& arguments) {
  std::vector<std::string> notes;
  if (tool.changes()) return notes;
  for (const auto& name : strangers(tool, arguments)) {
    arguments.erase(name);
    notes.push_back(
        fmt::format("'{}' is no argument of {} and was ignored", shown(name), tool.name));
  }
  return notes;
}

}  // namespace

FileToolbox::FileToolbox(FileToolsPtr tools, Selection selection, History history)
    : tools_(std::move(tools)), selection_(std::move(selection)), history_(history) {
  if (selection_.find(FileTools::kOneTool) != nullptr) one_tool_ = one_tool();
}

bool FileToolbox::is_here(const FileTool& file) const {
  return !file.needs_history || history_ == History::kHas;
}

bool FileToolbox::is_method(const FileTool& file) const {
  return is_here(file) && selection_.allows(file.tool);
}

// With every argument that one of its methods has.
Tool FileToolbox::one_tool() const {
  json::Array methods;
  json::Object properties{{"method", json::Object{{"type", "string"}}}};
  bool changes = false;
  for (const auto& file : tools_->all()) {
    if (!is_method(file)) continue;
    methods.emplace_back(file.tool.name);
    changes = changes || file.tool.changes();
    const auto input = compact_input(file.tool.input);
    for (const auto& member : input.at("properties").get_object()) {
      if (!properties.contains(member.key())) properties.emplace(member.key(), member.value());
    }
  }
  auto& method = properties["method"].get_object();
  method["enum"] = std::move(methods);
  method["description"] = "What to do; the other arguments are its own";
  Tool out{
      .name = std::string(FileTools::kOneTool),
      .title = "Filesystem",
      .description =
          "File operations in one directory and nowhere else: the method says which. Paths are "
          "relative to that directory. A failure is {success: false, error}.",
      .input = json::Object{{"type", "object"},
                            {"properties", std::move(properties)},
                            {"required", json::Array{"method"}}},
      .output = json::Object{{"type", "object"}}};
  out.annotations = {.read_only = !changes, .destructive = changes};
  out.voice = Voice::kManual;
  return out;
}

std::vector<const Tool*> FileToolbox::offered() const {
  std::vector<const Tool*> out;
  for (const auto* tool : selection_.tools()) {
    if (const auto* file = tools_->find(tool->name)) {
      if (is_here(*file)) out.push_back(tool);
    } else {
      out.push_back(&*one_tool_);
    }
  }
  return out;
}

Result<const Tool*> FileToolbox::find(std::string_view name) const {
  const auto all = FileToolbox::offered();
  const auto found = std::ranges::find(all, name, &Tool::name);
  if (found != all.end()) return *found;
  return no_such_tool(name, all);
}

Result<Reply> FileToolbox::run(const Tool& tool, json::Object arguments,
                               const std::stop_token& stop) const {
  if (one_tool_ && &tool == &*one_tool_) return run_method(std::move(arguments), stop);
  return run_file(*tools_->find(tool.name), Style::kPlain, std::move(arguments), stop);
}

Result<Reply> FileToolbox::run_method(json::Object arguments, const std::stop_token& stop) const {
  const auto* method = json::find(arguments, "method");
  if (method == nullptr || !method->is_string()) {
    return fail(Code::kInvalidArgument,
                "'method' is missing: name what to do, such as read_text_file");
  }
  const std::string name(json::text(*method));
  const auto* file = tools_->find(name);
  if (file == nullptr || !is_method(*file)) {
    std::vector<std::string> known;
    for (const auto& one : tools_->all()) {
      if (is_method(one)) known.push_back(one.tool.name);
    }
    return fail(Code::kToolNotFound, "there is no method '{}'{}", shown(name),
                hint_for(name, known));
  }
  arguments.erase("method");
  return run_file(*file, Style::kManual, std::move(arguments), stop);
}

Result<Reply> FileToolbox::run_file(const FileTool& file, Style style, json::Object arguments,
                                    const std::stop_token& stop) const {
  auto notes = without_strangers(file.tool, arguments);
  auto answer = work(file, style, json::Value(std::move(arguments)), stop);
  if (!answer) {
    auto error = std::move(answer).error();
    // An operation that knows better has said so.
    error.details.try_emplace("operation", std::string(file.operation));
    return Failure(std::move(error));
  }
  if (const auto* told = json::find(*answer, "notes")) {
    for (const auto& note : told->get_array()) notes.emplace_back(json::text(note));
  }
  add_notes(*answer, notes);
  Reply reply(std::move(*answer));
  reply.content = content_of(reply.value.get_object());
  return reply;
}

}  // namespace cairn::work
