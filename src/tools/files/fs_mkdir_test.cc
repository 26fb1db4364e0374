#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

class FsMkdirTest : public tools_testing::ToolTest {
 protected:
  json::Object arguments(std::string_view path) { return {{"nodeKey", depot_}, {"path", path}}; }
};

TEST_F(FsMkdirTest, DirectoriesOnTheWayAreMade) {
  const auto made = call("fs_mkdir", arguments("a/b/c"));
  EXPECT_TRUE(is_true(made, "created"));
  EXPECT_TRUE(exists(text(made, "newRoot"), "a/b/c"));
}

TEST_F(FsMkdirTest, OneThatIsThereStaysAsItIs) {
  put("d/a.txt", "1");
  const auto made = call("fs_mkdir", arguments("d"));
  EXPECT_FALSE(is_true(made, "created"));
  EXPECT_EQ(text(made, "newRoot"), root());
}

TEST_F(FsMkdirTest, AFileIsNeverReplaced) {
  put("a", "1");
  EXPECT_THAT(refused("fs_mkdir", arguments("a")), Says(Code::kExistsAsFile, "'a' is a file"));
  EXPECT_THAT(refused("fs_mkdir", arguments("a/b")), Says(Code::kNotADirectory, "a"));
}

}  // namespace
}  // namespace cairn
