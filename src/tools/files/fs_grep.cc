#include <algorithm>
#include <optional>
#include <utility>

#include "data/tree/search.h"
#include "tools/files/fs.h"
#include "tools/files/portion.h"
#include "tools/files/search_cursor.h"
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

// Of one file in an answer for agents: the others are not to be crowded out.
constexpr std::int64_t kMaxPerFile = 100;
constexpr std::int64_t kMaxResults = 200;

json::Object render(const GrepResult::Line& line) {
  json::Object row;
  row["line"] = line.number;
  row["text"] = line.text;
  if (!line.match) row["context"] = true;
  if (line.cut) row["cut"] = true;
  return row;
}

json::Object render(const GrepResult::File& file) {
  json::Object out;
  out["path"] = file.path;
  json::Array lines;
  for (const auto& line : file.lines) lines.emplace_back(render(line));
  out["lines"] = std::move(lines);
  if (file.more) out["more"] = true;
  return out;
}

void add_counts(json::Object& out, std::uint64_t matches, const GrepResult::Counts& counts) {
  out["matches"] = matches;
  out["searched"] = counts.searched;
  if (counts.skipped_binary > 0) out["skippedBinary"] = counts.skipped_binary;
  if (counts.skipped_large > 0) out["skippedLarge"] = counts.skipped_large;
  if (counts.skipped_deep > 0) out["skippedDeep"] = counts.skipped_deep;
}

Result<Pattern> pattern_of(const Arguments& arguments) {
  return Pattern::compile(arguments.text("pattern"), {.regex = !arguments.flag("literal"),
                                                      .ignore_case = arguments.flag("ignoreCase"),
                                                      .whole_word = arguments.flag("wholeWord")});
}

Result<GrepOptions> options_of(const Arguments& arguments) {
  GrepOptions options;
  options.include = TRY(globs(arguments, "include"));
  options.exclude = TRY(globs(arguments, "exclude"));
  options.context = static_cast<unsigned>(arguments.number("context", 0));
  return options;
}

// Of many files each gets its share of an agent's answer; one that is asked for by its path has all
// of it.
std::size_t most_of_a_file(const Call& call, const Arguments& arguments, const Located& at) {
  const bool shared = call.entrance() == Entrance::kMcp && at.entry.is_dir();
  if (!shared && !arguments.has("maxPerFile")) return SIZE_MAX;
  return static_cast<std::size_t>(arguments.number("maxPerFile", kMaxPerFile));
}

// Going on does not give what is over a file's share: the last answer says so too.
void add_left_out(json::Object& out, bool before) {
  auto hint =
      fmt::format("maxPerFile cut files marked more{}; give one as path, or a larger maxPerFile",
                  before ? ", here or in an answer before" : "");
  if (const auto* rest = json::find(out, "hint")) {
    hint = fmt::format("{}; {}", json::text(*rest), hint);
  }
  out["hint"] = std::move(hint);
}

Result<Reply> run_fs_grep(Call& call, const Arguments& arguments) {
  auto [opened, cursor] = TRY(fs::open_search(call, arguments));
  const auto pattern = TRY(pattern_of(arguments));
  auto options = TRY(options_of(arguments));
  options.max_matches = static_cast<std::size_t>(arguments.number("maxResults", kMaxResults));
  const auto path = TRY(fs::path_of(arguments));
  options.max_per_file = most_of_a_file(call, arguments, TRY(locate(opened.tree, path)));
  const bool left_out_before = cursor && cursor->left_out;
  if (cursor) options.after = {std::move(cursor->path), cursor->line};
  Budget budget(call.clock(), call.limits());
  auto found = TRY(grep(opened.tree, path, pattern, options, budget));
  const bool left_out = left_out_before || found.left_out;
  json::Array files;
  for (const auto& file : found.files) files.emplace_back(render(file));
  json::Object out;
  out["files"] = std::move(files);
  add_counts(out, found.matches, found.counts);
  out["truncated"] = found.stopped_by || left_out;
  if (found.stopped_by) {
    fs::add_rest(out, call, arguments, *found.stopped_by,
                 {opened.target.root, found.reached.line, std::move(found.reached.path), left_out},
                 "narrow the pattern, path or include");
  }
  if (left_out) add_left_out(out, left_out_before);
  return Reply(std::move(out));
}

// One row for each line, in the order of the files.
class GrepRows final : public Rows {
 public:
  GrepRows(const Call& call, std::uint64_t most)
      : budget_(call.clock(), call.open_limits()), left_(most) {}

  Result<void> begin(const TreeView& tree, const Path& path, const Pattern& pattern,
                     const GrepOptions& options) {
    search_ = TRY(GrepSearch::begin(tree, path, pattern, options, budget_));
    return {};
  }

  Result<std::optional<json::Array>> next() override {
    if (ended_) return std::nullopt;
    fs::Portion out;
    bool searched = false;
    while (!ended_ && !out.full()) {
      if (file_ && line_ < file_->lines.size()) {
        add_lines(out);
        continue;
      }
      file_ = TRY(search_->take());
      line_ = 0;
      if (file_) continue;
      // Whoever reads need not wait for the next batch; and after one without a match hears that
      // there is none yet.
      if (!out.empty() || std::exchange(searched, true)) break;
      if (!TRY(search_->search())) end(out);
    }
    return out.take();
  }

 private:
  void add_lines(fs::Portion& out) {
    for (; line_ < file_->lines.size() && !out.full(); ++line_) {
      const auto& line = file_->lines[line_];
      if (line.match && left_ == 0) {
        cut_ = true;
        end(out);
        return;
      }
      json::Object row;
      row["path"] = file_->path;
      for (auto& member : render(line)) row.emplace(member.key(), std::move(member.value()));
      out.add(std::move(row), file_->path.size() + line.text.size() + 50);
      if (!line.match) continue;
      matches_ += 1;
      left_ -= 1;
    }
  }

  void end(fs::Portion& out) {
    ended_ = true;
    json::Object summary;
    add_counts(summary, matches_, search_->counts());
    summary["truncated"] = cut_ || budget_.stopped_by();
    if (cut_) summary["stoppedBy"] = "matches";
    if (auto limit = budget_.stopped_by()) summary["stoppedBy"] = name(*limit);
    out.add(json::Object{{"summary", std::move(summary)}}, 0);
  }

  Budget budget_;
  std::uint64_t left_;
  std::optional<GrepSearch> search_;
  std::optional<GrepResult::File> file_;
  std::size_t line_ = 0;  // of the file, the next one
  std::uint64_t matches_ = 0;
  bool cut_ = false;
  bool ended_ = false;
};

Result<std::unique_ptr<Rows>> rows(Call& call, const Arguments& arguments) {
  auto [opened, cursor] = TRY(fs::open_search(call, arguments));
  const auto pattern = TRY(pattern_of(arguments));
  auto options = TRY(options_of(arguments));
  options.max_line_bytes = SIZE_MAX;
  options.max_per_file = static_cast<std::size_t>(arguments.number("maxPerFile", INT64_MAX));
  if (cursor) options.after = {std::move(cursor->path), cursor->line};
  auto out = std::make_unique<GrepRows>(
      call, static_cast<std::uint64_t>(arguments.number("maxResults", INT64_MAX)));
  TRY(out->begin(opened.tree, TRY(fs::path_of(arguments)), pattern, options));
  return out;
}

}  // namespace

Tool fs_grep() {
  return {
      .name = "fs_grep",
      .title = "Search in files",
      .description =
          "Lines of text files that match a regular expression (RE2), by file. literal: plain "
          "text such as 'foo(bar)'. nextCursor: there is more.",
      .input = shape::object(
          {fs::node_key(),
           {"pattern", shape::text("", Pattern::kMaxBytes)},
           fs::path("Directory or file; default: all", shape::kOptional),
           {"literal", shape::flag(), shape::kOptional},
           {"ignoreCase", shape::flag(), shape::kOptional},
           {"wholeWord", shape::flag(), shape::kOptional},
           {"include", shape::list_of(shape::text(), "Globs: ['*.ts']", 100), shape::kOptional},
           {"exclude", shape::list_of(shape::text(), "Globs to leave out", 100), shape::kOptional},
           {"context", shape::integer("Lines around", 0, 20), shape::kOptional},
           {"maxResults", shape::integer("Default 200", 1, 1'000'000), shape::kOptional},
           {"maxPerFile", shape::integer("Default 100", 1, 1'000'000), shape::kOptional},
           fs::cursor()}),
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
           {"skippedDeep", shape::integer("Directories nested too deep to be looked into"),
            shape::kOptional},
           {"truncated", shape::flag()},
           {"stoppedBy", shape::text("matches, entries, bytes or time"), shape::kOptional},
           fs::next_cursor(),
           {"hint", shape::text(), shape::kOptional}}),
      .annotations = {.read_only = true, .idempotent = true},
      .audited = {"nodeKey", "path"},
      .run = run_fs_grep,
      .rows = rows,
  };
}

}  // namespace cairn
