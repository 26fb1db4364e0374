#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::Says;
using tools_testing::text;

class GetUsageTest : public tools_testing::ToolTest {
 protected:
  std::int64_t used(const Caller& caller, std::string_view what) {
    return call(caller, "get_usage", {}).at(what).to_number<std::int64_t>();
  }
};

TEST_F(GetUsageTest, WhatIsStoredIsCountedOnce) {
  put("a", std::string(50'000, 'x'));
  const auto nodes = used(owner_, "nodeCount");
  const auto bytes = used(owner_, "logicalBytes");
  EXPECT_GE(bytes, 50'000);
  EXPECT_LT(used(owner_, "physicalBytes"), bytes);
  write("a", std::string(50'000, 'x'));
  EXPECT_EQ(used(owner_, "nodeCount"), nodes);
}

TEST_F(GetUsageTest, ARealmIsCountedForItself) {
  const auto other = another_user("carol");
  const auto before = used(other, "nodeCount");
  put("a", "1");
  EXPECT_EQ(used(other, "nodeCount"), before);
}

TEST_F(GetUsageTest, WhoSeesAPartIsNotToldOfTheWhole) {
  put("docs/a", "1");
  EXPECT_THAT(refused(writer_in("docs"), "get_usage", {}), Says(Code::kForbidden, "a part"));
  EXPECT_EQ(refused(delegate({{"delegatedDepots", json::Array{depot_}}}), "get_usage", {}).code,
            Code::kForbidden);
  EXPECT_GT(used(delegate({}), "nodeCount"), 0);
}

TEST_F(GetUsageTest, AQuotaStopsWhatIsOverItAndIsSaid) {
  call("update_user", {{"userId", "owner"}, {"quota", 20'000}});
  EXPECT_EQ(used(owner_, "quotaLimit"), 20'000);
  std::string noise;
  for (int i = 0; i < 4000; ++i) noise += fmt::format("{:x}", i * 2'654'435'761LL);
  const auto before = used(owner_, "nodeCount");
  EXPECT_EQ(refused("fs_write", {{"nodeKey", depot_}, {"path", "a"}, {"content", noise}}).code,
            Code::kQuotaExceeded);
  EXPECT_EQ(used(owner_, "nodeCount"), before);
}

}  // namespace
}  // namespace cairn
