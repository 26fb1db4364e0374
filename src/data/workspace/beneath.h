// Where a client's path leads below the roots: by one openat2 of the kernel where that can tell,
// else by a Walk. What is found is held by its handle; no path is checked first and used later.
//
// Threads     every function may be called from any thread.
// Fails with  what Workspace says, with the details `place` and `errno`.
#pragma once

#include <optional>
#include <string>

#include "data/workspace/walk.h"

namespace cairn {

struct Found {
  os::Handle handle;  // O_PATH
  os::Stat stat;
  std::string place;
};

// A name in a directory, whether something is there or not.
struct Spot {
  os::Handle parent;  // O_PATH
  std::string name;
  std::string place;
  os::Handle handle;  // O_PATH, of what is there
  std::optional<os::Stat> stat;
};

// The file or directory that the path leads to, links included.
Result<Found> find_beneath(const Roots& roots, const ClientPath& path);
// The name that a change is to be made at. A link in the last place is followed, PATH_NOT_FOUND
// where it dangles, or is the spot itself. A root is in no directory: NOT_A_FILE for what is
// followed, else FORBIDDEN.
Result<Spot> spot_beneath(const Roots& roots, const ClientPath& path, WalkOptions::Last last);
// The directory with this path, made with all above it where missing. TARGET_EXISTS where there is
// something else.
Result<Found> make_beneath(const Roots& roots, const ClientPath& path);

// The same without making anything: what is there already, or where the first would be made.
struct Foreseen {
  std::string place;  // of the directory that was asked for
  os::Handle parent;  // O_PATH, of the last directory on the way that is there
  bool is_there = false;
};
Result<Foreseen> foresee_beneath(const Roots& roots, const ClientPath& path);

// A regular file, open for reading. Where there is no /proc it may be the one that took the place
// of what was found, in the same directory.
struct OpenFile {
  os::Handle handle;
  os::Stat stat;
};

// Opens a file that was found. NOT_A_FILE for everything else, which is not opened.
Result<OpenFile> open_found(const Roots& roots, const ClientPath& path, const Found& found);
// The same for a name in a directory that is held, with the handle of what is there.
Result<OpenFile> open_held(const Roots& roots, int directory, const std::string& name,
                           const os::Handle& held, const os::Stat& stat, std::string_view place);

}  // namespace cairn
