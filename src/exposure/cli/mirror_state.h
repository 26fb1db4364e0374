// What a directory and a depot agreed on when they were last in step, in a file of its own:
//
//   {"version": 1, "directory": …, "store": …, "depot": …, "place": …, "root": "nod_…",
//    "agreed": {"docs": "dir", "docs/a.md": "nod_…", "b.md": ["nod_here…", "nod_there…"]},
//    "seen": {"docs/a.md": ["nod_…", size, mtime, ctime, inode]}}
//
// `agreed` are facts of the past: one that is old makes a conflict, never a loss. `seen` spares
// reading files that did not change; their times are in nanoseconds.
//
// Invariants  every path is one a depot can hold.
// Fails with  INVALID_ARGUMENT for a file that is none, or of another mirror; STORE_LOCKED;
// IO_ERROR.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "exposure/cli/mirror_plan.h"

namespace cairn::cli {

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

// What tells whether a file was written since.
struct FileSignature {
  std::int64_t size = 0;
  std::int64_t modified = 0;
  std::int64_t changed = 0;
  std::int64_t inode = 0;

  bool operator==(const FileSignature&) const = default;
};

struct SeenFile {
  std::string key;
  FileSignature signature;

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
                                      const MirrorIdentity& identity, Use use);
  MirrorStateFile(MirrorStateFile&& other) noexcept;
  MirrorStateFile& operator=(MirrorStateFile&&) = delete;
  ~MirrorStateFile();

  // Nothing: there is none, or it is the first time.
  Result<std::optional<MirrorState>> load() const;
  // Wholly or not at all, for its owner only.
  // REQUIRES: it was opened with kWrite.
  Result<void> save(const MirrorState& state) const;

 private:
  MirrorStateFile(std::filesystem::path path, MirrorIdentity identity, int lock)
      : path_(std::move(path)), identity_(std::move(identity)), lock_(lock) {}

  std::filesystem::path path_;
  MirrorIdentity identity_;
  int lock_;
};

}  // namespace cairn::cli
