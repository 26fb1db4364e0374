// fs_mv and fs_cp: where things land, and that nothing is ever overwritten.
#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::Says;
using tools_testing::text;

class FsMvTest : public tools_testing::ToolTest {
 protected:
  json::Object arguments(std::string_view from, std::string_view to) {
    return {{"nodeKey", depot_}, {"from", from}, {"to", to}};
  }
};

TEST_F(FsMvTest, AMoveTakesAwayAndACopyDoesNot) {
  put("a.txt", "1");
  const auto moved = call("fs_mv", arguments("a.txt", "new/b.txt"));
  EXPECT_EQ(content_at(text(moved, "newRoot"), "new/b.txt"), "1");
  EXPECT_FALSE(exists(text(moved, "newRoot"), "a.txt"));
  const auto copied = call("fs_cp", arguments("a.txt", "new/b.txt"));
  EXPECT_EQ(content_at(text(copied, "newRoot"), "new/b.txt"), "1");
  EXPECT_EQ(content_at(text(copied, "newRoot"), "a.txt"), "1");
}

TEST_F(FsMvTest, OntoAFileIsRefusedAndBothStay) {
  put_all({{"a.txt", "1"}, {"b.txt", "2"}, {"d/x", ""}});
  for (const auto* how : {"fs_mv", "fs_cp"}) {
    for (const auto* from : {"a.txt", "d", "b.txt"}) {
      EXPECT_THAT(refused(how, arguments(from, "b.txt")),
                  Says(Code::kTargetExists, "'b.txt' already exists"))
          << how << from;
    }
  }
}

TEST_F(FsMvTest, OntoADirectoryItGoesIntoItUnlessItsNameIsTakenThere) {
  put_all({{"a.txt", "1"}, {"d/x", ""}, {"e/a.txt", "other"}});
  for (const auto* how : {"fs_mv", "fs_cp"}) {
    const auto done = call(how, arguments("a.txt", "d"));
    EXPECT_EQ(text(done, "to"), "d/a.txt") << how;
    EXPECT_EQ(content_at(text(done, "newRoot"), "d/a.txt"), "1");
    EXPECT_THAT(refused(how, arguments("a.txt", "e")), Says(Code::kTargetExists, "'e/a.txt'"));
  }
}

TEST_F(FsMvTest, ADirectoryIsCopiedIntoItselfButNeverMovedThere) {
  put("d/x", "1");
  EXPECT_THAT(refused("fs_mv", arguments("d", "d/e")), Says(Code::kMoveIntoSelf, "'d'"));
  EXPECT_EQ(refused("fs_mv", arguments("d", "d")).code, Code::kMoveIntoSelf);
  const auto copied = call("fs_cp", arguments("d", "d/e"));
  EXPECT_EQ(content_at(text(copied, "newRoot"), "d/e/x"), "1");
  EXPECT_FALSE(exists(text(copied, "newRoot"), "d/e/e"));
}

TEST_F(FsMvTest, TheRootIsNeitherMovedNorCopied) {
  put("d/x", "1");
  EXPECT_THAT(refused("fs_mv", arguments("", "d")), Says(Code::kInvalidPath, "cannot be moved"));
  EXPECT_THAT(refused("fs_cp", arguments("", "d")), Says(Code::kInvalidPath, "cannot be copied"));
}

TEST_F(FsMvTest, AFileInTheWayOfTheTargetIsNamed) {
  put_all({{"a.txt", "1"}, {"f", "2"}});
  for (const auto* how : {"fs_mv", "fs_cp"}) {
    EXPECT_THAT(refused(how, arguments("a.txt", "f/b")), Says(Code::kNotADirectory, "f")) << how;
  }
  EXPECT_EQ(refused("fs_mv", arguments("a.txt", "a.txt/b")).code, Code::kNotADirectory);
  EXPECT_THAT(refused("fs_mv", arguments("b.txt", "c")), Says(Code::kPathNotFound, "a.txt"));
}

TEST_F(FsMvTest, ACopyStoresNoContentTwice) {
  put("d/large.bin", std::string(100'000, 'x'));
  const auto bytes = [&] { return call("get_usage", {}).at("logicalBytes").to_number<int>(); };
  const auto before = bytes();
  call("fs_cp", arguments("d", "e"));
  EXPECT_LT(bytes() - before, 2000);
}

}  // namespace
}  // namespace cairn
