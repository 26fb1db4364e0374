#include "exposure/mirror/watch.h"

#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>

namespace cairn::mirror {
namespace {

using std::chrono::milliseconds;
using Woken = MirrorWatch::Woken;

class Watched : public testing::Test {
 protected:
  void SetUp() override {
    auto pattern = (std::filesystem::temp_directory_path() / "cairn-watch-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    add(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void add(const std::filesystem::path& path) {
    const os::Handle directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY));
    watch_.add(directory.fd());
  }

  SystemClock clock_;
  os::Handle stop_{::eventfd(0, 0)};
  MirrorWatch watch_{clock_, stop_.fd()};
  std::filesystem::path root_;
};

TEST_F(Watched, WakesForAChange) {
  EXPECT_EQ(watch_.wait(milliseconds(1)), Woken::kTime);
  std::ofstream(root_ / "a") << "x";
  EXPECT_EQ(watch_.wait(milliseconds(5000)), Woken::kChange);
  EXPECT_EQ(watch_.wait(milliseconds(1)), Woken::kTime);
  std::filesystem::remove(root_ / "a");
  EXPECT_EQ(watch_.wait(milliseconds(5000)), Woken::kChange);
  EXPECT_EQ(watch_.trouble(), "");
}

TEST_F(Watched, WakesForChangesInDirectoriesThatWereAdded) {
  std::filesystem::create_directory(root_ / "d");
  EXPECT_EQ(watch_.wait(milliseconds(5000)), Woken::kChange);
  add(root_ / "d");
  add(root_ / "d");
  std::ofstream(root_ / "d/a") << "x";
  EXPECT_EQ(watch_.wait(milliseconds(5000)), Woken::kChange);
  std::filesystem::remove_all(root_ / "d");
  EXPECT_EQ(watch_.wait(milliseconds(5000)), Woken::kChange);
  EXPECT_EQ(watch_.wait(milliseconds(1)), Woken::kTime);
}

TEST_F(Watched, SleepsThroughItsOwnTemporaryFiles) {
  std::ofstream(root_ / ".cairn-mirror-0123456789ABCDEFGHJKMNPQRS") << "x";
  EXPECT_EQ(watch_.wait(milliseconds(50)), Woken::kTime);
}

TEST_F(Watched, SleepsThroughReading) {
  std::ofstream(root_ / "a") << "x";
  EXPECT_EQ(watch_.wait(milliseconds(5000)), Woken::kChange);
  std::string text;
  std::ifstream(root_ / "a") >> text;
  EXPECT_EQ(watch_.wait(milliseconds(50)), Woken::kTime);
}

TEST_F(Watched, EndsWhenToldTo) {
  std::ofstream(root_ / "a") << "x";
  ::eventfd_write(stop_.fd(), 1);
  EXPECT_EQ(watch_.wait(milliseconds(60'000)), Woken::kStop);
}

}  // namespace
}  // namespace cairn::mirror
