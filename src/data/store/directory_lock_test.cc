#include "data/store/directory_lock.h"

#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "base/random.h"

namespace cairn {
namespace {

class DirectoryLockTest : public ::testing::Test {
 protected:
  DirectoryLockTest() { std::filesystem::create_directories(directory); }
  ~DirectoryLockTest() override { std::filesystem::remove_all(directory); }

  std::filesystem::path directory = std::filesystem::temp_directory_path() /
                                    fmt::format("cairn-lock-{:x}", std::random_device()());
};

TEST_F(DirectoryLockTest, IsHeldByOneUntilItIsGone) {
  {
    auto first = DirectoryLock::take(directory);
    ASSERT_TRUE(first);
    auto second = DirectoryLock::take(directory);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Code::kStoreLocked);
  }
  EXPECT_TRUE(DirectoryLock::take(directory));
}

TEST_F(DirectoryLockTest, MovesWithItsOwner) {
  std::optional<DirectoryLock> kept;
  {
    auto taken = DirectoryLock::take(directory);
    ASSERT_TRUE(taken);
    kept.emplace(std::move(*taken));
  }
  EXPECT_FALSE(DirectoryLock::take(directory));
  kept.reset();
  EXPECT_TRUE(DirectoryLock::take(directory));
}

TEST_F(DirectoryLockTest, NeedsADirectory) {
  auto lock = DirectoryLock::take(directory / "none");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, Code::kIoError);
}

}  // namespace
}  // namespace cairn
