// find: entries by name, path, kind and size. grep: lines of text files by pattern.
//
// Both walk a directory in path order within a budget and say why they stopped early.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "data/text/glob.h"
#include "data/text/pattern.h"
#include "data/tree/view.h"

namespace cairn {

enum class KindFilter { kAny, kFiles, kDirectories };

struct FindOptions {
  KindFilter kind = KindFilter::kAny;
  std::optional<std::uint64_t> min_size;  // files only
  std::optional<std::uint64_t> max_size;
  std::size_t max_results = 1000;
};

struct FindResult {
  struct Match {
    std::string path;  // from the root
    EntryValue value;
  };

  std::vector<Match> matches;
  std::uint64_t visited = 0;
  // Why it stopped early: "results", or a limit of the budget.
  std::optional<std::string> stopped_by;
};

// The glob is matched against paths relative to `path`.
Result<FindResult> find_entries(const TreeView& tree, const Path& path, const Glob& glob,
                                const FindOptions& options, Budget& budget);

struct GrepOptions {
  std::vector<Glob> include;  // none: everything
  std::vector<Glob> exclude;
  unsigned context = 0;  // lines before and after
  std::size_t max_per_file = 100;
  std::size_t max_matches = 1000;
  std::size_t max_line_bytes = 500;  // longer lines are cut around the match
  std::uint64_t max_file_bytes = 64 << 20;
  unsigned threads = 2;
};

struct GrepResult {
  struct Line {
    std::uint64_t number;
    std::string_view text;  // into what the file's `content` holds
    bool cut = false;       // the line was longer
    bool match = false;     // otherwise it is context
  };
  struct File {
    std::string path;  // from the root
    NodeKey key;
    std::shared_ptr<const void> content;
    std::vector<Line> lines;  // in order, context included once
    std::uint64_t matches = 0;
    bool more = false;  // max_per_file cut the rest
  };

  std::vector<File> files;
  std::uint64_t matches = 0;
  std::uint64_t searched = 0;
  std::uint64_t skipped_binary = 0;
  std::uint64_t skipped_large = 0;
  // Why it stopped early: "matches", or a limit of the budget.
  std::optional<std::string> stopped_by;
};

// `path` is a directory or one file.
Result<GrepResult> grep(const TreeView& tree, const Path& path, const Pattern& pattern,
                        const GrepOptions& options, Budget& budget);

}  // namespace cairn
