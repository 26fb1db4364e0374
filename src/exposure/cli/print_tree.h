// A tree from its rows (fs_tree, application/x-ndjson): as people see it, and as one document.
//
// Threads     one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exposure/cli/output.h"

namespace cairn::cli {

// Prints rows as they come, with lines from each directory to what is in it. The first row is the
// directory that holds all others, and is not printed.
class TreePrinter final {
 public:
  explicit TreePrinter(Output& out) : out_(out) {}
  void add(const json::Object& row);
  // Whether some directories were left closed.
  bool collapsed() const { return collapsed_; }

 private:
  struct Level {
    std::int64_t left = 0;  // entries still to come
    std::string indent;
  };

  Output& out_;
  std::vector<Level> levels_;  // the directories that are open, the outermost first
  bool begun_ = false;
  bool collapsed_ = false;
};

// Prints the one answer that fs_tree gives. Returns whether some directories were left closed.
bool print_tree(Output& out, const json::Object& tree);

// Puts rows together to the one answer that fs_tree gives: each directory with its children.
class TreeDocument final {
 public:
  void add(const json::Object& row);
  // The whole; once.
  json::Object take(bool truncated);

 private:
  struct Level {
    std::string name;
    json::Object object;
    json::Object children;
    std::int64_t left = 0;
  };
  // Puts the innermost directory into the one around it.
  void close();

  std::vector<Level> levels_;
};

}  // namespace cairn::cli
