// Workspace: a tree of files that saves itself, as the file tools (tools/workspace) work on it. It
// is a directory of this machine (directory_workspace.h) or a depot (tools/depot_workspace.h).
//
// Paths come as clients write them: relative to a root, or absolute. A workspace takes each apart
// itself, so that nobody else decides what is inside. Where something is, is told as its *place*:
// the absolute path after links, `/notes/a.md` in a depot.
//
// Threads     every function may be called from any thread.
// Fails with  PATH_OUTSIDE: the path, or a link on it, leads out of every root.
//             PATH_NOT_FOUND, NOT_A_DIRECTORY, NOT_A_FILE: what stands there, or does not. A
//             device, pipe or socket is NOT_A_FILE.
//             FORBIDDEN: the operating system, or the caller's rights, do not let it.
//             INVALID_PATH: no path at all: NUL, a name or path that is too long.
//             CONFLICT: somebody else has changed the same meanwhile; nothing is overwritten.
//             All carry the detail `place`, as far as it is known.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/result.h"

namespace cairn {

enum class WorkKind : std::uint8_t { kFile, kDirectory, kLink, kOther };

struct WorkInfo {
  WorkKind kind = WorkKind::kFile;
  std::uint64_t size = 0;
  Millis created = 0;
  Millis modified = 0;
  Millis accessed = 0;
  unsigned permissions = 0;  // the lowest nine bits of the mode
};

struct WorkEntry {
  std::string name;
  WorkKind kind = WorkKind::kFile;  // a link is a link, wherever it leads
};

// A regular file, open for reading.
class WorkFile {
 public:
  virtual ~WorkFile() = default;
  virtual const std::string& place() const = 0;
  virtual const WorkInfo& info() const = 0;
  // How many bytes from `offset` on were read into the room; 0 at the end only.
  virtual Result<std::size_t> read(std::uint64_t offset, std::span<char> room) const = 0;
};
using WorkFilePtr = std::unique_ptr<WorkFile>;

// A directory, held: what is reached through it is in it, whatever becomes of its path.
class WorkDirectory {
 public:
  virtual ~WorkDirectory() = default;
  virtual const std::string& place() const = 0;
  // By name, bytewise.
  virtual Result<std::vector<WorkEntry>> entries() const = 0;
  // A directory in it; never through a link.
  virtual Result<std::unique_ptr<WorkDirectory>> enter(const std::string& name) const = 0;
  // The kind of an entry or, for a link that stays inside, of what it leads to.
  virtual Result<WorkInfo> info(const std::string& name) const = 0;
  // A file in it; never through a link.
  virtual Result<WorkFilePtr> open(const std::string& name) const = 0;
};
using WorkDirectoryPtr = std::unique_ptr<WorkDirectory>;

struct WorkPlace {
  std::string place;
  WorkInfo info;
};

// A change that was made, newest first.
struct WorkChange {
  std::string id;  // what undo() takes
  Millis time = 0;
  std::string author;
  std::string message;
  std::vector<std::string> paths;  // what it touched, the first few
  std::size_t more_paths = 0;
  bool undone = false;
};

// What a file that is written finds above it.
enum class Parents : std::uint8_t { kMustExist, kAreMade };

struct WorkHistory {
  std::vector<WorkChange> changes;
  std::string next;  // where the next page begins; empty: there is none
};

class Workspace {
 public:
  // From what a file holds to what it shall hold. Called once, or again when the file changed
  // meanwhile.
  using Rewrite = std::function<Result<Bytes>(ByteView before, const std::string& place)>;

  virtual ~Workspace() = default;

  // The answer of list_allowed_directories; never empty.
  virtual std::vector<std::string> roots() const = 0;
  // A place as seen from the first root: `notes/a.md`; the root itself is `.`. What is in another
  // root stays as it is.
  virtual std::string relative(std::string_view place) const = 0;

  virtual Result<WorkFilePtr> open_file(std::string_view path) const = 0;
  // Whoever asked has now seen all of the file as it was opened.
  virtual void seen(const WorkFile&) const {}
  // Whoever asked was shown what is in the directory.
  virtual void listed(const WorkDirectory&) const {}
  virtual Result<WorkDirectoryPtr> open_directory(std::string_view path) const = 0;
  virtual Result<WorkPlace> info(std::string_view path) const = 0;

  // Each of these answers with the place. A file is changed wholly or not at all; when a directory
  // with all in it cannot be deleted, or copied from one file system to another, to its end, the
  // error says so.
  // A new file, or another content for one that is there.
  virtual Result<std::string> write(std::string_view path, ByteView content,
                                    Parents parents = Parents::kMustExist) = 0;
  virtual Result<std::string> edit(std::string_view path, const Rewrite& rewrite) = 0;
  // With what is missing above it. One that is there already is fine; a file is TARGET_EXISTS.
  virtual Result<std::string> make_directory(std::string_view path) = 0;
  // A file, a link itself, or a directory with all in it. TARGET_EXISTS when something is at the
  // destination, also when it came while the call ran; MOVE_INTO_SELF.
  virtual Result<std::string> move(std::string_view source, std::string_view destination) = 0;
  // A file or a directory with all in it, links as links. TARGET_EXISTS as above.
  virtual Result<std::string> copy(std::string_view source, std::string_view destination) = 0;
  // A file, a link itself, or a directory: one that is not empty only with `recursive`, else
  // INVALID_ARGUMENT. A root is FORBIDDEN.
  virtual Result<std::string> remove(std::string_view path, bool recursive) = 0;

  // Remarks beside the answer of the last change: whose work it was merged with, or replaced.
  virtual std::vector<std::string> notes() const { return {}; }

  // Whether changes are kept and can be taken back: the two below work.
  virtual bool has_history() const { return false; }
  virtual Result<WorkHistory> history(std::size_t limit, std::string_view from) const;
  // Takes a change back and leaves all later ones as they are, or is CONFLICT where they build on
  // it. From one to another, in one step; empty: the caller's latest that was not taken back.
  virtual Result<WorkChange> undo(std::string_view from, std::string_view to);
};

}  // namespace cairn
