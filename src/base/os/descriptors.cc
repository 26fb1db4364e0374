#include "base/os/descriptors.h"

#include <algorithm>

#include <sys/resource.h>

namespace cairn::os {
namespace {

constexpr std::size_t kMostForStore = 1024;
constexpr std::size_t kMostConnections = 10'000;
// Without a limit, as where it cannot be asked for.
constexpr std::size_t kUsual = 1024;

}  // namespace

std::size_t descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kUsual;
  return static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, 1 << 24));
}

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  return descriptor_limit();
}

DescriptorShares DescriptorShares::of(std::size_t limit) {
  // A quarter each for the store's tables and for what is opened besides: logs, manifests, files
  // that are imported and exported, the threads' own.
  const std::size_t store = std::min(kMostForStore, limit / 4);
  const std::size_t besides = std::min(kMostForStore, limit / 4);
  return {store, std::min(kMostConnections, limit - store - besides)};
}

}  // namespace cairn::os
