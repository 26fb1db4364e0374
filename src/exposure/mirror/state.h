// The state that a directory and a depot agreed on when they were last in step, in a file of its
// own:
//
//   {"version": 1, "directory": …, "store": …, "depot": …, "place": …, "root": "nod_…",
//    "agreed": {"docs": "dir", "docs/a.md": "nod_…", "b.md": ["nod_here…", "nod_there…"]},
//    "seen": {"docs/a.md": ["nod_…", size, mtime, ctime, inode]}}
//
// `agreed` are facts of the past: one that is old makes a conflict, never a loss. `seen` spares
// reading files that did not change; their times are in nanoseconds.
//
// Invariants  every path is one a depot can hold.
// Fails with  INVALID_ARGUMENT for a file that is not such a state, or of another mirror;
//             STORE_LOCKED; IO_ERROR.
// Threads     values, and a file that belongs to one thread at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/os/stamp.h"
#include "exposure/mirror/plan.h"

namespace cairn::mirror {

// Which mirror it is.
struct MirrorIdentity {
  std::string directory;  // its real path
  std::string store;      // the server's URL, or the data directory's real path
  std::string depot;
  std::string place;

  // $XDG_STATE_HOME/cairn/mirrors/<hash>.json, or below ~/.local/state.
  std::filesystem::path state_file() const;
  bool operator==(const MirrorIdentity&) const = default;
};

struct SeenFile {
  std::string key;
  os::Stamp stamp;  // as it is kept

  bool operator==(const SeenFile&) const = default;
};

struct MirrorState {
  std::string root;  // of the depot
  MirrorBase agreed;
  ByPath<SeenFile> seen;

  bool operator==(const MirrorState&) const = default;

  std::string render(const MirrorIdentity& identity) const;
  static Result<MirrorState> parse(std::string_view text, const MirrorIdentity& identity);
};

// The file of a state, and the lock on it: as long as this lives, nobody else keeps the same two in
// step.
class MirrorStateFile final {
 public:
  // kRead makes no file and takes no lock.
  enum class Use { kRead, kWrite };
  static Result<MirrorStateFile> open(const std::filesystem::path& path,
                                      const MirrorIdentity& identity, Use use,
                                      const os::Kernel& kernel = {});

  // Nullopt the first time: there is no state yet.
  Result<std::optional<MirrorState>> load() const;
  // Wholly or not at all, on the disk, for its owner only.
  // REQUIRES: it was opened with kWrite.
  Result<void> save(const MirrorState& state) const;

 private:
  MirrorStateFile(std::filesystem::path path, MirrorIdentity identity, os::Handle lock,
                  const os::Kernel& kernel)
      : path_(std::move(path)),
        identity_(std::move(identity)),
        lock_(std::move(lock)),
        kernel_(kernel) {}

  std::filesystem::path path_;
  MirrorIdentity identity_;
  os::Handle lock_;
  os::Kernel kernel_;
};

}  // namespace cairn::mirror
