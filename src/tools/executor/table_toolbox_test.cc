#include "tools/executor/table_toolbox.h"

#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::Contains;
using testing::Not;
using tools_testing::Says;
using tools_testing::text;

class TableToolboxTest : public tools_testing::ToolTest {
 protected:
  TableToolbox box(const Caller& caller, const SelectionRequest& request) {
    return {executor(), caller, Selection::parse(request, executor().table()).value()};
  }
  static std::vector<std::string> names(const TableToolbox& box) {
    std::vector<std::string> out;
    for (const auto* tool : box.offered()) out.push_back(tool->name);
    return out;
  }
};

TEST_F(TableToolboxTest, WhatWasNotSelectedIsNotThereThoughItExists) {
  const auto small = box(owner_, {.tools = "fs_read,fs_ls"});
  EXPECT_THAT(names(small), testing::UnorderedElementsAre("fs_read", "fs_ls"));
  EXPECT_THAT(small.find("fs_rm").error(), Says(Code::kToolNotFound, "'fs_rm'"));
  EXPECT_THAT(small.find("fs_raed").error(), Says(Code::kToolNotFound, "fs_read"));
}

TEST_F(TableToolboxTest, WhatTheCallerMayNotDoIsNotOffered) {
  EXPECT_THAT(names(box(owner_, {.toolsets = "all"})), Contains("create_depot"));
  const auto reader = names(box(delegate({}), {.toolsets = "all"}));
  EXPECT_THAT(reader, Contains("fs_read"));
  EXPECT_THAT(reader, Not(Contains("fs_write")));
  put("docs/a", "1");
  const auto scoped = delegate(
      {{"canUpload", true}, {"canManageDepot", true}, {"scope", json::Array{depot_ + "/docs"}}});
  EXPECT_THAT(names(box(scoped, {.toolsets = "all"})), Contains("fs_write"));
  EXPECT_THAT(names(box(scoped, {.toolsets = "all"})), Not(Contains("create_depot")));
}

TEST_F(TableToolboxTest, ACallGoesThroughTheExecutor) {
  const auto all = box(owner_, {});
  const auto written = all.run(*all.find("fs_write").value(),
                               {{"nodeKey", depot_}, {"path", "a"}, {"content", "1"}}, {});
  ASSERT_TRUE(written);
  EXPECT_EQ(all.run(*all.find("fs_write").value(), {{"nodeKey", depot_}}, {}).error().code,
            Code::kInvalidArgument);
  const auto log = call("get_audit", {{"tool", "fs_write"}});
  EXPECT_EQ(log.at("entries").get_array().size(), 2U);
}

TEST_F(TableToolboxTest, SmallCallsAreQuickUnlessHistoriesMayBeLookedThrough) {
  put("docs/a", "1");
  const auto all = box(owner_, {});
  const auto& read = *all.find("fs_read").value();
  EXPECT_TRUE(all.is_quick(read, {{"nodeKey", depot_}, {"path", "a"}}));
  EXPECT_FALSE(all.is_quick(read, {{"nodeKey", depot_}, {"path", "a"}, {"startLine", 9}}));
  EXPECT_FALSE(all.is_quick(*all.find("fs_grep").value(), {}));
  EXPECT_FALSE(box(writer_in("docs"), {}).is_quick(read, {{"nodeKey", depot_}, {"path", "a"}}));
}

TEST_F(TableToolboxTest, ABoxIsGoodAsLongAsItsCallerIs) {
  const auto child = delegate({});
  const auto open = box(child, {});
  EXPECT_TRUE(open.still_valid());
  call("revoke_delegate", {{"delegateId", id_of(child)}});
  EXPECT_FALSE(open.still_valid());
}

}  // namespace
}  // namespace cairn
