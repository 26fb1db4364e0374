// Looks: which files of a directory its remover has not seen, though it has listed the directory,
// or one above or below it.
//
// A listing stands for all below it: whoever was shown that there is a directory and removes it
// means what was in it then. Of a directory that was never listed nothing is known.
// Threads  every function may be called from any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/realm/realm.h"
#include "data/tree/view.h"
#include "tools/files/seen_files.h"

namespace cairn::fs {

struct LookedFrom {
  SeenFiles::Agent agent;
  DelegateId author;  // what it has committed itself is known to it
  Place place;
  // A file that the agent knows as it is now, or made itself.
  std::function<Result<bool>(const Path& file)> is_known;
};

// Files at the path or below it, the first hundred, that came or changed since the agent looked.
Result<std::vector<std::string>> unseen_below(Realm& realm, SeenFiles& memory,
                                              const LookedFrom& from, const TreeView& now,
                                              const Path& path);

// CONFLICT: these would go with what is removed.
Error not_seen(const Path& path, std::vector<std::string> files);

}  // namespace cairn::fs
