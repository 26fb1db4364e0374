// The state of a directory on disk as an import saw it, so that the next import reads only what
// changed.
//
// A file is taken as unchanged when its size, times and inode are as they were, and it was not
// changed so shortly before the import that a later change could have the same time.
//
// Threads     ImportIndex is immutable once loaded; ImportIndexWriter takes any number of threads.
// Fails with  IO_ERROR from the store. An index that cannot be read is no error: everything is read
//             again.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/os/stamp.h"
#include "data/cas/dict.h"
#include "data/realm/realm.h"

namespace cairn {

class ImportIndex final {
 public:
  struct File {
    std::string_view name;
    os::Stamp stamp;  // as it is kept
    NodeKey key;
    std::string_view type;
  };
  struct Directory {
    EntryValue value;
    std::vector<File> files;             // by name
    std::vector<std::string_view> dirs;  // by name
  };

  // The index of the last import to the place from this source. Nullopt when there was none, or its
  // root is not stored any more.
  static Result<std::optional<ImportIndex>> load(Realm& realm, const Place& place,
                                                 std::string_view source);
  // The root in the bytes of one; nothing when they are none.
  static std::optional<NodeKey> root_of(ByteView bytes);

  const NodeKey& root() const { return root_; }
  const Directory* find(std::string_view path) const;

 private:
  bool parse(std::string_view source);

  Bytes bytes_;
  NodeKey root_;
  std::unordered_map<std::string_view, Directory> directories_;
};

// Collects the index of the import that is running.
// Threads  any, one directory a call.
class ImportIndexWriter final {
 public:
  ImportIndexWriter(std::string_view source);

  void add(std::string_view path, const ImportIndex::Directory& directory);
  // A buffered put: losing it costs a slower import, which may find a conflict where there is none.
  Result<void> save(Realm& realm, const Place& place, const NodeKey& root);

 private:
  std::string source_;
  Guarded<Bytes> directories_;
};

}  // namespace cairn
