#include "data/store/disk_room.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/os/plain_files.h"

namespace cairn {
namespace {

constexpr std::uint64_t kSmallestBase = 256 << 10;
constexpr std::uint64_t kLargestBase = 4 << 20;
// Of a small disk only so much is kept from its owner.
constexpr std::uint64_t kShareOfDisk = 64;

// A disk that cannot be asked is taken for one with room: writing will tell.
os::DiskSpace space_of(const std::filesystem::path& store) {
  constexpr auto kPlenty = std::numeric_limits<std::uint64_t>::max();
  return os::space_at(store).value_or(os::DiskSpace{.capacity = kPlenty, .free = kPlenty});
}

}  // namespace

DiskRoom::DiskRoom(std::filesystem::path store, std::uint64_t reserve) : store_(std::move(store)) {
  const std::uint64_t share = space_of(store_).capacity / kShareOfDisk;
  base_ = std::clamp(share, kSmallestBase, kLargestBase);
  reserve_ = std::min(reserve, std::max(share, kSmallestBase));
}

std::uint64_t DiskRoom::free_bytes() const { return space_of(store_).free; }

std::uint64_t DiskRoom::missing_reserve() const {
  std::error_code error;
  return std::filesystem::exists(reserve_file(store_), error) ? 0 : reserve_;
}

void DiskRoom::make_reserve() {
  if (missing_reserve() == 0 || free_bytes() < 2 * (reserve_ + base_)) return;
  const auto file = os::open_to_write(reserve_file(store_), os::Writes::kInPlace, 0600);
  if (!file) return;
  if (!os::take_blocks(file->fd(), reserve_)) release_reserve();
}

bool DiskRoom::release_reserve() {
  std::error_code error;
  return std::filesystem::remove(reserve_file(store_), error) && !error;
}

}  // namespace cairn
