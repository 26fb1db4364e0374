// Searching one file for lines: the part of grep that a thread does on its own.
//
// Threads     one each; the budget is shared.
// Fails with  CORRUPT_NODE, and what the reader fails with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/tree/search.h"

namespace cairn {

// One file to search, and its outcome.
struct GrepTask {
  std::string path;
  NodeKey key;
  std::uint64_t size = 0;
  std::uint64_t after = 0;  // lines up to this one were given already

  enum class State { kWaiting, kSearched, kBinary };
  State state = State::kWaiting;
  GrepResult::File found = {};
  std::optional<Error> error = {};
};

class FileSearch final {
 public:
  // REQUIRES: all of them outlive it.
  FileSearch(const NodeReader& nodes, const Pattern& pattern, const GrepOptions& options,
             Budget& budget)
      : nodes_(nodes), searcher_(pattern), options_(options), budget_(budget) {}

  // Leaves it waiting when time is up before its end.
  Result<void> run(GrepTask& task);

 private:
  static void keep_lines(GrepResult::File& found);
  void search(ByteView text, GrepTask& task);
  bool find_matches(ByteView text, bool& more);
  void add_with_context(ByteView text, const LineMatch& match,
                        std::vector<GrepResult::Line>& lines);

  const NodeReader& nodes_;
  Searcher searcher_;
  const GrepOptions& options_;
  Budget& budget_;
  Bytes buffer_;
  std::vector<LineMatch> matches_;
};

}  // namespace cairn
