#include "tools/executor/joined_toolbox.h"

#include "tools/executor/table_toolbox.h"
#include "tools/tools_testing.h"

namespace cairn {
namespace {

class JoinedToolboxTest : public tools_testing::ToolTest {
 protected:
  ToolboxPtr box(std::string_view tools) {
    auto selection = Selection::parse({.tools = std::string(tools)}, executor().table()).value();
    return std::make_shared<const TableToolbox>(executor(), owner_, std::move(selection));
  }
};

TEST_F(JoinedToolboxTest, OffersFindsAndRunsWhatEitherHas) {
  const JoinedToolbox both(box("list_depots,fs_ls"), box("get_usage"));
  EXPECT_EQ(both.offered().size(), 3U);
  EXPECT_TRUE(both.still_valid());
  for (const std::string_view name : {"list_depots", "get_usage"}) {
    EXPECT_TRUE(both.run(*both.find(name).value(), {}, {})) << name;
  }
  const auto none = both.find("fs_lz");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error(), tools_testing::Says(Code::kToolNotFound, "fs_ls"));
  EXPECT_TRUE(both.is_quick(*both.find("fs_ls").value(), {}));
  EXPECT_TRUE(both.is_quick(*both.find("get_usage").value(), {}));
  // As long as there are depots.
  EXPECT_FALSE(both.is_quick(*both.find("list_depots").value(), {}));
}

}  // namespace
}  // namespace cairn
