#include "data/store/disk_room.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fcntl.h>
#include <sys/statvfs.h>

#include "base/os/handle.h"

namespace cairn {
namespace {

constexpr std::uint64_t kSmallestBase = 256 << 10;
constexpr std::uint64_t kLargestBase = 4 << 20;
// Of a small disk only so much is kept from its owner.
constexpr std::uint64_t kShareOfDisk = 64;

std::uint64_t capacity(const std::filesystem::path& store) {
  struct statvfs disk{};
  if (::statvfs(store.c_str(), &disk) != 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(disk.f_blocks) * disk.f_frsize;
}

}  // namespace

DiskRoom::DiskRoom(std::filesystem::path store, std::uint64_t reserve) : store_(std::move(store)) {
  const std::uint64_t share = capacity(store_) / kShareOfDisk;
  base_ = std::clamp(share, kSmallestBase, kLargestBase);
  reserve_ = std::min(reserve, std::max(share, kSmallestBase));
}

std::uint64_t DiskRoom::free_bytes() const {
  struct statvfs disk{};
  if (::statvfs(store_.c_str(), &disk) != 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
}

std::uint64_t DiskRoom::missing_reserve() const {
  std::error_code error;
  return std::filesystem::exists(reserve_file(store_), error) ? 0 : reserve_;
}

void DiskRoom::make_reserve() {
  if (missing_reserve() == 0 || free_bytes() < 2 * (reserve_ + base_)) return;
  const os::Handle file(::open(reserve_file(store_).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!file.valid()) return;
  // Blocks of its own, not a hole.
  if (::posix_fallocate(file.fd(), 0, static_cast<off_t>(reserve_)) != 0) release_reserve();
}

bool DiskRoom::release_reserve() {
  std::error_code error;
  return std::filesystem::remove(reserve_file(store_), error) && !error;
}

}  // namespace cairn
