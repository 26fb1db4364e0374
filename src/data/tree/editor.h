// TreeEditor: any number of changes to a tree, and one new root.
//
// Changes are kept as an overlay of directories; finish() rebuilds each changed directory once,
// from the bottom up. Paths are of names: child indices are resolved on the original tree before.
// Threads     one at a time, like the stage it works on.
// Fails with  NOT_A_DIRECTORY when a file stands where a directory is needed; nothing is stored
//             unless the caller stores the stage.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "data/cas/dict.h"
#include "data/tree/path.h"

namespace cairn {

class TreeEditor final {
 public:
  TreeEditor(Stage& stage, NodePtr root);
  ~TreeEditor();
  TreeEditor(const TreeEditor&) = delete;
  TreeEditor& operator=(const TreeEditor&) = delete;

  // The entry at the path now, changes included. A directory that was changed here has the key and
  // totals it had before the changes.
  Result<std::optional<EntryValue>> find(const Path& path);
  // Sets the path to a node, making the directories on the way.
  // REQUIRES: !path.is_root()
  Result<void> put(const Path& path, EntryValue value);
  // Makes the directory and those on the way; one that is there stays as it is.
  Result<void> make_dir(const Path& path);
  // Removes the entry at the path, if there is one.
  // REQUIRES: !path.is_root()
  Result<void> remove(const Path& path);

  // The new root. Call once.
  Result<NodePtr> finish();

 private:
  struct Dir;
  struct Slot;

  // The directory at the path. Null when it is not there and `create` is false.
  Result<Dir*> dir(const Path& path, bool create);
  Result<Dir*> child_dir(Dir& parent, const std::string& name, bool create, const Path& path);
  Result<std::optional<EntryValue>> lookup(const Dir& dir, const std::string& name);
  Result<NodePtr> build(Dir& dir);

  Stage& stage_;
  std::unique_ptr<Dir> root_;
};

}  // namespace cairn
