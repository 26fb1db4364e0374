#include "base/os/memory.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/os/os_testing.h"

namespace cairn::os {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// A root with these files in it.
std::size_t seen_with(const std::map<std::string, std::string>& files) {
  const TempTree tree;
  for (const auto& [name, content] : files) tree.file(name, content);
  return available_memory(tree.root());
}

const std::pair<std::string, std::string> kMachine{
    "proc/meminfo", "MemTotal:        1048576 kB\nMemFree:          1024 kB\n"};

TEST(Memory, IsTheMachinesWithoutALimit) {
  EXPECT_EQ(seen_with({kMachine}), 1024 * kMiB);
  EXPECT_EQ(
      seen_with(
          {kMachine, {"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/a/memory.max", "max\n"}}),
      1024 * kMiB);
  EXPECT_EQ(seen_with({kMachine,
                       {"proc/self/cgroup", "4:memory:/a\n"},
                       {"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"}}),
            1024 * kMiB);
}

TEST(Memory, IsTheSmallestOfTheGroupsAboveOne) {
  EXPECT_EQ(seen_with({kMachine,
                       {"proc/self/cgroup", "0::/a/b/c\n"},
                       {"sys/fs/cgroup/a/memory.max", "268435456\n"},
                       {"sys/fs/cgroup/a/b/memory.max", "536870912\n"},
                       {"sys/fs/cgroup/a/b/c/memory.max", "max\n"}}),
            256 * kMiB);
}

TEST(Memory, IsReadFromTheFirstVersionOfGroupsToo) {
  EXPECT_EQ(seen_with({kMachine,
                       {"proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/1\n0::/\n"},
                       {"sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "134217728\n"}}),
            128 * kMiB);
}

TEST(Memory, IsFoundInAContainerThatDoesNotSeeItsOwnName) {
  EXPECT_EQ(seen_with({kMachine,
                       {"proc/self/cgroup", "0::/docker/0123\n"},
                       {"sys/fs/cgroup/memory.max", "134217728\n"}}),
            128 * kMiB);
}

TEST(Memory, IsAGibibyteWhereNothingCanBeRead) {
  EXPECT_EQ(seen_with({}), 1024 * kMiB);
  EXPECT_EQ(seen_with({{"proc/meminfo", "nothing\n"}, {"proc/self/cgroup", "nothing\n"}}),
            1024 * kMiB);
}

TEST(Memory, OfThisMachineIsMoreThanNothing) { EXPECT_GT(available_memory(), 16 * kMiB); }

}  // namespace
}  // namespace cairn::os
