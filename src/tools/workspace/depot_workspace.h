// A depot, or the place of one that a caller may see, as a workspace: every change is a commit.
//
// It is made for one call and sees the depot as it was when the call began. A change is made on
// that, or where the caller has seen an older version of the file on that one, and committed: what
// others did meanwhile is merged in, or it is CONFLICT and nothing changes. An edit, which names
// the text it replaces, is made again on what is there now.
//
// There are no links, modes or times of single files in a depot: times are those of its commits.
// Threads  one at a time.
#pragma once

#include "data/workspace/workspace.h"
#include "tools/executor/call.h"
#include "tools/files/seen_files.h"

namespace cairn {

class DepotWorkspace final : public Workspace {
 public:
  struct Options {
    std::string_view operation;  // what commits are said to be made by
    // Tells apart those that look with the same token.
    std::string_view desk;
    // Whatever is asked of it, nothing is committed: UPLOAD_NOT_ALLOWED.
    bool read_only = false;
    // Every change is looked into, its merging too, and nothing is committed or taken for seen. The
    // right to read is enough for it.
    bool dry_run = false;
  };

  // DEPOT_NOT_FOUND, PATH_NOT_FOUND when the place is gone.
  // REQUIRES: call and seen outlive it.
  static Result<DepotWorkspace> open(Call& call, std::string_view depot, SeenFiles& seen,
                                     const Options& options);

  std::vector<std::string> roots() const override { return {"/"}; }
  std::string relative(std::string_view place) const override;
  Result<WorkFilePtr> open_file(std::string_view path) const override;
  void seen(const WorkFile& file) const override;
  void listed(const WorkDirectory& directory) const override;
  Result<WorkDirectoryPtr> open_directory(std::string_view path) const override;
  Result<WorkPlace> info(std::string_view path) const override;
  Result<std::string> write(std::string_view path, ByteView content,
                            Parents parents = Parents::kMustExist) override;
  Result<std::string> edit(std::string_view path, const Rewrite& rewrite) override;
  Result<std::string> make_directory(std::string_view path) override;
  Result<std::string> move(std::string_view source, std::string_view destination) override;
  Result<std::string> copy(std::string_view source, std::string_view destination) override;
  Result<std::string> remove(std::string_view path, bool recursive) override;
  std::vector<std::string> notes() const override { return notes_; }
  bool has_history() const override { return true; }
  Result<WorkHistory> history(std::size_t limit, std::string_view from) const override;
  Result<WorkChange> undo(std::string_view from, std::string_view to) override;

 private:
  DepotWorkspace(Call& call, Place place, SeenFiles& seen, const Options& options, TreeView tree,
                 Depot depot);

  // The tree to change a file in: as the caller has seen it, if others changed it since.
  enum class Unseen { kSaid, kFine };
  Result<TreeView> tree_for(const Path& path, Unseen unseen);
  // One attempt on the tree as it was last read; nullopt: somebody else was faster.
  Result<std::optional<std::string>> edit_once(const Path& path, const Rewrite& rewrite);
  // CONFLICT when a file below the directory is not as the caller has seen it, or came since the
  // caller looked.
  Result<void> check_below(const Path& directory) const;
  // Notes that the caller knows what it has just made.
  void knows(const std::string& path, const NodeKey& root) const {
    if (!dry_run_) seen_.note(agent_, path, root);
  }
  // The same of a file that it has changed, and knew before.
  void has_changed(const std::string& path, const NodeKey& root) const;
  // Whether the caller has seen the file as it is now.
  Result<bool> is_known(const Located& now) const;
  // The directory that something is to be made in.
  Result<void> check_parent(const TreeView& tree, const Path& path) const;
  Result<void> commit(const Stage& stage, const Changed& change, const NodeKey& base,
                      std::string message);
  Result<void> refresh();
  std::string message(std::string_view about) const;
  WorkInfo info_of(const EntryValue& value) const;
  Result<WorkChange> render(const HistoryEntry& entry, const ChangeRange& changes) const;
  // The changes that undo() names; its caller's latest when it names none.
  Result<ChangeRange> to_undo(std::string_view from, std::string_view to) const;

  Call& call_;
  Place place_;
  SeenFiles& seen_;
  std::string operation_;
  bool read_only_;
  bool dry_run_;
  Result<void> check_writable();
  SeenFiles::Agent agent_;
  TreeView tree_;
  Depot depot_;
  std::vector<std::string> notes_;
};

// `'a.txt', 'b.txt' and 3 more`: what a CONFLICT is about.
std::string paths_in_conflict(const Error& error);

// From a path as clients write it to one in a depot: `/a/./b`, `a/x/../b` and `a/b` are the same.
// PATH_OUTSIDE for what leads above the root, and for drive letters.
Result<Path> path_in_depot(std::string_view text);

}  // namespace cairn
