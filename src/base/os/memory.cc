#include "base/os/memory.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/os/disk_files.h"

namespace cairn::os {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUnknown = std::size_t{1} << 30;
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// `max` stands for none.
std::size_t number_or_no_limit(std::string_view text) {
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc() && bytes > 0 ? bytes : kNoLimit;
}

// Calls `visit` with each line, without its end.
template <typename Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// `MemTotal:       24681472 kB`
std::size_t of_the_machine(const fs::path& root) {
  const auto text = read_file(root / "proc/meminfo");
  std::size_t bytes = kNoLimit;
  for_each_line(text ? *text : "", [&](std::string_view line) {
    constexpr std::string_view kTotal = "MemTotal:";
    if (!line.starts_with(kTotal)) return;
    line.remove_prefix(std::min(line.find_first_of("0123456789"), line.size()));
    if (const auto kib = number_or_no_limit(line); kib != kNoLimit) bytes = kib * 1024;
  });
  return bytes;
}

// A group has no more than those above it. In a container the groups above, and often the name of
// its own, are not to be seen: then those that are count.
std::size_t of_groups(const fs::path& mounted, std::string_view group, const char* file) {
  std::size_t least = kNoLimit;
  auto at = fs::path(group).relative_path();
  while (true) {
    if (const auto line = read_line(mounted / at / file)) {
      least = std::min(least, number_or_no_limit(*line));
    }
    if (at.empty()) return least;
    at = at.parent_path();
  }
}

bool names_memory(std::string_view controllers) {
  return ("," + std::string(controllers) + ",").contains(",memory,");
}

// `0::/group` is of version 2, `4:memory:/group` of version 1.
std::size_t of_a_line(const fs::path& root, std::string_view line) {
  const auto first = line.find(':');
  const auto second = first == line.npos ? line.npos : line.find(':', first + 1);
  if (second == line.npos) return kNoLimit;
  const auto controllers = line.substr(first + 1, second - first - 1);
  const auto group = line.substr(second + 1);
  if (controllers.empty()) return of_groups(root / "sys/fs/cgroup", group, "memory.max");
  if (!names_memory(controllers)) return kNoLimit;
  return of_groups(root / "sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
}

}  // namespace

std::size_t available_memory(const fs::path& root) {
  auto bytes = of_the_machine(root);
  const auto groups = read_file(root / "proc/self/cgroup");
  for_each_line(groups ? *groups : "",
                [&](std::string_view line) { bytes = std::min(bytes, of_a_line(root, line)); });
  return bytes == kNoLimit ? kUnknown : bytes;
}

}  // namespace cairn::os
