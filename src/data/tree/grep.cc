#include <algorithm>
#include <atomic>
#include <thread>

#include "base/quote.h"
#include "base/utf8.h"
#include "data/cas/file.h"
#include "data/tree/search.h"
#include "data/tree/walk.h"

namespace cairn {
namespace {

// One file to search, and its outcome.
struct Task {
  std::string path;
  NodeKey key;
  std::uint64_t size = 0;

  enum class State { kWaiting, kSearched, kBinary };
  State state = State::kWaiting;
  GrepResult::File found;
  std::optional<Error> error;
};

// The line, cut to `limit` bytes around the match, at character borders.
GrepResult::Line render_line(ByteView line, std::uint64_t number, std::size_t match_at,
                             std::size_t limit) {
  if (line.size() <= limit) return {number, line, false, false};
  // A quarter of the room goes before the match: what follows it usually says more.
  auto begin = match_at > limit / 4 ? std::min(match_at - limit / 4, line.size() - limit) : 0;
  auto is_inside = [&](std::size_t i) {
    return i < line.size() && (static_cast<unsigned char>(line[i]) & 0xC0) == 0x80;
  };
  while (begin < match_at && is_inside(begin)) ++begin;
  auto end = std::min(begin + limit, line.size());
  while (end > begin && is_inside(end)) --end;
  return {number, line.substr(begin, end - begin), true, false};
}

// The line that begins at `begin`, without its terminator.
ByteView line_at(ByteView text, std::size_t begin) {
  auto end = std::min(text.find('\n', begin), text.size());
  if (end > begin && text[end - 1] == '\r') --end;
  return text.substr(begin, end - begin);
}

std::size_t next_line(ByteView text, std::size_t begin) {
  auto newline = text.find('\n', begin);
  return newline == ByteView::npos ? text.size() : newline + 1;
}

// The beginning of the line before the one that begins at `begin` (> 0).
std::size_t previous_line(ByteView text, std::size_t begin) {
  if (begin < 2) return 0;
  auto newline = text.rfind('\n', begin - 2);
  return newline == ByteView::npos ? 0 : newline + 1;
}

class FileSearch final {
 public:
  FileSearch(const NodeReader& nodes, const Pattern& pattern, const GrepOptions& options,
             Budget& budget)
      : nodes_(nodes), searcher_(pattern), options_(options), budget_(budget) {}

  // Leaves it waiting when time is up before its end.
  Result<void> run(Task& task) {
    auto node = TRY(nodes_.get(task.key));
    if (node->kind() != Kind::kFile || node->size() != task.size) {
      return fail(Code::kCorruptNode, "the directory entry of '{}' does not fit the node {}",
                  task.path, task.key.render());
    }
    if (node->level() == 0) {
      search(node->content(), task);
      // The lines found are views into the node; it is kept for them.
      if (task.found.matches > 0) task.found.content = std::move(node);
      return {};
    }
    buffer_.clear();
    buffer_.reserve(node->size());
    TRY(read_file(nodes_, *node, 0, node->size(), [&](ByteView part) -> Result<void> {
      buffer_.append(part);
      return {};
    }));
    search(buffer_, task);
    keep_lines(task.found);
    return {};
  }

 private:
  // Copies the lines found out of the buffer, which is used again: a large file is not kept for a
  // few lines of it.
  static void keep_lines(GrepResult::File& found) {
    std::size_t size = 0;
    for (const auto& line : found.lines) size += line.text.size();
    auto kept = std::make_shared<Bytes>();
    kept->reserve(size);
    for (auto& line : found.lines) {
      auto begin = kept->size();
      kept->append(line.text);
      line.text = ByteView(*kept).substr(begin);
    }
    found.content = std::move(kept);
  }

  void search(ByteView text, Task& task) {
    if (!looks_like_text(text)) {
      task.state = Task::State::kBinary;
      return;
    }
    if (!find_matches(text, task.found.more)) return;
    task.state = Task::State::kSearched;
    if (matches_.empty()) return;
    task.found.matches = matches_.size();
    for (const auto& match : matches_) add_with_context(text, match, task.found.lines);
  }

  // In portions of whole lines: some patterns take a second for a megabyte. Whether there was time.
  bool find_matches(ByteView text, bool& more) {
    constexpr std::size_t kPortion = 64 << 10;
    matches_.clear();
    std::size_t counted = 0;
    std::uint64_t lines = 0;  // before `counted`
    for (std::size_t begin = 0, end = 0;; begin = end) {
      // Up to a line end: a match never spans lines, so no match is cut in two.
      end = text.size() - begin > kPortion ? next_line(text, begin + kPortion - 1) : text.size();
      searcher_.search(text.substr(begin, end - begin), [&](LineMatch match) {
        more = matches_.size() == options_.max_per_file;
        if (more) return false;
        // Line ends are counted only up to a match: in most files there is none.
        lines += static_cast<std::uint64_t>(
            std::ranges::count(text.substr(counted, begin - counted), '\n'));
        counted = begin;
        match.number += lines;
        for (auto* at : {&match.begin, &match.end, &match.match_begin, &match.match_end}) {
          *at += begin;
        }
        matches_.push_back(match);
        return true;
      });
      if (more || end == text.size()) return true;
      if (!budget_.in_time()) return false;
    }
  }

  void add_with_context(ByteView text, const LineMatch& match,
                        std::vector<GrepResult::Line>& lines) {
    // Lines already there end before this match; context that overlaps is added once.
    auto have = lines.empty() ? 0 : lines.back().number;
    // This match was shown as context of the one before: its line is shown again, as a match.
    if (have >= match.number) {
      while (lines.back().number > match.number) lines.pop_back();
      lines.pop_back();
      have = lines.empty() ? 0 : lines.back().number;
    }
    auto before = std::min<std::uint64_t>(options_.context, match.number - 1 - have);
    auto begin = match.begin;
    for (std::uint64_t i = 0; i < before; ++i) begin = previous_line(text, begin);
    for (auto number = match.number - before; number < match.number; ++number) {
      lines.push_back(render_line(line_at(text, begin), number, 0, options_.max_line_bytes));
      begin = next_line(text, begin);
    }
    lines.push_back(render_line(text.substr(match.begin, match.end - match.begin), match.number,
                                match.match_begin - match.begin, options_.max_line_bytes));
    lines.back().match = true;
    begin = next_line(text, match.end);
    for (std::uint64_t i = 1; i <= options_.context && begin < text.size(); ++i) {
      lines.push_back(
          render_line(line_at(text, begin), match.number + i, 0, options_.max_line_bytes));
      begin = next_line(text, begin);
    }
  }

  const NodeReader& nodes_;
  Searcher searcher_;
  const GrepOptions& options_;
  Budget& budget_;
  Bytes buffer_;
  std::vector<LineMatch> matches_;
};

bool wanted(std::string_view path, const GrepOptions& options) {
  auto matches = [&](const Glob& glob) { return glob.matches(path); };
  // Exclusion wins.
  if (std::ranges::any_of(options.exclude, matches)) return false;
  return options.include.empty() || std::ranges::any_of(options.include, matches);
}

// An excluded directory is not entered.
Walk enter(std::string_view path, const GrepOptions& options) {
  bool excluded =
      std::ranges::any_of(options.exclude, [&](const Glob& glob) { return glob.matches(path); });
  bool possible = options.include.empty() ||
                  std::ranges::any_of(options.include,
                                      [&](const Glob& glob) { return glob.may_match_below(path); });
  return excluded || !possible ? Walk::kSkip : Walk::kContinue;
}

Result<std::vector<Task>> collect(const TreeView& tree, const Located& at,
                                  const GrepOptions& options, GrepResult& result, Budget& budget) {
  std::vector<Task> tasks;
  if (!at.entry.is_dir()) {
    if (at.entry.bytes > options.max_file_bytes) {
      result.skipped_large += 1;
      return tasks;
    }
    tasks.push_back({at.path.render(), at.entry.key, at.entry.bytes, {}, {}, {}});
    return tasks;
  }
  auto prefix = at.path.is_root() ? std::string() : at.path.render() + "/";
  auto dict = TRY(open_dir(tree, at));
  TRY(walk(tree.nodes, dict, budget,
           [&](std::string_view below, const Entry& entry) -> Result<Walk> {
             if (entry.is_dir()) return enter(below, options);
             if (!wanted(below, options)) return Walk::kContinue;
             if (entry.bytes > options.max_file_bytes) {
               result.skipped_large += 1;
             } else if (entry.bytes > 0) {
               tasks.push_back({prefix + std::string(below), entry.key, entry.bytes, {}, {}, {}});
             }
             return Walk::kContinue;
           }));
  return tasks;
}

// Tasks are taken in order, a handful at a time. Every one taken is finished, unless time is up.
void run_tasks(const NodeReader& nodes, const Pattern& pattern, const GrepOptions& options,
               std::vector<Task>& tasks, Budget& budget) {
  constexpr std::size_t kHandful = 8;
  std::atomic<std::size_t> next = 0;
  std::atomic<std::uint64_t> matches = 0;
  auto work = [&] {
    FileSearch search(nodes, pattern, options, budget);
    // One more than the limit, so that the answer can say that there are more.
    while (matches <= options.max_matches && budget.in_time()) {
      auto begin = next.fetch_add(kHandful);
      if (begin >= tasks.size()) return;
      auto end = std::min(begin + kHandful, tasks.size());
      for (auto i = begin; i < end && budget.in_time(); ++i) {
        auto done = search.run(tasks[i]);
        if (!done) tasks[i].error = std::move(done).error();
        matches += tasks[i].found.matches;
      }
    }
  };
  std::vector<std::jthread> helpers;
  // A thread costs more than searching a few small files.
  auto threads = std::min<std::size_t>(std::max(options.threads, 1U), tasks.size() / 16 + 1);
  for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
}

// About what a line costs in the rendered answer.
std::int64_t rendered_bytes(const GrepResult::Line& line) {
  return static_cast<std::int64_t>(json_bytes(line.text)) + (line.cut ? 50 : 40);
}

// How much of a file's answer fits: the matches left to give, and the bytes left to render.
bool take_file(Task& task, const GrepOptions& options, GrepResult& result, Budget& budget) {
  auto& file = task.found;
  auto limit = options.max_matches - result.matches;
  std::uint64_t taken = 0;
  std::uint64_t last = 0;
  std::size_t lines = 0;
  bool whole = budget.take_bytes(static_cast<std::int64_t>(json_bytes(task.path)) + 40);
  if (!whole) return false;
  for (const auto& line : file.lines) {
    if (line.match && taken == limit) {
      whole = false;
      result.stopped_by = "matches";
      break;
    }
    if (!budget.take_bytes(rendered_bytes(line))) {
      whole = false;
      break;
    }
    taken += line.match ? 1 : 0;
    if (line.match) last = line.number;
    lines += 1;
  }
  // Context before a match that was left out goes with it.
  while (!whole && lines > 0 && file.lines[lines - 1].number > last + options.context) --lines;
  file.more = file.more || !whole;
  file.matches = taken;
  file.lines.erase(file.lines.begin() + static_cast<std::ptrdiff_t>(lines), file.lines.end());
  if (taken > 0) {
    file.path = std::move(task.path);
    file.key = task.key;
    result.matches += taken;
    result.files.push_back(std::move(file));
  }
  return whole;
}

}  // namespace

Result<GrepResult> grep(const TreeView& tree, const Path& path, const Pattern& pattern,
                        const GrepOptions& options, Budget& budget) {
  GrepResult result;
  auto at = TRY(locate(tree, path));
  auto tasks = TRY(collect(tree, at, options, result, budget));
  run_tasks(tree.nodes, pattern, options, tasks, budget);
  for (auto& task : tasks) {
    if (task.error) return Failure(std::move(*task.error));
    // Whatever was searched behind it is left out: however the threads ran, the answer is a prefix
    // of the whole one.
    if (task.state == Task::State::kWaiting) break;
    result.searched += task.state == Task::State::kSearched ? 1 : 0;
    result.skipped_binary += task.state == Task::State::kBinary ? 1 : 0;
    if (task.found.matches == 0) continue;
    if (!take_file(task, options, result, budget)) break;
  }
  if (!result.stopped_by && budget.stopped_by()) result.stopped_by = name(*budget.stopped_by());
  return result;
}

}  // namespace cairn
