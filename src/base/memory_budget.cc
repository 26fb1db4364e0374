#include "base/memory_budget.h"

#include <algorithm>

namespace cairn {
namespace {

// As a server that has just started takes, and some connections.
constexpr std::size_t kProgram = std::size_t{24} << 20;
// RocksDB gains nothing from more: its log is bounded, and is read again after a crash.
constexpr std::size_t kMostWriteBuffers = std::size_t{192} << 20;
constexpr std::size_t kMostSeen = std::size_t{256} << 20;

// Of what the program itself leaves, in 64ths.
constexpr std::size_t kParts = 64;
constexpr std::size_t kSlack = 8;
constexpr std::size_t kDicts = 7;
constexpr std::size_t kBlocks = 5;
constexpr std::size_t kWriteBuffers = 9;
constexpr std::size_t kDocuments = 8;
constexpr std::size_t kSeen = 2;
constexpr std::size_t kInFlight = 16;

MemoryBudget divide(std::size_t total) {
  const auto left = total - kProgram;
  const auto part = [left](std::size_t parts) { return left / kParts * parts; };
  MemoryBudget out;
  out.total = total;
  out.program = kProgram;
  out.slack = part(kSlack);
  out.dicts = part(kDicts);
  out.blocks = part(kBlocks);
  out.write_buffers = std::min(part(kWriteBuffers), kMostWriteBuffers);
  out.documents = part(kDocuments);
  out.seen = std::min(part(kSeen), kMostSeen);
  out.in_flight = part(kInFlight);
  // Whatever is left: contents gain from any room.
  out.data = left - out.slack - out.dicts - out.blocks - out.write_buffers - out.documents -
             out.seen - out.in_flight;
  return out;
}

}  // namespace

Result<MemoryBudget> MemoryBudget::of(std::size_t total) {
  if (total >= kLeast) return divide(total);
  return fail(Code::kInvalidArgument,
              "{} bytes of memory are not enough; give at least {}MB, or leave it out", total,
              kLeast / 1'000'000);
}

MemoryBudget MemoryBudget::usual(std::size_t available) {
  return divide(std::max(available / 4, kLeast));
}

MemoryBudget MemoryBudget::of_a_command(std::size_t available) {
  return divide(std::clamp(available / 4, kLeast, kOfACommand));
}

std::array<MemoryBudget::Share, 9> MemoryBudget::shares() const {
  return {{{"program", program},
           {"slack", slack},
           {"dicts", dicts},
           {"data", data},
           {"blocks", blocks},
           {"write_buffers", write_buffers},
           {"documents", documents},
           {"seen", seen},
           {"in_flight", in_flight}}};
}

}  // namespace cairn
