#include "base/os/plain_files.h"

#include <cerrno>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/os/disk_files.h"
#include "base/os/os_testing.h"

namespace cairn::os {
namespace {

class Denying final : public Faults {
 public:
  explicit Denying(Call call) : call_(call) {}
  int before(Call call) override { return call == call_ ? EIO : 0; }
  std::size_t portion(Call, std::size_t) override { return 1; }

 private:
  Call call_;
};

TEST(PlainFiles, AreMadeAndWrittenInPlaceOrAtTheEnd) {
  const TempTree dir;
  const auto path = dir.at("f");
  const auto log = open_to_write(path, Writes::kAtTheEnd, 0600);
  ASSERT_TRUE(log);
  EXPECT_EQ(write_once(log->fd(), "abc"), 3U);
  const auto note = open_to_write(path, Writes::kInPlace, 0600);
  ASSERT_TRUE(note);
  EXPECT_EQ(write_once_at(note->fd(), 1, "X"), 1U);
  EXPECT_EQ(write_once(log->fd(), "d"), 1U);
  EXPECT_EQ(read_file(path), "aXcd");
  EXPECT_EQ(open_to_write(dir.root(), Writes::kInPlace, 0600).error(), EISDIR);
}

TEST(PlainFiles, TakeBlocksOfTheirOwn) {
  const TempTree dir;
  const auto file = open_to_write(dir.at("f"), Writes::kInPlace, 0600);
  ASSERT_TRUE(file);
  ASSERT_TRUE(take_blocks(file->fd(), 8192));
  EXPECT_EQ(stat(file->fd())->stx_size, 8192U);
  EXPECT_GE(stat(file->fd())->stx_blocks, 16U);
}

TEST(PlainFiles, FailWithWhatTheKernelSays) {
  const TempTree dir;
  const auto file = open_to_write(dir.at("f"), Writes::kInPlace, 0600);
  ASSERT_TRUE(file);
  Denying writes(Call::kWrite);
  Denying opens(Call::kOpen);
  Denying none(Call::kList);
  EXPECT_EQ(open_to_write(dir.at("g"), Writes::kInPlace, 0600, {.faults = &opens}).error(), EIO);
  EXPECT_EQ(write_once(file->fd(), "abc", {.faults = &writes}).error(), EIO);
  EXPECT_EQ(write_once(file->fd(), "abc", {.faults = &none}), 1U);
  EXPECT_EQ(take_blocks(file->fd(), 1, {.faults = &writes}).error(), EIO);
}

TEST(PlainFiles, TellTheRoomOfTheirDisk) {
  const TempTree dir;
  const auto space = space_at(dir.root());
  ASSERT_TRUE(space);
  EXPECT_GT(space->capacity, 0U);
  EXPECT_LE(space->free, space->capacity);
  EXPECT_EQ(space_at(dir.at("none")).error(), ENOENT);
}

}  // namespace
}  // namespace cairn::os
