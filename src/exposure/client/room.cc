#include "exposure/client/room.h"

#include <algorithm>
#include <system_error>

#include <sys/statvfs.h>

#include "exposure/client/human.h"

namespace cairn::client {
namespace {

std::string size_text(std::uint64_t bytes) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return human_size(static_cast<std::int64_t>(std::min(bytes, kMost)));
}

// The directory, or the next above it that is there.
std::filesystem::path existing(std::filesystem::path path) {
  std::error_code error;
  path = std::filesystem::absolute(path, error);
  while (!std::filesystem::exists(path, error) && path.has_relative_path()) {
    path = path.parent_path();
  }
  return path;
}

}  // namespace

Result<void> check_room(const std::filesystem::path& directory, const Amount& wanted,
                        const RoomLimits& limits) {
  if (wanted.files > limits.max_files) {
    return fail(Code::kStorageFull,
                "these are {} files, and {} is the limit; take a part, or raise it", wanted.files,
                limits.max_files);
  }
  if (wanted.bytes > limits.max_bytes) {
    return fail(Code::kStorageFull, "this is {}, and {} is the limit; take a part, or raise it",
                size_text(wanted.bytes), size_text(limits.max_bytes));
  }
  struct statvfs disk{};
  // What cannot be asked is found out when it is written.
  if (::statvfs(existing(directory).c_str(), &disk) != 0) return {};
  const auto free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  if (wanted.bytes > free) {
    return fail(Code::kStorageFull, "this is {}, and the disk of {} has room for {}; take a part",
                size_text(wanted.bytes), directory.string(), size_text(free));
  }
  // Some file systems do not count them.
  if (disk.f_files > 0 && wanted.files > disk.f_favail) {
    return fail(Code::kStorageFull,
                "these are {} files, and the disk of {} has room for {}; take a part", wanted.files,
                directory.string(), static_cast<std::uint64_t>(disk.f_favail));
  }
  return {};
}

}  // namespace cairn::client
