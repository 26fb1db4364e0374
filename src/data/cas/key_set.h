// KeySet: a set of node keys for those that note every node of a store.
//
// Keys are hashes already, so a key's first bytes say where it lies: in one of 16 tables with
// linear probing, each growing by itself, so that growing never takes twice the room. There are
// few, so that each of a large set is a piece of memory of its own, which goes back to the system.
//
// Threads     one at a time.
// Costs       about 42 bytes for each key.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "data/cas/node_key.h"

namespace cairn {

class KeySet final {
 public:
  // False: it was there.
  bool insert(const NodeKey& key);
  bool contains(const NodeKey& key) const;
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void clear();

  // The bytes it takes.
  std::size_t memory() const;

 private:
  // A place with the key of no bytes set is free.
  struct Table {
    std::vector<NodeKey> places;
    std::size_t used = 0;
  };

  static void grow(Table& table);

  std::array<Table, 16> tables_;
  bool has_zero_ = false;  // the key that marks free places
  std::size_t size_ = 0;
};

}  // namespace cairn
