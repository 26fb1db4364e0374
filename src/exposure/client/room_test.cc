#include "exposure/client/room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os/os_testing.h"

namespace cairn::client {
namespace {

TEST(CheckRoom, RefusesWhatNoDiskHoldsAndWhatIsOverALimit) {
  const os::TempTree tree;
  struct Case {
    Amount wanted;
    RoomLimits limits;
    bool fits;
  };
  const Case cases[] = {
      {{.files = 1, .bytes = 10}, {}, true},
      {{.files = 1, .bytes = std::uint64_t{1} << 50}, {}, false},
      {{.files = std::uint64_t{1} << 40, .bytes = 0}, {}, false},
      {{.files = 1, .bytes = 10}, {.max_bytes = 9}, false},
      {{.files = 3, .bytes = 10}, {.max_files = 2}, false},
  };
  for (const auto& one : cases) {
    const auto room = check_room(tree.at("not/there/yet"), one.wanted, one.limits);
    EXPECT_EQ(room.has_value(), one.fits) << one.wanted.files << " " << one.wanted.bytes;
    if (!room) {
      EXPECT_EQ(room.error().code, Code::kStorageFull);
    }
  }
}

}  // namespace
}  // namespace cairn::client
