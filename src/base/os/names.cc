#include "base/os/names.h"

#include <string>
#include <utility>

#include <dirent.h>

namespace cairn::os {
namespace {

constexpr std::size_t kBuffer = std::size_t{64} * 1024;

}  // namespace

Outcome<NameReader> NameReader::open(int directory, const Kernel& kernel) {
  auto handle = open_listing(directory, kernel);
  if (!handle) return std::unexpected(handle.error());
  return NameReader(*std::move(handle), kernel);
}

NameReader::NameReader(Handle handle, const Kernel& kernel)
    : handle_(std::move(handle)),
      kernel_(kernel),
      buffer_(std::make_unique_for_overwrite<char[]>(kBuffer)) {}

// False at the end.
Outcome<bool> NameReader::refill() {
  const auto count = list(handle_.fd(), {buffer_.get(), kBuffer}, kernel_);
  if (!count) return std::unexpected(count.error());
  at_ = 0;
  end_ = *count;
  return end_ > 0;
}

Outcome<std::optional<RawName>> NameReader::next() {
  while (true) {
    if (at_ == end_) {
      const auto more = refill();
      if (!more) return std::unexpected(more.error());
      if (!*more) return std::nullopt;
    }
    const auto* const entry = reinterpret_cast<const dirent64*>(buffer_.get() + at_);
    at_ += entry->d_reclen;
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") return RawName{.name = name, .type = entry->d_type};
  }
}

unsigned char type_of(int directory, const RawName& entry, const Kernel& kernel) {
  if (entry.type != DT_UNKNOWN) return entry.type;
  const auto stat = stat_name(directory, std::string(entry.name), kernel);
  if (!stat) return DT_UNKNOWN;
  return static_cast<unsigned char>(IFTODT(stat->stx_mode));
}

}  // namespace cairn::os
