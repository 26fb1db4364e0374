#include "data/text/unified_diff.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <span>

#include <fmt/format.h>
#include <git2.h>

#include "data/text/lines.h"

namespace cairn {
namespace {

struct PatchFree {
  void operator()(git_patch* patch) const { git_patch_free(patch); }
};
using Patch = std::unique_ptr<git_patch, PatchFree>;

// libgit2 fails only when it is out of memory: the texts are ours, no repository is involved.
void require(int status) {
  if (status < 0) throw std::bad_alloc();
}

Patch make_patch(ByteView before, ByteView after, unsigned context) {
  static const int initialised = git_libgit2_init();
  require(initialised);
  git_diff_options options{};
  require(git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION));
  options.flags = GIT_DIFF_FORCE_TEXT | GIT_DIFF_INDENT_HEURISTIC;
  options.context_lines = context;
  git_patch* patch = nullptr;
  require(git_patch_from_buffers(&patch, before.data(), before.size(), nullptr, after.data(),
                                 after.size(), nullptr, &options));
  return Patch(patch);
}

bool needs_quotes(ByteView name) {
  return std::ranges::any_of(name, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '"' || c == '\\';
  });
}

std::string quoted(ByteView name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (needs_quotes({&c, 1})) {
      fmt::format_to(std::back_inserter(out), "\\{:03o}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

// A tab ends a name with spaces, which `patch` would otherwise cut short.
std::string rendered_name(ByteView name) {
  if (needs_quotes(name)) return quoted(name);
  return name.contains(' ') ? fmt::format("{}\t", name) : std::string(name);
}

struct Range {
  std::size_t start;  // counted from 1; of an empty range, the line before it
  std::size_t count;
};

Range range(int start, int count) {
  return {static_cast<std::size_t>(start), static_cast<std::size_t>(count)};
}

std::string rendered(Range range) {
  return range.count == 1 ? fmt::format("{}", range.start)
                          : fmt::format("{},{}", range.start, range.count);
}

void append_header(std::string& out, Range before, Range after) {
  fmt::format_to(std::back_inserter(out), "@@ -{} +{} @@\n", rendered(before), rendered(after));
}

void append_line(std::string& out, const git_diff_line& line) {
  const bool marks_missing_newline = line.origin == GIT_DIFF_LINE_CONTEXT_EOFNL ||
                                     line.origin == GIT_DIFF_LINE_ADD_EOFNL ||
                                     line.origin == GIT_DIFF_LINE_DEL_EOFNL;
  if (!marks_missing_newline) out += line.origin;
  out.append(line.content, line.content_len);
}

void append_hunks(std::string& out, git_patch* patch) {
  for (std::size_t h = 0; h < git_patch_num_hunks(patch); ++h) {
    const git_diff_hunk* hunk = nullptr;
    std::size_t lines = 0;
    require(git_patch_get_hunk(&hunk, &lines, patch, h));
    append_header(out, range(hunk->old_start, hunk->old_lines),
                  range(hunk->new_start, hunk->new_lines));
    for (std::size_t i = 0; i < lines; ++i) {
      const git_diff_line* line = nullptr;
      require(git_patch_get_line_in_hunk(&line, patch, h, i));
      append_line(out, *line);
    }
  }
}

void append_lines(std::string& out, char sign, std::span<const ByteView> lines) {
  for (const auto line : lines) {
    out += sign;
    out += line;
    if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
  }
}

// All that differs as one hunk.
void append_whole_change(std::string& out, ByteView before, ByteView after, std::size_t context) {
  const auto old_lines = split_lines(before);
  const auto new_lines = split_lines(after);
  const auto change = whole_change(old_lines, new_lines);
  const auto begin = change.first - std::min(change.first, context);
  const auto above = change.first - begin;
  const auto old_end = change.first + change.removed;
  const auto below = std::min(old_lines.size() - old_end, context);
  auto range_of = [&](std::size_t changed) {
    const auto count = above + changed + below;
    return Range{begin + (count > 0 ? 1 : 0), count};
  };
  const std::span old_span(old_lines);
  append_header(out, range_of(change.removed), range_of(change.added));
  append_lines(out, ' ', old_span.subspan(begin, above));
  append_lines(out, '-', old_span.subspan(change.first, change.removed));
  append_lines(out, '+', std::span(new_lines).subspan(change.first, change.added));
  append_lines(out, ' ', old_span.subspan(old_end, below));
}

}  // namespace

std::string unified_diff(ByteView before, ByteView after, const DiffOptions& options) {
  if (before == after) return {};
  auto out = fmt::format("--- {}\n+++ {}\n", rendered_name(options.old_name),
                         rendered_name(options.new_name));
  if (too_long_to_compare(before, after)) {
    append_whole_change(out, before, after, options.context);
  } else {
    append_hunks(out, make_patch(before, after, options.context).get());
  }
  return out;
}

std::vector<LinePatch> line_patches(ByteView before, ByteView after) {
  std::vector<LinePatch> out;
  if (before == after) return out;
  if (too_long_to_compare(before, after)) {
    const auto change = whole_change(split_lines(before), split_lines(after));
    out.push_back({change.first, change.removed, change.first, change.added});
    return out;
  }
  const auto patch = make_patch(before, after, 0);
  for (std::size_t h = 0; h < git_patch_num_hunks(patch.get()); ++h) {
    const git_diff_hunk* hunk = nullptr;
    require(git_patch_get_hunk(&hunk, nullptr, patch.get(), h));
    const auto removed = range(hunk->old_start, hunk->old_lines);
    const auto added = range(hunk->new_start, hunk->new_lines);
    // Of an empty range the start is the line before it, which is where it is, counted from 0.
    out.push_back({removed.start - (removed.count > 0 ? 1 : 0), removed.count,
                   added.start - (added.count > 0 ? 1 : 0), added.count});
  }
  return out;
}

LineStats line_stats(ByteView before, ByteView after) {
  if (before == after) return {};
  if (too_long_to_compare(before, after)) {
    const auto change = whole_change(split_lines(before), split_lines(after));
    return {.added = change.added, .removed = change.removed};
  }
  const auto patch = make_patch(before, after, 0);
  LineStats stats;
  require(git_patch_line_stats(nullptr, &stats.added, &stats.removed, patch.get()));
  return stats;
}

}  // namespace cairn
