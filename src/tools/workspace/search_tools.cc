// search_files, search_content.
#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>

#include "base/budget.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "data/text/glob.h"
#include "data/text/lines.h"
#include "data/text/pattern.h"
#include "data/text/shell_glob.h"
#include "tools/executor/shape.h"
#include "tools/workspace/file_text.h"
#include "tools/workspace/file_tool.h"

namespace cairn::work {
namespace {

constexpr int kMaxDepth = 400;
constexpr std::int64_t kMaxVisited = 1'000'000;
constexpr std::int64_t kMaxResults = 10'000;
constexpr std::uint64_t kMaxSearchedBytes = 16 << 20;
constexpr std::size_t kMaxLineShown = 300;

// A pattern for paths: in the plain style as the reference server reads it, where `*.md` is in the
// start itself; in the manual's at any depth.
class PathPattern final {
 public:
  static Result<PathPattern> parse(const Work& work, const std::string& text) {
    PathPattern out;
    if (work.manual()) {
      out.anywhere_ = TRY(Glob::parse(text));
    } else {
      out.from_start_ = TRY(ShellGlob::parse(text));
    }
    return out;
  }
  static Result<std::vector<PathPattern>> parse_all(const Work& work, const Arguments& arguments,
                                                    std::string_view name) {
    std::vector<PathPattern> out;
    for (const auto& text : arguments.texts(name).value_or(std::vector<std::string>{})) {
      out.push_back(TRY(parse(work, text)));
    }
    return out;
  }

  bool matches(const std::string& path) const {
    return anywhere_ ? anywhere_->matches(path) : from_start_->matches(path);
  }

 private:
  std::optional<Glob> anywhere_;
  std::optional<ShellGlob> from_start_;
};

bool any_matches(const std::vector<PathPattern>& patterns, const std::string& path) {
  return std::ranges::any_of(patterns, [&](const auto& one) { return one.matches(path); });
}

// Everything below a directory that is not excluded, depth first, by name.
class Walk final {
 public:
  // False ends the walk.
  using Visit =
      std::function<bool(const WorkDirectory& in, const WorkEntry& entry, const std::string& path)>;

  Walk(const Work& work, std::vector<PathPattern> excluded, Visit visit)
      : excluded_(std::move(excluded)),
        visit_(std::move(visit)),
        budget_(work.clock, {.entries = kMaxVisited,
                             .bytes = work.answer_bytes,
                             .time = Work::kTime,
                             .stop = work.stop}) {}

  // The start itself has to be readable; directories further below that cannot be read are skipped.
  Result<void> run(const WorkDirectory& start) {
    TRY(below(start, "", 0));
    if (budget_.stopped_by() == Budget::Limit::kCancelled) {
      return fail(Code::kBudgetExceeded, "cancelled");
    }
    return {};
  }

  Budget& budget() { return budget_; }
  std::size_t unreadable() const { return unreadable_; }
  std::size_t too_deep() const { return too_deep_; }

 private:
  // False when the walk has ended.
  Result<bool> below(const WorkDirectory& directory, const std::string& path, int depth) {
    for (const auto& entry : TRY(directory.entries())) {
      if (!budget_.in_time() || !budget_.take_entries()) return false;
      const auto here = path.empty() ? entry.name : path + "/" + entry.name;
      // A link that leads out, or nowhere, is not there.
      if (entry.kind == WorkKind::kLink && !directory.info(entry.name)) continue;
      if (any_matches(excluded_, here)) continue;
      if (!visit_(directory, entry, here)) return false;
      if (entry.kind != WorkKind::kDirectory) continue;
      if (depth == kMaxDepth) {
        ++too_deep_;
        continue;
      }
      const auto inner = directory.enter(entry.name);
      if (!inner) {
        ++unreadable_;
        continue;
      }
      const auto went_on = below(**inner, here, depth + 1);
      if (!went_on) ++unreadable_;
      if (went_on && !*went_on) return false;
    }
    return true;
  }

  std::vector<PathPattern> excluded_;
  Visit visit_;
  Budget budget_;
  std::size_t unreadable_ = 0;
  std::size_t too_deep_ = 0;
};

std::string below_place(const std::string& place, const std::string& path) {
  return place.ends_with('/') ? place + path : place + "/" + path;
}

std::vector<std::string> notes_of(Walk& walk, bool enough, std::size_t found,
                                  std::string_view what) {
  std::vector<std::string> out;
  const auto stopped = walk.budget().stopped_by();
  if (enough || stopped) {
    std::string_view why = "maxResults";
    if (stopped == Budget::Limit::kTime) why = "its 10 seconds";
    if (stopped == Budget::Limit::kBytes) why = "the room for an answer";
    if (stopped == Budget::Limit::kEntries) why = "a million entries looked at";
    out.push_back(fmt::format(
        "stopped at {} {} by {}: there may be more. Search in a directory further below, or with "
        "a narrower pattern.",
        found, what, why));
  }
  if (walk.unreadable() > 0) {
    out.push_back(fmt::format("{} directories could not be read", walk.unreadable()));
  }
  if (walk.too_deep() > 0) {
    out.push_back(fmt::format("{} directories are more than {} levels below; start further below",
                              walk.too_deep(), kMaxDepth));
  }
  return out;
}

Result<json::Object> run_search_files(const Work& work, const Arguments& arguments) {
  const auto start = TRY(work.files.open_directory(arguments.text("path")));
  const auto pattern = TRY(PathPattern::parse(work, std::string(arguments.text("pattern"))));
  const auto most = static_cast<std::size_t>(arguments.number("maxResults", kMaxResults));
  std::vector<std::string> found;
  bool enough = false;
  std::optional<Walk> walk;
  walk.emplace(
      work, TRY(PathPattern::parse_all(work, arguments, "excludePatterns")),
      [&](const WorkDirectory&, const WorkEntry&, const std::string& path) {
        if (!pattern.matches(path)) return true;
        enough = found.size() == most;
        auto place = as_text(below_place(start->place(), path));
        if (enough || !walk->budget().take_bytes(static_cast<std::int64_t>(place.size()) + 1)) {
          return false;
        }
        found.push_back(std::move(place));
        return true;
      });
  TRY(walk->run(*start));
  const auto notes = notes_of(*walk, enough, found.size(), "matches");
  if (work.manual()) {
    json::Array list;
    for (const auto& place : found) list.emplace_back(work.files.relative(place));
    return result(std::move(list), notes);
  }
  std::string text = found.empty() ? "No matches found" : "";
  for (const auto& place : found) {
    if (!text.empty()) text += '\n';
    text += place;
  }
  return said(std::move(text), notes);
}

// Looks for lines in one file after another.
class ContentSearch final {
 public:
  ContentSearch(const Pattern& pattern, std::size_t most) : searcher_(pattern), most_(most) {}

  // False when there is no room for more.
  bool look(const WorkFile& file, const std::string& path, Budget& budget) {
    if (file.info().size > kMaxSearchedBytes) {
      ++too_large_;
      return true;
    }
    const auto text = read_all(file);
    if (!text) {
      cannot_be_read();
      return true;
    }
    if (!looks_like_text(*text)) {
      ++binary_;
      return true;
    }
    ++searched_;
    bool room = true;
    searcher_.search(*text, [&](const LineMatch& match) {
      const auto line = ByteView(*text).substr(match.begin, match.end - match.begin);
      auto told = fmt::format("{}:{}: {}", path, match.number, printable(line, kMaxLineShown));
      enough_ = lines_.size() == most_;
      room = !enough_ && budget.take_bytes(static_cast<std::int64_t>(told.size()) + 1);
      if (room) lines_.push_back(std::move(told));
      return room;
    });
    return room;
  }

  const std::vector<std::string>& lines() const { return lines_; }
  std::size_t searched() const { return searched_; }
  void cannot_be_read() { ++unreadable_; }
  // The parts that were not searched, and why.
  std::vector<std::string> notes() const {
    std::vector<std::string> out;
    if (too_large_ > 0) {
      out.push_back(
          fmt::format("{} files over {} bytes were not searched", too_large_, kMaxSearchedBytes));
    }
    if (unreadable_ > 0) out.push_back(fmt::format("{} files could not be read", unreadable_));
    if (binary_ > 0)
      out.push_back(fmt::format("{} files that are not text were left out", binary_));
    return out;
  }
  bool enough() const { return enough_; }

 private:
  Searcher searcher_;
  std::size_t most_;
  std::vector<std::string> lines_;
  std::size_t searched_ = 0;
  std::size_t too_large_ = 0;
  std::size_t unreadable_ = 0;
  std::size_t binary_ = 0;
  bool enough_ = false;
};

Result<Pattern> line_pattern(const Arguments& arguments) {
  return Pattern::compile(arguments.text("pattern"), {.regex = arguments.flag("regex"),
                                                      .ignore_case = arguments.flag("ignoreCase"),
                                                      .as_text = "leave 'regex' out"});
}

Result<json::Object> run_search_content(const Work& work, const Arguments& arguments) {
  const auto start = TRY(work.files.open_directory(arguments.text("path")));
  const auto pattern = TRY(line_pattern(arguments));
  std::optional<Glob> files;
  if (const auto text = arguments.maybe_text("files")) files = TRY(Glob::parse(*text));
  ContentSearch search(pattern, static_cast<std::size_t>(arguments.number("maxResults", 1000)));
  std::optional<Walk> walk;
  walk.emplace(work, TRY(PathPattern::parse_all(work, arguments, "excludePatterns")),
               [&](const WorkDirectory& in, const WorkEntry& entry, const std::string& path) {
                 if (entry.kind != WorkKind::kFile || (files && !files->matches(path))) return true;
                 const auto file = in.open(entry.name);
                 if (!file) {
                   search.cannot_be_read();
                   return true;
                 }
                 const auto place = as_text(below_place(start->place(), path));
                 return search.look(**file, work.manual() ? work.files.relative(place) : place,
                                    walk->budget());
               });
  TRY(walk->run(*start));
  auto notes = notes_of(*walk, search.enough(), search.lines().size(), "lines");
  std::ranges::copy(search.notes(), std::back_inserter(notes));
  if (work.manual()) {
    json::Array list;
    for (const auto& line : search.lines()) list.emplace_back(line);
    return result(std::move(list), notes);
  }
  std::string text = search.lines().empty()
                         ? fmt::format("No matches found in {} text files", search.searched())
                         : std::string();
  for (const auto& line : search.lines()) {
    if (!text.empty()) text += '\n';
    text += line;
  }
  return said(std::move(text), notes);
}

shape::Field excluded_field() {
  return {"excludePatterns",
          with_default(shape::list_of(shape::text(), "Globs of what to leave out"), json::Array()),
          shape::kOptional};
}

}  // namespace

std::vector<FileTool> search_tools() {
  std::vector<FileTool> out;
  out.push_back({
      .tool =
          {.name = "search_files",
           .title = "Search Files",
           .description =
               "Finds files and directories by a glob on their path below the start: '*.md' is in "
               "the "
               "start itself, '**/*.md' anywhere. Answers with full paths, and says when there is "
               "more.",
           .input =
               shape::object({{"path", path_shape("Directory to start in")},
                              {"pattern", shape::text("Glob")},
                              excluded_field(),
                              {"maxResults", shape::integer("At most (default 10,000)", 1, 100'000),
                               shape::kOptional}}),
           .output = said_shape(),
           .annotations = {.read_only = true}},
      .operation = "scandir",
      .work = run_search_files,
  });
  out.push_back({
      .tool = {.name = "search_content",
               .title = "Search Content",
               .description = "Finds lines in text files: those that hold a text, or match a "
                              "regular expression. A "
                              "line each: path, line number, line.",
               .input = shape::object(
                   {{"path", path_shape("Directory to start in")},
                    {"pattern", shape::text("What to look for")},
                    {"regex", shape::flag("The pattern is a regular expression (RE2)"),
                     shape::kOptional},
                    {"ignoreCase", shape::flag(), shape::kOptional},
                    {"files", shape::text("Only files that match this glob, such as *.md"),
                     shape::kOptional},
                    excluded_field(),
                    {"maxResults", shape::integer("Lines at most (default 1,000)", 1, 100'000),
                     shape::kOptional}}),
               .output = said_shape(),
               .annotations = {.read_only = true}},
      .operation = "scandir",
      .work = run_search_content,
  });
  return out;
}

}  // namespace cairn::work
