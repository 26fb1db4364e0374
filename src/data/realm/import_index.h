// The state of a directory on disk as an import saw it, so that the next import reads only what
// changed.
//
// A small record says which tree was read, and where its index begins. The index is a tree of
// nodes beside that tree: each directory has the stamps of its files, in the order of their names,
// as a file named `~0`, which no imported file is called, and the indices of the directories in
// it. Names, keys and sizes are those of the tree that was read. So an import writes the parts of
// directories that changed, and the garbage collector keeps what the record leads to.
//
// A file is taken as unchanged when its size, times and inode are as they were, and it was not
// changed so shortly before the import that a later change could have the same time.
//
// Threads     plain functions and values: from any thread.
// Fails with  IO_ERROR from the store. An index that cannot be read is no error: everything is read
//             again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/stamp.h"
#include "data/cas/dict.h"
#include "data/realm/realm.h"

namespace cairn {

// What is remembered of the last import of a directory to a place.
struct ImportRecord {
  std::string source;                           // which directory it was
  NodeKey root;                                 // of the tree that was read
  std::optional<NodeKey> index = std::nullopt;  // nothing: the next import reads all files

  Bytes encode() const;
  // Nothing when the bytes are none. Of a record as they were once, with the whole index in it, the
  // index is left out.
  static std::optional<ImportRecord> decode(ByteView bytes);

  bool operator==(const ImportRecord&) const = default;
};

// The record of the last import to the place from this source. Nullopt when there was none, or its
// root is not stored any more.
Result<std::optional<ImportRecord>> load_import(Realm& realm, const Place& place,
                                                std::string_view source);
// Puts it in the place of the last one. Buffered: losing it costs a slower import, which may find a
// conflict where there is none.
Result<void> save_import(Realm& realm, const Place& place, const ImportRecord& record);

struct IndexedFile {
  std::string name;
  os::Stamp stamp;  // as it is kept
  NodeKey key;
  std::string type;

  EntryValue value() const { return {Kind::kFile, key, stamp.size, type, 0, 0}; }
};

// A directory as it was read, and its part of the index.
struct IndexedTree {
  EntryValue tree;
  EntryValue index;
};

struct IndexedDirectory {
  struct Child {
    std::string name;
    IndexedTree both;
  };
  std::vector<IndexedFile> files;  // by name
  std::vector<Child> directories;  // by name

  const IndexedFile* file(std::string_view name) const;
  const IndexedTree* directory(std::string_view name) const;
};

// Where reading begins. Nullopt without an index, or when it is not what it should be.
Result<std::optional<IndexedTree>> indexed_root(const NodeReader& nodes,
                                                const ImportRecord& record);
// What is known of one directory; nullopt when it is not what it should be.
Result<std::optional<IndexedDirectory>> read_indexed(const NodeReader& nodes,
                                                     const IndexedTree& both);
// The part of the index for a directory; new nodes go to the stage.
Result<NodePtr> write_indexed(Stage& stage, const IndexedDirectory& directory);

}  // namespace cairn
