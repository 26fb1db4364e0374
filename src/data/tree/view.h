// Reading a tree: finding what a path names, stat, ls, read.
//
// A tree is a root node and the reader its nodes come from. The root is a directory, or a file
// when a file's own key is used as the root.
// Fails with  PATH_NOT_FOUND (with the nearest name), NOT_A_DIRECTORY, NOT_A_FILE, and what the
//             reader fails with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "data/cas/dict.h"
#include "data/tree/path.h"
#include "data/tree/rendered.h"

namespace cairn {

struct TreeView {
  const NodeReader& nodes;
  NodePtr root;
};

Result<TreeView> view_tree(const NodeReader& nodes, const NodeKey& root);

// The entry that a path names. Its name is empty for the root.
struct Located {
  Path path;  // with names in place of child indices
  NodePtr holder;
  Entry entry;
};

Result<Located> locate(const TreeView& tree, const Path& path);
// Nothing where there is nothing, also when a file stands on the way.
Result<std::optional<Located>> find(const TreeView& tree, const Path& path);
// A path to write to, with names in place of child indices. INVALID_PATH for an index that names
// nothing: it cannot make something.
Result<Path> resolve_target(const TreeView& tree, const Path& path);
// The node of a located file or directory.
Result<NodePtr> open_dir(const TreeView& tree, const Located& at);
Result<NodePtr> open_file(const TreeView& tree, const Located& at);

struct ListOptions {
  static constexpr std::uint64_t kDefaultLimit = 100;
  static constexpr std::uint64_t kMaxLimit = 1000;

  std::uint64_t limit = kDefaultLimit;
  std::optional<std::string> cursor;
  Rendering rendering = {};
};

struct ListPage {
  struct Child {
    std::uint64_t index;
    std::string name;
    EntryValue value;
  };

  Path path;
  NodeKey key;
  std::vector<Child> children;
  std::uint64_t total = 0;
  std::optional<std::string> next_cursor;
};

// One page of a directory; shorter than asked for when the budget says so.
Result<ListPage> list(const TreeView& tree, const Path& path, const ListOptions& options,
                      Budget& budget);

struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t length = UINT64_MAX;
};

// Lines from `first` to `last`, counted from 1, both included.
struct LineRange {
  std::uint64_t first = 1;
  std::uint64_t last = UINT64_MAX;
  // Bytes of the first line to leave out, up to the end of the character they end in.
  std::uint64_t skip = 0;
};

struct FileContent {
  Path path;
  NodeKey key;
  std::uint64_t size = 0;  // of the whole file
  std::string type;
  Bytes content;
  std::uint64_t offset = 0;  // where content begins in the file
  // With a line range: the lines given, and how many the file has if its end was seen.
  std::uint64_t first_line = 0;
  std::uint64_t last_line = 0;
  std::optional<std::uint64_t> total_lines;
  bool truncated = false;  // the budget left out a part of what was asked for
  // When the last line given is not whole: where in it the rest begins.
  std::optional<std::uint64_t> cut_at;
};

Result<FileContent> read(const TreeView& tree, const Path& path, ByteRange range, Budget& budget);
// Whole lines only, save for a first one that alone is over the budget; a first line past the end
// is INVALID_ARGUMENT with the number of lines. The budget is of bytes as a JSON string.
Result<FileContent> read_lines(const TreeView& tree, const Path& path, LineRange range,
                               Budget& budget);

}  // namespace cairn
