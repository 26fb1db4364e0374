// list_directory, list_directory_with_sizes, get_file_info, list_allowed_directories.
#include <algorithm>
#include <ranges>

#include "tools/executor/shape.h"
#include "tools/workspace/file_text.h"
#include "tools/workspace/file_tool.h"

namespace cairn::work {
namespace {

std::string_view mark(WorkKind kind) { return kind == WorkKind::kDirectory ? "[DIR]" : "[FILE]"; }

std::string_view type_of(WorkKind kind) {
  return kind == WorkKind::kDirectory ? "directory" : "file";
}

// How many of the entries an answer has room for.
template <typename Entry>
std::size_t fitting(const Work& work, const std::vector<Entry>& entries,
                    std::string Entry::* name) {
  std::int64_t room = work.answer_bytes;
  std::size_t count = 0;
  for (const auto& entry : entries) {
    room -= static_cast<std::int64_t>((entry.*name).size()) + 16;
    if (room < 0) break;
    ++count;
  }
  return count;
}

std::vector<std::string> left_out(std::size_t shown, std::size_t all) {
  if (shown == all) return {};
  return {fmt::format("{} of {} entries are shown; search_files with a pattern finds the others",
                      shown, all)};
}

Result<json::Object> run_list(const Work& work, const Arguments& arguments) {
  const auto directory = TRY(work.files.open_directory(arguments.text("path")));
  work.files.listed(*directory);
  const auto entries = TRY(directory->entries());
  const auto shown = fitting(work, entries, &WorkEntry::name);
  std::string text;
  json::Array list;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& entry = entries[i];
    if (work.manual()) {
      list.emplace_back(json::Object{{"name", as_text(entry.name)}, {"type", type_of(entry.kind)}});
      continue;
    }
    if (!text.empty()) text += '\n';
    text += mark(entry.kind);
    text += ' ';
    text += as_text(entry.name);
  }
  const auto notes = left_out(shown, entries.size());
  return work.manual() ? result(std::move(list), notes) : said(std::move(text), notes);
}

struct Sized {
  std::string name;
  std::string key;  // to sort by
  WorkKind kind;
  std::uint64_t size = 0;
  Millis modified = 0;
  std::size_t order = 0;  // in the directory
};

Result<std::vector<Sized>> sized_entries(const Work& work, const Arguments& arguments) {
  const auto directory = TRY(work.files.open_directory(arguments.text("path")));
  work.files.listed(*directory);
  std::vector<Sized> out;
  for (const auto& entry : TRY(directory->entries())) {
    Sized one{.name = as_text(entry.name), .key = {}, .kind = entry.kind};
    // A link that leads nowhere, or out, has no size.
    if (const auto info = directory->info(entry.name)) {
      one.size = info->size;
      one.modified = info->modified;
    }
    one.order = out.size();
    out.push_back(std::move(one));
  }
  if (arguments.text("sortBy") == "size") {
    std::ranges::sort(out, [](const Sized& a, const Sized& b) {
      return a.size != b.size ? a.size > b.size : a.order < b.order;
    });
    return out;
  }
  for (auto& one : out) one.key = reading_key(one.name);
  std::ranges::sort(out, [](const Sized& a, const Sized& b) {
    if (a.key != b.key) return a.key < b.key;
    if (lower_before(a.name, b.name)) return true;
    return !lower_before(b.name, a.name) && a.order < b.order;
  });
  return out;
}

std::string padded_right(std::string text, std::size_t width) {
  const auto units = utf16_units(text);
  if (units < width) text.append(width - units, ' ');
  return text;
}

Result<json::Object> run_list_with_sizes(const Work& work, const Arguments& arguments) {
  const auto entries = TRY(sized_entries(work, arguments));
  const auto shown = fitting(work, entries, &Sized::name);
  const auto notes = left_out(shown, entries.size());
  if (work.manual()) {
    json::Array list;
    for (const auto& entry : entries | std::views::take(shown)) {
      list.emplace_back(json::Object{{"name", entry.name},
                                     {"type", type_of(entry.kind)},
                                     {"size", entry.size},
                                     {"modified", iso_time(entry.modified)}});
    }
    return result(std::move(list), notes);
  }
  std::string text;
  std::size_t directories = 0;
  std::uint64_t bytes = 0;
  for (const auto& entry : entries) {
    const bool directory = entry.kind == WorkKind::kDirectory;
    if (directory) ++directories;
    if (!directory) bytes += entry.size;
    if (static_cast<std::size_t>(&entry - entries.data()) >= shown) continue;
    text += fmt::format("{} {} {}\n", mark(entry.kind), padded_right(entry.name, 30),
                        directory ? std::string() : fmt::format("{:>10}", file_size(entry.size)));
  }
  text += fmt::format("\nTotal: {} files, {} directories\nCombined size: {}",
                      entries.size() - directories, directories, file_size(bytes));
  return said(std::move(text), notes);
}

Result<json::Object> run_info(const Work& work, const Arguments& arguments) {
  const auto info = TRY(work.files.info(arguments.text("path"))).info;
  const bool directory = info.kind == WorkKind::kDirectory;
  const bool file = info.kind == WorkKind::kFile;
  const auto permissions = fmt::format("{:03o}", info.permissions & 0777U);
  if (work.manual()) {
    return json::Object{{"size", info.size},
                        {"created", iso_time(info.created)},
                        {"modified", iso_time(info.modified)},
                        {"accessed", iso_time(info.accessed)},
                        {"isDirectory", directory},
                        {"isFile", file},
                        {"permissions", permissions}};
  }
  return said(
      fmt::format("size: {}\ncreated: {}\nmodified: {}\naccessed: {}\nisDirectory: {}\nisFile: {}\n"
                  "permissions: {}",
                  info.size, long_time(info.created), long_time(info.modified),
                  long_time(info.accessed), directory, file, permissions));
}

Result<json::Object> run_roots(const Work& work, const Arguments&) {
  std::string text = "Allowed directories:";
  json::Array list;
  for (const auto& root : work.files.roots()) {
    text += "\n" + root;
    list.emplace_back(root);
  }
  return work.manual() ? result(std::move(list)) : said(std::move(text));
}

}  // namespace

std::vector<FileTool> list_tools() {
  std::vector<FileTool> out;
  out.push_back({
      .tool = {.name = "list_directory",
               .title = "List Directory",
               .description = "What is in a directory, a line each: [DIR] or [FILE] and the name.",
               .input = shape::object({{"path", path_shape("Directory")}}),
               .output = said_shape(),
               .annotations = {.read_only = true}},
      .operation = "scandir",
      .work = run_list,
  });
  out.push_back({
      .tool = {.name = "list_directory_with_sizes",
               .title = "List Directory with Sizes",
               .description = "What is in a directory, a line each with the size of files, and the "
                              "sums at the end.",
               .input = shape::object(
                   {{"path", path_shape("Directory")},
                    {"sortBy",
                     with_default(shape::choice({"name", "size"}, "By name, or the largest first"),
                                  "name"),
                     shape::kOptional}}),
               .output = said_shape(),
               .annotations = {.read_only = true}},
      .operation = "scandir",
      .work = run_list_with_sizes,
  });
  out.push_back({
      .tool = {.name = "get_file_info",
               .title = "Get File Info",
               .description = "Size, times, kind and permissions of a file or directory.",
               .input = shape::object({{"path", path_shape("File or directory")}}),
               .output = said_shape(),
               .annotations = {.read_only = true}},
      .operation = "stat",
      .work = run_info,
  });
  out.push_back({
      .tool = {.name = "list_allowed_directories",
               .title = "List Allowed Directories",
               .description =
                   "The directories that these tools work in. Everything else is out of reach.",
               .input = shape::object({}),
               .output = said_shape(),
               .annotations = {.read_only = true}},
      .operation = "stat",
      .work = run_roots,
  });
  return out;
}

}  // namespace cairn::work
