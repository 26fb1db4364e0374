// write_file, create_directory, move_file, copy_file, delete_file.
#include <filesystem>

#include "tools/executor/shape.h"
#include "tools/workspace/file_tool.h"

namespace cairn::work {
namespace {

Result<json::Object> run_write(const Work& work, const Arguments& arguments) {
  const auto path = arguments.text("path");
  const auto content = arguments.text("content");
  // The manual's example writes into a directory that nobody has made.
  const auto parents = work.manual() ? Parents::kAreMade : Parents::kMustExist;
  const auto place = TRY(work.files.write(path, content, parents));
  if (work.manual()) {
    return result_of(work,
                     {{"bytesWritten", content.size()}, {"path", work.files.relative(place)}});
  }
  return said_of(work, {"wrote to", "written to", std::string(path)});
}

Result<json::Object> run_create_directory(const Work& work, const Arguments& arguments) {
  const auto path = arguments.text("path");
  const auto place = TRY(work.files.make_directory(path));
  if (work.manual()) return result_of(work, {{"created", place}});
  return said_of(work, {"created directory", "created directory", std::string(path)});
}

// From here to there, in the words of the operation.
Result<json::Object> moved(const Work& work, const Arguments& arguments, std::string_view verb,
                           const std::string& from, const std::string& to) {
  if (work.manual()) {
    return result_of(work, {{"from", work.files.relative(from)}, {"to", work.files.relative(to)}});
  }
  return said_of(
      work, {verb, verb,
             fmt::format("{} to {}", arguments.text("source"), arguments.text("destination"))});
}

// The path as it would be if nothing on it were a link.
std::string absolute(const Workspace& files, std::string_view path) {
  if (path.starts_with('/')) return std::string(path);
  const auto root = files.roots().front();
  return root.ends_with('/') ? root + std::string(path) : fmt::format("{}/{}", root, path);
}

using Transfer = Result<std::string> (Workspace::*)(std::string_view, std::string_view);

Result<json::Object> transfer(const Work& work, const Arguments& arguments, Transfer how,
                              std::string_view verb) {
  const auto source = arguments.text("source");
  const auto destination = arguments.text("destination");
  auto from = work.files.info(source);
  if (!from) {
    if (from.error().code == Code::kPathNotFound) {
      // An obstacle at the destination is reported first.
      if (const auto there = work.files.info(destination)) {
        return Failure(Error(Code::kTargetExists, "and there is nothing at the source")
                           .with("place", there->place));
      }
      return Failure(std::move(from)
                         .error()
                         .with("from", absolute(work.files, source))
                         .with("to", absolute(work.files, destination)));
    }
    return Failure(std::move(from).error().with("operation", "realpath"));
  }
  auto to = (work.files.*how)(source, destination);
  if (!to) {
    auto error = std::move(to).error();
    const bool on_the_way = error.code == Code::kNotADirectory || error.code == Code::kInvalidPath;
    if (on_the_way) error.details.insert_or_assign("operation", "realpath");
    return Failure(
        std::move(error).with("from", from->place).with("to", absolute(work.files, destination)));
  }
  // A link is moved itself.
  const auto named = std::filesystem::path(absolute(work.files, source)).lexically_normal();
  return moved(work, arguments, verb, named.string(), *to);
}

Result<json::Object> run_move(const Work& work, const Arguments& arguments) {
  return transfer(work, arguments, &Workspace::move, "moved");
}

Result<json::Object> run_copy(const Work& work, const Arguments& arguments) {
  return transfer(work, arguments, &Workspace::copy, "copied");
}

Result<json::Object> run_delete(const Work& work, const Arguments& arguments) {
  const auto path = arguments.text("path");
  const auto place = TRY(work.files.remove(path, arguments.flag("recursive")));
  if (work.manual()) {
    return result_of(work, {{"deleted", work.files.relative(place)}});
  }
  return said_of(work, {"deleted", "deleted", std::string(path)});
}

json::Value from_to(std::string_view from, std::string_view to) {
  return shape::object(
      {{"source", path_shape(from)}, {"destination", path_shape(to)}, dry_run_shape()});
}

}  // namespace

std::vector<FileTool> change_tools() {
  std::vector<FileTool> out;
  out.push_back({
      .tool = {.name = "write_file",
               .title = "Write File",
               .description =
                   "Makes a file with this content, or gives a file that is there other content, "
                   "all of it. "
                   "The directory has to exist. To change a part of a file, edit_file is safer.",
               .input = shape::object({{"path", path_shape("File")},
                                       {"content", shape::text("All of it")},
                                       dry_run_shape()}),
               .output = said_shape(),
               .annotations = {.destructive = true, .idempotent = true}},
      .operation = "open",
      .work = run_write,
  });
  out.push_back({
      .tool = {.name = "create_directory",
               .title = "Create Directory",
               .description = "Makes a directory, and those above it that are missing. One that is "
                              "there already is "
                              "no error.",
               .input = shape::object({{"path", path_shape("Directory")}, dry_run_shape()}),
               .output = said_shape(),
               .annotations = {.idempotent = true}},
      .operation = "mkdir",
      .work = run_create_directory,
  });
  out.push_back({
      .tool = {.name = "move_file",
               .title = "Move File",
               .description = "Moves or renames a file or a directory with all in it. It is "
                              "refused when something is "
                              "at the destination: nothing is ever overwritten.",
               .input = from_to("What to move", "Where to, with its name there"),
               .output = said_shape(),
               .annotations = {.destructive = true}},
      .operation = "rename",
      .work = run_move,
  });
  out.push_back({
      .tool = {.name = "copy_file",
               .title = "Copy File",
               .description = "Copies a file or a directory with all in it. It is refused when "
                              "something is at the "
                              "destination.",
               .input = from_to("What to copy", "Where to, with its name there"),
               .output = said_shape(),
               .annotations = {}},
      .operation = "copyfile",
      .work = run_copy,
  });
  out.push_back({
      .tool =
          {.name = "delete_file",
           .title = "Delete File",
           .description =
               "Deletes a file or an empty directory; with recursive a directory and all in it.",
           .input = shape::object(
               {{"path", path_shape("File or directory")},
                {"recursive", shape::flag("With everything below it"), shape::kOptional},
                dry_run_shape()}),
           .output = said_shape(),
           .annotations = {.destructive = true}},
      .operation = "unlink",
      .work = run_delete,
  });
  return out;
}

}  // namespace cairn::work
