// Where the nodes of an import go: files as they are read, by several threads; directories when
// all that is in them is stored. A directory is never in the store without its children.
//
// A rehearsal stores nothing: files are forgotten, and directories are kept in memory.
//
// Threads     any; a Files is for one.
// Fails with  QUOTA_EXCEEDED, IO_ERROR from the store.
// Costs       memory for some mebibytes of nodes in each thread, whatever the size of the import;
//             a rehearsal, for every directory that is new or changed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/mutex.h"
#include "data/store/node_store.h"

namespace cairn {

class ImportNodes final : public NodeReader {
 public:
  enum class Keep { kInStore, kNothing };

  ImportNodes(NodeStore& store, Keep keep) : store_(store), keep_(keep) {}
  ImportNodes(const ImportNodes&) = delete;
  ImportNodes& operator=(const ImportNodes&) = delete;

  // What one thread reads.
  class Files final : public NodeSink {
   public:
    explicit Files(ImportNodes& nodes) : nodes_(nodes) {}
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;
    ~Files() override;

    Result<void> add(NodePtr node) override;
    Result<void> flush();
    // Flushes when directories have waited for long. To be called now and then.
    Result<void> relieve();

   private:
    ImportNodes& nodes_;
    std::vector<NodePtr> batch_;
    std::size_t bytes_ = 0;
    std::uint64_t since_ = 0;  // as in Shelf, of the first in the batch
  };

  // The nodes of a directory, children first, after whatever is in it was added.
  Result<void> add_directory(std::vector<NodePtr> nodes);
  // Stores what is left. REQUIRES: every Files was flushed.
  Result<void> finish();

  // What is stored, and the directories of a rehearsal.
  Result<NodePtr> get(const NodeKey& key) const override;
  // A node of a directory of a rehearsal; null when it is none.
  NodePtr kept(const NodeKey& key) const;

 private:
  struct Waiting {
    std::uint64_t number = 0;
    NodePtr node;
  };
  // Whatever comes is numbered. A directory may go when all with smaller numbers are stored.
  struct Shelf {
    std::uint64_t numbers = 0;
    std::multiset<std::uint64_t> unstored;  // the oldest of each thread's batch
    std::deque<Waiting> directories;        // those below before those above
    std::size_t bytes = 0;
  };

  Result<void> store_directories();
  std::vector<NodePtr> next_directories();

  NodeStore& store_;
  const Keep keep_;
  Guarded<Shelf> shelf_;
  std::atomic<bool> pressed_ = false;
  // One thread at a time stores directories, so that those below are stored first.
  Mutex storing_;
  mutable Guarded<std::unordered_map<NodeKey, NodePtr>> kept_;
};

}  // namespace cairn
