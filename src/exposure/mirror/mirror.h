// Mirror: a directory and a place in a depot, kept in step round by round.
//
// A round looks at both sides, plans (mirror_plan.h), sends what goes to the depot as one commit,
// writes what goes to the directory, and remembers what both agree on. It may be killed at any
// moment: the next one finds the sides as they are, and what was done already is equal.
//
// In the directory only what is in the depot's history is overwritten or removed, unless a conflict
// was decided against it.
//
// Threads     one at a time.
// Fails with  NOT_FOUND when the directory is gone; PRECONDITION_FAILED when a side has become
// empty
//             and that was not allowed; CONFLICT when others commit faster than a round; what the
//             tools fail with. Then neither side has less than before.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "exposure/mirror/depot.h"
#include "exposure/mirror/directory.h"
#include "exposure/mirror/plan.h"
#include "exposure/mirror/state.h"

namespace cairn::mirror {

struct MirrorSettings {
  std::filesystem::path directory;
  MirrorFilter filter = {};
  MirrorRules rules = {};
  std::string message = {};
  bool dry_run = false;
  bool allow_empty = false;
};

struct MirrorReport {
  struct Line {
    std::string path;
    std::string why;
  };
  std::vector<MirrorStep> steps;  // done; in a dry run, to be done
  std::vector<MirrorConflict> conflicts;
  std::vector<MirrorLeft> not_taken;
  std::vector<Line> left;     // changed meanwhile: for the next round
  std::vector<Line> failed;   // cannot be read or written
  std::vector<Line> skipped;  // links and the like
  std::string root;           // of the depot, as far as the directory has it
  bool committed = false;
  bool merged = false;
};

class Mirror final {
 public:
  // REQUIRES: what is referred to outlives it.
  Mirror(MirrorSettings settings, std::string depot, std::string place, MirrorStateFile file,
         MirrorState state, const MirrorDirectory::Tools& tools);
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  Result<MirrorReport> round(Client& client, const MirrorDirectory::OnDirectory& on_directory);
  Result<std::string> depot_root(Client& client) const { return depot_.root(client); }

 private:
  struct Sides {
    MirrorScan here;
    std::string root;
    MirrorTree there;
  };
  Result<MirrorPlan> plan(Client& client, const MirrorDirectory& directory, const Sides& sides);
  Result<Paths> find_same(Client& client, const MirrorDirectory& directory, const Sides& sides,
                          const MirrorPlan& plan) const;
  Result<Paths> find_unsaved(Client& client, const Sides& sides, const MirrorPlan& plan) const;
  Result<void> check_not_emptied(const Sides& sides, const MirrorPlan& plan) const;

  Result<void> send(Client& client, const MirrorDirectory& directory, const Sides& sides,
                    const MirrorPlan& plan, MirrorReport& report) const;
  Result<bool> send_file(client::TreeWriter& writer, const MirrorDirectory& directory,
                         const Sides& sides, const std::string& path, MirrorReport& report) const;
  Result<void> fetch(Client& client, const MirrorDirectory& directory, const Sides& sides,
                     const MirrorPlan& plan, MirrorReport& report);
  Result<void> fetch_step(Client& client, const MirrorDirectory& directory, const Sides& sides,
                          const MirrorStep& step);
  Result<std::string> fetch_file(Client& client, const MirrorDirectory& directory,
                                 const Sides& sides, const std::string& path) const;
  void note_agreed(const Sides& sides, const MirrorPlan& plan, const MirrorReport& report);
  Result<void> save();

  MirrorSettings settings_;
  MirrorDepot depot_;
  MirrorStateFile file_;
  MirrorState state_;
  MirrorDirectory::Tools tools_;
  bool changed_ = false;  // since it was saved
};

}  // namespace cairn::mirror
