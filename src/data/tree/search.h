// find: entries by name, path, kind and size. grep: lines of text files by pattern.
//
// Both walk a directory in path order within a budget and say why they stopped early.
#pragma once

#include <cstdint>
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
  // Goes on behind this path, which is relative to where the search begins.
  std::string after = {};
  Rendering rendering = {};
};

struct FindResult {
  struct Match {
    std::string path;  // from the root
    EntryValue value;
  };

  std::vector<Match> matches;
  std::uint64_t visited = 0;
  std::uint64_t skipped_deep = 0;  // directories too deep to be looked into (walk.h)
  // Why it stopped early: "results", or a limit of the budget.
  std::optional<std::string> stopped_by;
  // Behind what was looked at: a search after it finds the rest. Not always a path (walk.h).
  std::string reached;
};

// The glob is matched against paths relative to `path`.
Result<FindResult> find_entries(const TreeView& tree, const Path& path, const Glob& glob,
                                const FindOptions& options, Budget& budget);

// How far a grep came: up to a line of a file, or to the end of it.
struct GrepPosition {
  static constexpr std::uint64_t kAll = UINT64_MAX;

  std::string path;  // from the root; empty: nothing yet
  std::uint64_t line = kAll;

  bool operator==(const GrepPosition&) const = default;
};

struct GrepOptions {
  std::vector<Glob> include;  // none: everything
  std::vector<Glob> exclude;
  unsigned context = 0;  // lines before and after
  std::size_t max_per_file = 100;
  std::size_t max_matches = 1000;
  std::size_t max_line_bytes = 500;  // longer lines are cut around the match
  std::uint64_t max_file_bytes = 64 << 20;
  unsigned threads = 2;
  GrepPosition after = {};  // goes on behind it
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

  // What was looked at, and what was not.
  struct Counts {
    std::uint64_t searched = 0;
    std::uint64_t skipped_binary = 0;
    std::uint64_t skipped_large = 0;
    std::uint64_t skipped_deep = 0;  // directories
  };

  std::vector<File> files;
  std::uint64_t matches = 0;
  bool left_out = false;  // max_per_file cut a file: going on does not give the rest of it
  Counts counts;
  // Why it stopped early: "matches", or a limit of the budget.
  std::optional<std::string> stopped_by;
  // How far it came.
  GrepPosition reached;
};

// `path` is a directory or one file.
Result<GrepResult> grep(const TreeView& tree, const Path& path, const Pattern& pattern,
                        const GrepOptions& options, Budget& budget);

// The same for whoever takes the files one after the other, however many there are: what is held at
// a time is bounded.
//
// Threads     one at a time.
class GrepSearch final {
 public:
  // REQUIRES: the nodes of the tree and the budget outlive it.
  static Result<GrepSearch> begin(const TreeView& tree, const Path& path, const Pattern& pattern,
                                  const GrepOptions& options, Budget& budget);
  GrepSearch(GrepSearch&&) noexcept;
  GrepSearch& operator=(GrepSearch&&) noexcept;
  ~GrepSearch();

  // Searches a batch of files, so that there is something to take, unless nothing in them matches.
  // False: there are no more, or the budget ended it.
  // `enough` matches end it early: more than that are not needed now.
  Result<bool> search(std::uint64_t enough = UINT64_MAX);
  // The next file with a match, in path order; nullopt when search() has to go on.
  Result<std::optional<GrepResult::File>> take();

  const GrepResult::Counts& counts() const;
  // Behind the last file that was taken, and those without a match before the next.
  const GrepPosition& reached() const;

 private:
  class Inner;
  explicit GrepSearch(std::unique_ptr<Inner> inner);
  std::unique_ptr<Inner> inner_;
};

}  // namespace cairn
