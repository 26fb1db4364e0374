#include "data/tree/file_search.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/utf8.h"
#include "data/cas/file.h"

namespace cairn {
namespace {

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

}  // namespace

Result<void> FileSearch::run(GrepTask& task) {
  auto node = TRY(nodes_.get(task.key));
  if (node->kind() != Kind::kFile || node->size() != task.size) {
    return fail(Code::kCorruptNode, "the directory entry of '{}' does not fit the node {}",
                task.path, task.key.render());
  }
  if (node->level() == 0) {
    search(node->content(), task);
    // The lines found are views into the node; it is kept for them.
    if (!task.found.lines.empty()) task.found.content = std::move(node);
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

// Copies the lines found out of the buffer, which is used again: a large file is not kept for a
// few lines of it.
void FileSearch::keep_lines(GrepResult::File& found) {
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

void FileSearch::search(ByteView text, GrepTask& task) {
  if (!looks_like_text(text)) {
    task.state = GrepTask::State::kBinary;
    return;
  }
  if (!find_matches(text, task.found.more)) return;
  task.state = GrepTask::State::kSearched;
  if (matches_.empty()) return;
  auto& lines = task.found.lines;
  for (const auto& match : matches_) add_with_context(text, match, lines);
  // The context of what was given before is part of what was given, so the lines are told apart
  // when all of them are known.
  std::erase_if(lines, [&](const auto& line) { return line.number <= task.after; });
  task.found.matches = static_cast<std::uint64_t>(
      std::ranges::count_if(lines, [](const auto& line) { return line.match; }));
}

// In portions of whole lines: some patterns take a second for a megabyte. Whether there was time.
bool FileSearch::find_matches(ByteView text, bool& more) {
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

void FileSearch::add_with_context(ByteView text, const LineMatch& match,
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

}  // namespace cairn
