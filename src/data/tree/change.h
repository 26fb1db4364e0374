// Changing a tree: write, mkdir, rm, mv, cp, edit, rewrite. Each gives a new root in the stage.
//
// Nothing is changed in place: the old root stays as it was.
// Cost  the directories on the way, and the content written; no more than 4 MiB for an edit.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "data/cas/node_io.h"
#include "data/text/edit.h"
#include "data/tree/view.h"

namespace cairn {

// The new root, and the nodes linked into it by key, which must be there when it is stored.
struct Changed {
  NodePtr root;
  std::vector<NodeKey> linked;
};

struct WriteResult : Changed {
  Path path;
  EntryValue file;
  bool created = false;
};

// Creates or overwrites a file, making the directories on the way. The type is taken from the
// name and content unless given.
Result<WriteResult> write(Stage& stage, const NodePtr& root, const Path& path, ByteView content,
                          std::optional<std::string_view> type = std::nullopt);
// The same with a file that is already stored.
Result<WriteResult> write_node(Stage& stage, const NodePtr& root, const Path& path,
                               const NodePtr& file);

struct MkdirResult : Changed {
  Path path;
  EntryValue dir;
  bool created = false;
};

// EXISTS_AS_FILE when the path is a file. One that is there stays: created is false, the root the
// same.
Result<MkdirResult> mkdir(Stage& stage, const NodePtr& root, const Path& path);

struct RemoveResult : Changed {
  Path path;
  EntryValue removed;
};

Result<RemoveResult> rm(Stage& stage, const NodePtr& root, const Path& path);

struct MoveResult : Changed {
  Path from;
  Path to;  // where it is now: below the target when that was a directory
};

// Onto a file TARGET_EXISTS; onto a directory: into it; a directory into itself MOVE_INTO_SELF.
Result<MoveResult> mv(Stage& stage, const NodePtr& root, const Path& from, const Path& to);
// The same without removing; a directory may be copied into itself.
Result<MoveResult> cp(Stage& stage, const NodePtr& root, const Path& from, const Path& to);

// The same into another tree. The whole of the source, a directory or a file, may be copied to a
// path that is not there yet.
Result<MoveResult> cp_from(Stage& stage, const TreeView& source, const Path& from,
                           const NodePtr& root, const Path& to);

struct TextEditResult : Changed {
  Path path;
  EntryValue file;
  std::vector<std::size_t> counts;  // replacements made, per edit
  std::string diff;                 // unified
};

// Exact replacements in one text file of at most kMaxEditedSize. With a dry run the caller drops
// the root and shows the diff.
Result<TextEditResult> edit(Stage& stage, const NodePtr& root, const Path& path,
                            std::span<const Replacement> edits);

// One target of a rewrite: a path of the original tree, an empty directory, or a node by key.
struct FromPath {
  Path path;
};
struct EmptyDir {};
struct LinkNode {
  NodeKey key;
};
using RewriteSource = std::variant<FromPath, EmptyDir, LinkNode>;

struct RewritePlan {
  static constexpr std::size_t kMaxEntries = 100;

  std::map<Path, RewriteSource> entries;
  std::vector<Path> deletes;
};

struct RewriteResult : Changed {
  std::size_t entries_applied = 0;
  std::size_t deleted = 0;
};

Result<RewriteResult> rewrite(Stage& stage, const NodePtr& root, const RewritePlan& plan);

}  // namespace cairn
