// The report on a round of a mirror, for people and for programs.
//
// Threads     one at a time.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exposure/cli/output.h"
#include "exposure/mirror/mirror.h"

namespace cairn::cli {

// One line a path, and one that counts:
//
//   -> a.txt              to the depot
//   <- b.txt (deleted)    to the directory
//   !! c.txt changed in the directory and in the depot
//   -- d (skipped: symbolic links are not followed)
class MirrorPrinter final {
 public:
  struct Options {
    bool json = false;
    bool dry_run = false;
    bool watching =
        false;  // what was said stays said, and each round that says something is a line
  };
  MirrorPrinter(Output& out, const Options& options) : out_(out), options_(options) {}

  // Sets the members that are the same in every answer.
  void describe(json::Object about) { about_ = std::move(about); }
  Result<void> print(const mirror::MirrorReport& report);

 private:
  struct Line {
    Style style;
    std::string text;
  };
  std::vector<Line> lines(const mirror::MirrorReport& report) const;
  json::Object render(const mirror::MirrorReport& report) const;
  std::string summary(const mirror::MirrorReport& report) const;

  Output& out_;
  Options options_;
  json::Object about_;
  std::set<std::string> told_;
};

// 0; that of CONFLICT when something is not in step; that of IO_ERROR when something failed.
int exit_code(const mirror::MirrorReport& report);

}  // namespace cairn::cli
