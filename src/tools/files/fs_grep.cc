#include "data/tree/search.h"
#include "tools/files/fs.h"
#include "tools/files/tools.h"

namespace cairn {
namespace {

Result<std::vector<Glob>> globs(const Arguments& arguments, std::string_view name) {
  std::vector<Glob> out;
  for (const auto& text : arguments.texts(name).value_or(std::vector<std::string>())) {
    out.push_back(TRY(Glob::parse(text)));
  }
  return out;
}

json::Object render(const GrepResult::File& file) {
  json::Object out;
  out["path"] = file.path;
  json::Array lines;
  for (const auto& line : file.lines) {
    json::Object row;
    row["line"] = line.number;
    row["text"] = line.text;
    if (!line.match) row["context"] = true;
    if (line.cut) row["cut"] = true;
    lines.emplace_back(std::move(row));
  }
  out["lines"] = std::move(lines);
  if (file.more) out["more"] = true;
  return out;
}

Result<Reply> run(Call& call, const Arguments& arguments) {
  auto opened = TRY(fs::open(call, arguments));
  auto pattern =
      TRY(Pattern::compile(arguments.text("pattern"), {.regex = !arguments.flag("literal"),
                                                       .ignore_case = arguments.flag("ignoreCase"),
                                                       .whole_word = arguments.flag("wholeWord")}));
  GrepOptions options;
  options.include = TRY(globs(arguments, "include"));
  options.exclude = TRY(globs(arguments, "exclude"));
  options.context = static_cast<unsigned>(arguments.number("context", 0));
  options.max_matches = static_cast<std::size_t>(arguments.number("maxResults", 200));
  const auto path = TRY(fs::path_of(arguments));
  // Of many files each gets its share; one that is asked for by its path has all of it.
  if (!TRY(locate(opened.tree, path)).entry.is_dir()) options.max_per_file = options.max_matches;
  Budget budget(call.clock(), call.limits());
  auto found = TRY(grep(opened.tree, path, pattern, options, budget));
  json::Array files;
  bool more = false;
  for (const auto& file : found.files) {
    files.emplace_back(render(file));
    more = more || file.more;
  }
  json::Object out;
  out["files"] = std::move(files);
  out["matches"] = found.matches;
  out["searched"] = found.searched;
  if (found.skipped_binary > 0) out["skippedBinary"] = found.skipped_binary;
  if (found.skipped_large > 0) out["skippedLarge"] = found.skipped_large;
  out["truncated"] = found.stopped_by || more;
  if (found.stopped_by) {
    out["stoppedBy"] = *found.stopped_by;
    out["hint"] = "narrow the pattern, path or include, or ask for more with maxResults";
  } else if (more) {
    out["hint"] = "a file marked more has further matches; give it as path to see them";
  }
  return Reply(std::move(out));
}

}  // namespace

Tool fs_grep() {
  return {
      .name = "fs_grep",
      .title = "Search in files",
      .description =
          "Lines of text files that match a regular expression (RE2), with their "
          "line numbers, by file. Set literal for plain text such as 'foo(bar)'. When truncated "
          "is true there are more.",
      .input = shape::object(
          {fs::node_key(),
           {"pattern", shape::text("Regular expression", Pattern::kMaxBytes)},
           fs::path("Directory or file; default: all", shape::kOptional),
           {"literal", shape::flag(), shape::kOptional},
           {"ignoreCase", shape::flag(), shape::kOptional},
           {"wholeWord", shape::flag(), shape::kOptional},
           {"include", shape::list_of(shape::text(), "Globs of files to search: ['*.ts']", 100),
            shape::kOptional},
           {"exclude", shape::list_of(shape::text(), "Globs of files to leave out", 100),
            shape::kOptional},
           {"context", shape::integer("Lines around each match", 0, 20), shape::kOptional},
           {"maxResults", shape::integer("Matches at most (default 200)", 1, 10'000),
            shape::kOptional}}),
      .output = shape::object(
          {{"files",
            shape::list_of(shape::object(
                {{"path", shape::text()},
                 {"lines", shape::list_of(shape::object(
                               {{"line", shape::integer("Counted from 1")},
                                {"text", shape::text()},
                                {"context", shape::flag("Not a match itself"), shape::kOptional},
                                {"cut", shape::flag("The line is longer"), shape::kOptional}}))},
                 {"more", shape::flag("This file has more matches"), shape::kOptional}}))},
           {"matches", shape::integer("Matching lines")},
           {"searched", shape::integer("Files searched")},
           {"skippedBinary", shape::integer(), shape::kOptional},
           {"skippedLarge", shape::integer(), shape::kOptional},
           {"truncated", shape::flag()},
           {"stoppedBy", shape::text("matches, entries, bytes or time"), shape::kOptional},
           {"hint", shape::text(), shape::kOptional}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audited = {"nodeKey", "path"},
      .run = run,
  };
}

}  // namespace cairn
