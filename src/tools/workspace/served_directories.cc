#include "tools/workspace/served_directories.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "base/quote.h"
#include "data/access/directory_grant.h"

namespace cairn::work {
namespace {

// The same whether there is none, or none for the caller.
Failure no_directory(std::string_view name) {
  return fail(Code::kNotFound, "there is no directory '{}' that you may use", shown(name));
}

constexpr std::string_view kDirectory = "directory";

}  // namespace

Result<ServedDirectory> ServedDirectory::parse(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals + 1 == text.size()) {
    return fail(Code::kInvalidArgument,
                "'{}' should be NAME=DIR, such as notes=/srv/notes: the name is what callers use",
                shown(text));
  }
  ServedDirectory out{.name = std::string(text.substr(0, equals)),
                      .path = std::string(text.substr(equals + 1))};
  TRY(check_directory_name(out.name));
  return out;
}

ServedDirectoryToolbox::ServedDirectoryToolbox(FileToolsPtr tools, Selection selection,
                                               Executor& executor, const Caller& caller,
                                               const ServedDirectory& directory)
    : FileToolbox(std::move(tools), std::move(selection), History::kNone),
      executor_(executor),
      directory_(directory),
      caller_(caller),
      id_(fmt::format("{} directory {}", caller.session().who().id.render(), directory.name)) {}

bool ServedDirectoryToolbox::may_write() const {
  if (directory_.read_only) return false;
  const auto use = executor_.directory_use(caller_, directory_.name);
  return use && *use == DirectoryUse::kWrite;
}

bool ServedDirectoryToolbox::still_valid() const {
  const auto use = executor_.directory_use(caller_, directory_.name);
  return executor_.still_valid(caller_) && use && *use != DirectoryUse::kNone;
}

std::string ServedDirectoryToolbox::introduction() const {
  return fmt::format(
      "Files of the directory '{}' of the server's machine, and nowhere else. Paths are relative "
      "to it. Nothing is moved or copied over something that is there, and what is deleted is "
      "gone.{}",
      directory_.name, may_write() ? "" : " You may only read.");
}

std::vector<const Tool*> ServedDirectoryToolbox::offered() const {
  auto out = FileToolbox::offered();
  if (may_write()) return out;
  std::erase_if(out, [](const Tool* tool) { return tool->right == Right::kWriteDirectory; });
  return out;
}

Result<json::Object> ServedDirectoryToolbox::work(const FileTool& file, Style style,
                                                  json::Value arguments,
                                                  const std::stop_token& stop) const {
  auto caller = caller_.at({.directory = directory_.name, .manual = style == Style::kManual});
  auto reply = TRY(executor_.run(caller, file.tool, std::move(arguments), {}, stop));
  return std::move(reply.value.get_object());
}

FilesystemToolbox::FilesystemToolbox(Boxes boxes) : boxes_(std::move(boxes)) {
  const auto& one = *boxes_.begin()->second->find(FileTools::kOneTool).value();
  tool_.name = one.name;
  tool_.title = one.title;
  tool_.description = one.description;
  tool_.input = one.input;
  tool_.output = one.output;
  tool_.annotations = one.annotations;
  tool_.voice = one.voice;
  if (boxes_.size() == 1) return;
  json::Array known;
  for (const auto& [name, box] : boxes_) known.emplace_back(name);
  tool_.input.get_object()["properties"].get_object()[kDirectory] =
      json::Object{{"type", "string"},
                   {"enum", std::move(known)},
                   {"description", "Which one; list_allowed_directories alone needs none"}};
}

std::string FilesystemToolbox::names() const {
  std::vector<std::string_view> out;
  for (const auto& [name, box] : boxes_) out.push_back(name);
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string FilesystemToolbox::introduction() const {
  if (boxes_.size() == 1) return boxes_.begin()->second->introduction();
  return fmt::format(
      "Files of some directories of the server's machine, and nowhere else: {}. The argument "
      "'directory' names one, and paths are relative to it.",
      names());
}

Result<const Tool*> FilesystemToolbox::find(std::string_view name) const {
  if (name == tool_.name) return &tool_;
  return no_such_tool(name, {&tool_});
}

bool FilesystemToolbox::still_valid() const {
  return std::ranges::any_of(boxes_, [](const auto& box) { return box.second->still_valid(); });
}

Result<Reply> FilesystemToolbox::list_all(const std::stop_token& stop) const {
  json::Array all;
  std::vector<std::string> notes;
  for (const auto& [name, box] : boxes_) {
    auto one = TRY(box->run(*TRY(box->find(FileTools::kOneTool)),
                            {{"method", "list_allowed_directories"}}, stop));
    for (auto& place : one.value.at("result").get_array()) {
      notes.push_back(fmt::format("directory {}: {}{}", name, json::text(place),
                                  box->may_write() ? "" : ", to read"));
      all.emplace_back(std::move(place));
    }
  }
  Reply out(result(std::move(all), notes));
  out.content = content_of(out.value.get_object());
  return out;
}

Result<Reply> FilesystemToolbox::run(const Tool&, json::Object arguments,
                                     const std::stop_token& stop) const {
  auto box = boxes_.begin();
  if (const auto* given = json::find(arguments, kDirectory)) {
    if (!given->is_string()) {
      return fail(Code::kInvalidArgument, "'directory' should be a text: one of {}", names());
    }
    box = boxes_.find(std::string(json::text(*given)));
    if (box == boxes_.end()) return no_directory(json::text(*given));
    arguments.erase(kDirectory);
  } else if (boxes_.size() > 1) {
    const auto* method = json::find(arguments, "method");
    if (method != nullptr && *method == json::Value("list_allowed_directories")) {
      return list_all(stop);
    }
    return fail(Code::kInvalidArgument, "'directory' is missing; name one of {}", names());
  }
  return box->second->run(*TRY(box->second->find(FileTools::kOneTool)), std::move(arguments), stop);
}

ServedDirectories::ServedDirectories(Executor& executor) : executor_(executor) {
  tools_ = FileTools::on_directories(
      [this](std::string_view name) -> Result<std::shared_ptr<DirectoryWorkspace>> {
        const auto found = open_.find(name);
        if (found == open_.end()) return no_directory(name);
        return found->second.files;
      });
}

Result<std::unique_ptr<ServedDirectories>> ServedDirectories::open(
    Executor& executor, const std::vector<ServedDirectory>& directories, Random& random) {
  std::unique_ptr<ServedDirectories> out(new ServedDirectories(executor));
  for (const auto& directory : directories) {
    TRY(check_directory_name(directory.name));
    const std::vector<std::string> paths = {directory.path};
    auto files = TRY(DirectoryWorkspace::open(paths, random, {.read_only = directory.read_only}));
    if (!out->open_.try_emplace(directory.name, directory, std::move(files)).second) {
      return fail(Code::kInvalidArgument, "two directories have the name '{}'", directory.name);
    }
  }
  return out;
}

Result<std::shared_ptr<const ServedDirectoryToolbox>> ServedDirectories::open(
    const Caller& caller, std::string_view name, const SelectionRequest& request) const {
  const auto found = open_.find(name);
  // Asked for in both cases, so that time does not tell them apart.
  const auto use = TRY(executor_.directory_use(caller, name));
  if (found == open_.end() || use == DirectoryUse::kNone) return no_directory(name);
  return std::make_shared<const ServedDirectoryToolbox>(
      tools_, TRY(Selection::parse(request, tools_->tools())), executor_, caller,
      found->second.directory);
}

Result<ToolboxPtr> ServedDirectories::filesystem(const Caller& caller, bool read_only) const {
  const SelectionRequest request{.tools = std::string(FileTools::kOneTool), .read_only = read_only};
  FilesystemToolbox::Boxes boxes;
  for (const auto& [name, one] : open_) {
    if (TRY(executor_.directory_use(caller, name)) == DirectoryUse::kNone) continue;
    boxes.emplace(name, TRY(open(caller, name, request)));
  }
  if (boxes.empty()) {
    return fail(Code::kNotFound,
                "there is no directory of the server's machine that you may use; its owner serves "
                "one with cairn serve --root NAME=DIR, and grants it to delegates and users");
  }
  return std::make_shared<const FilesystemToolbox>(std::move(boxes));
}

}  // namespace cairn::work
