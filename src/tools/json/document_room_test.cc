#include "tools/json/document_room.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace cairn {
namespace {

using std::chrono::minutes;

TEST(DocumentRoom, LetsOneInWhateverItsSizeAndNobodyBesideIt) {
  const auto room = std::make_shared<DocumentRoom>(100, std::chrono::milliseconds(0));
  auto large = room->take(1000);
  ASSERT_TRUE(large);
  const auto refused = room->take(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kRateLimited);
  EXPECT_EQ(room->waiting(), 0U) << "who gave up is not waited for";
  large->reset();
  EXPECT_TRUE(room->take(1));
  EXPECT_EQ(room->taken(), 0U);
}

TEST(DocumentRoom, IsForAsManyAsFit) {
  const auto room = std::make_shared<DocumentRoom>(100, std::chrono::milliseconds(0));
  const auto one = room->take(60);
  ASSERT_TRUE(one);
  EXPECT_FALSE(room->take(41));
  const auto two = room->take(40);
  EXPECT_TRUE(two);
  (*one)->become(20);
  EXPECT_TRUE(room->take(40));
  EXPECT_EQ(room->taken(), 60U);
}

TEST(DocumentRoom, IsWaitedForInTheOrderOfComing) {
  const auto room = std::make_shared<DocumentRoom>(100, minutes(5));
  auto held = room->take(100);
  ASSERT_TRUE(held);
  std::atomic<int> in = 0;
  std::jthread large([&] {
    const auto mine = room->take(90);
    EXPECT_TRUE(mine);
    EXPECT_EQ(in.fetch_add(1), 0);
    while (room->waiting() == 0) std::this_thread::yield();
  });
  while (room->waiting() < 1) std::this_thread::yield();
  std::jthread small([&] {
    const auto mine = room->take(20);
    EXPECT_TRUE(mine);
    EXPECT_EQ(in.fetch_add(1), 1) << "it would have fitted before the one that came first";
  });
  while (room->waiting() < 2) std::this_thread::yield();
  (*held)->become(80);
  EXPECT_EQ(in, 0);
  held->reset();
}

}  // namespace
}  // namespace cairn
