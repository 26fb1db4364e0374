// DiskRoom: whether the disk under a store has room, and a reserve for when it has none.
//
// RocksDB needs room to get going again after a write that found none, and so does whatever makes
// room: a deletion is written too. So a file in the store holds some blocks for that. It is given
// up when a write fails for want of room, and made again when there is enough.
//
// Threads     free_bytes() and base() from any thread; the reserve belongs to whoever writes.
// Fails with  nothing: where a reserve cannot be made, there is none.
#pragma once

#include <cstdint>
#include <filesystem>

namespace cairn {

class DiskRoom final {
 public:
  // `reserve`: at most so many bytes, and a small part of the disk; 0: none.
  DiskRoom(std::filesystem::path store, std::uint64_t reserve);

  // For those who may not use the disk to its last block; the largest number when it cannot be
  // told.
  std::uint64_t free_bytes() const;
  // Below this the disk counts as full, whatever is yet to be written out.
  std::uint64_t base() const { return base_; }

  // Makes it when it is not there and room enough would be left.
  void make_reserve();
  // True: there was one.
  bool release_reserve();
  // What it still has to take, when it is made.
  std::uint64_t missing_reserve() const;

  static std::filesystem::path reserve_file(const std::filesystem::path& store) {
    return store / "RESERVE";
  }

 private:
  std::filesystem::path store_;
  std::uint64_t reserve_ = 0;
  std::uint64_t base_ = 0;
};

}  // namespace cairn
