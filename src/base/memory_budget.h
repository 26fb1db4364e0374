// MemoryBudget: how much memory a process may use, and how that is shared out.
//
// Every share but `program` and `slack` is the bound of one thing that holds memory; `in_flight` is
// of what calls hold while they run, and of nothing that is kept.
//
// Invariants  the shares add up to the total.
// Threads     a value; share it freely.
// Fails with  INVALID_ARGUMENT from of().
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace cairn {

struct MemoryBudget {
  // With less there is no room for the program itself.
  static constexpr std::size_t kLeast = 64'000'000;
  // Enough for a program that nobody told otherwise, where the machine has more than that.
  static constexpr std::size_t kOfACommand = std::size_t{512} << 20;

  std::size_t total = 0;
  std::size_t program = 0;        // the program itself: code that was touched, threads, connections
  std::size_t slack = 0;          // what the allocator holds and nobody uses
  std::size_t dicts = 0;          // directories that were decoded
  std::size_t data = 0;           // nodes of file contents
  std::size_t blocks = 0;         // blocks of RocksDB's tables
  std::size_t write_buffers = 0;  // what RocksDB has not yet written out of its log
  std::size_t documents = 0;      // JSON documents that were parsed
  std::size_t seen = 0;           // what agents have seen
  std::size_t in_flight = 0;      // bodies, answers, and whatever else a call holds while it runs

  static Result<MemoryBudget> of(std::size_t total);
  // A quarter of what there is, or the least there can be: the rest is for other programs, for
  // files that the system keeps in memory, and for what grows with a store (docs/cli.md).
  static MemoryBudget usual(std::size_t available);
  // The same for a command that ends soon: no more than `kOfACommand`.
  static MemoryBudget of_a_command(std::size_t available);

  using Share = std::pair<std::string_view, std::size_t>;
  // Name and bytes of each; without the total.
  std::array<Share, 9> shares() const;

  bool operator==(const MemoryBudget&) const = default;
};

}  // namespace cairn
