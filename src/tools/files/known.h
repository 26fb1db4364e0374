// Known: what a caller knows of the files in a tree, so that what it writes is held against what it
// has read. An agent that overwrites a file means to change what it saw; what others did to the
// file since is merged in, or it is told.
//
// The memory is of agents, over MCP: programs say what they know with ifKey. It is kept for each
// delegate, place and desk (seen_files.h); at a desk where nothing is known of a file, what the
// delegate knows at any counts. What was read in the depot, or in a root that was made
// from it, counts; what was read in an older root only helps a change that is made there.
// Threads  one at a time, for one call.
#pragma once

#include "tools/files/fs.h"
#include "tools/files/seen_files.h"

namespace cairn::fs {

// In whose share it is kept what a caller has seen.
std::string seen_owner(const Session& session);

// Those below a delegate share its room, so that making children makes no more of it.
SeenFiles::Agent agent_of(const Session& session, const Place& place, std::string_view desk);

class Known final {
 public:
  // REQUIRES: call and opened outlive it.
  static Result<Known> of(Call& call, const Opened& opened);

  // Whether anything is kept of what this caller does.
  bool remembers() const { return !places_.empty(); }

  // The caller was given this of a file.
  void read(const FileContent& content) const;
  void read_whole(const Path& path) const;
  // The caller was told that there is nothing.
  void missing(const Path& path) const;
  // The caller was shown what is in the directory.
  void listed(const Path& directory) const;
  // The caller was shown these values of a JSON file, or wrote them: their fingerprints.
  void shown(const Path& path, const std::vector<std::uint64_t>& values) const;
  // Whether it was shown this one.
  bool was_shown(const Path& path, std::uint64_t value) const;

  enum class State { kUnseen, kSeen, kStale };
  struct Standing {
    State state = State::kUnseen;
    std::optional<EntryValue> now;
    std::optional<EntryValue> known;  // when stale; nothing: that it was not there
    bool part = false;                // when seen: some of it
    bool taken_back = false;          // when stale: by the caller itself
  };
  // How what stands at the path now compares with what the caller knows of it.
  Result<Standing> standing(const Path& path) const;
  // Whether what stands at the path is what the caller knows; reads nothing where this tree is the
  // one it knows.
  Result<bool> is_seen(const Path& path) const;
  // CONFLICT when this, or a file below it, is not as the caller knows it, or came since the caller
  // looked.
  Result<void> check(const Path& path) const;

  // The caller has made the new root, and knows these of it.
  enum class Wrote { kAll, kSome };
  void made(const Path& path, const NodeKey& root, Wrote wrote = Wrote::kAll) const;
  void removed(const Path& path, const NodeKey& root) const;
  void moved(const Path& from, const Path& to, const NodeKey& root) const;
  // What stands there now it has not seen.
  void forgotten(const Path& path) const;
  // What it knows of a file it knows of the copy, and no more.
  void copied(const Path& from, const Path& to, const NodeKey& root) const;
  // The caller has committed a change of a file that it knew.
  void committed(const Path& path, const NodeKey& root) const;

 private:
  struct Where {
    SeenFiles::Agent agent;
    Place place;
    std::optional<NodeKey> base;  // what the place had when the tree was begun, if it is a draft
    bool older = false;           // the tree is one that the place had before
    bool fallback = false;        // what the delegate knows, at whichever desk
  };
  Known(Call& call, const Opened& opened) : call_(call), opened_(opened) {}

  // What stands there in another tree; nothing: that tree is gone.
  std::optional<std::optional<EntryValue>> at(const NodeKey& root, const Path& path) const;
  // What is remembered of a file in each of the places, a desk's own before the others.
  std::vector<std::optional<SeenFiles::Seen>> remembered(const Path& path) const;
  std::optional<Standing> standing_of(const SeenFiles::Seen& seen, const Path& path,
                                      const std::optional<EntryValue>& now) const;
  // What stands at the path in this tree. Of a draft: the depot's, with its author's changes.
  SeenFiles::Seen seen_here(const Where& where, const Path& path) const;
  void copied_one(const Where& where, const Path& from, const Path& to, const NodeKey& root) const;
  void note_read(const Where& where, const FileContent& content) const;

  Call& call_;
  const Opened& opened_;
  std::vector<Where> places_;
};

// A caller has committed a root: what it made there is what the depot got from it.
void note_committed(Call& call, const Place& place, const NodeKey& root);
// A caller has taken changes of these back. What it knew before it made such a change it knows
// again; of anything else it has not read what stands there now.
void note_taken_back(Call& call, const Place& place, const NodeKey& root,
                     const std::vector<std::string>& paths);
void note_taken_back(SeenFiles& memory, const SeenFiles::Agent& agent, const TreeView& now,
                     const std::vector<std::string>& paths);

// CONFLICT: others have changed the file since the caller read it.
Error changed_since_read(const Path& path, const Known::Standing& standing,
                         std::vector<DetailRow> rows = {});

}  // namespace cairn::fs
