#include "data/workspace/client_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn {
namespace {

using testing::ElementsAre;

TEST(ClientPath, IsMadeNormalByItsNamesAlone) {
  struct Case {
    const char* path;
    const char* normal;
  };
  const Case cases[] = {{"/", "/"},
                        {"//", "/"},
                        {"/a/b", "/a/b"},
                        {"/a//b/", "/a/b"},
                        {"/a/./b/.", "/a/b"},
                        {"/a/../b", "/b"},
                        {"/a/b/../..", "/"},
                        {"/../../a", "/a"},
                        {"/a/.../b", "/a/.../b"},
                        {"/a/..b/c", "/a/..b/c"},
                        {"/..", "/"}};
  for (const auto& c : cases) EXPECT_EQ(lexically_normal(c.path), c.normal) << c.path;
}

TEST(ClientPath, KnowsWhatIsInADirectory) {
  EXPECT_TRUE(path_is_in("/a", "/a"));
  EXPECT_TRUE(path_is_in("/a/b", "/a"));
  EXPECT_TRUE(path_is_in("/a", "/"));
  EXPECT_FALSE(path_is_in("/ab", "/a"));
  EXPECT_FALSE(path_is_in("/a", "/a/b"));
  EXPECT_EQ(join_path("/", "a"), "/a");
  EXPECT_EQ(join_path("/a", "b"), "/a/b");
}

TEST(ClientPath, IsFoundInTheLongestRoot) {
  const RootPaths roots({{"/a", "/a"}, {"/a/b", "/real/b"}, {"/c", "/a"}}, "/home/me");
  EXPECT_THAT(roots.all(), ElementsAre("/a", "/a/b", "/real/b", "/c"));
  struct Case {
    const char* text;
    std::size_t root;
    const char* rest;
  };
  const Case cases[] = {{"x", 0, "x"},
                        {"", 0, ""},
                        {"b/x", 1, "x"},
                        {"/a/b", 1, ""},
                        {"/real/b/x/y", 1, "x/y"},
                        {"../c/x", 2, "x"},
                        {"/c", 2, ""},
                        {"../real/b/./z", 1, "z"}};
  for (const auto& c : cases) {
    const auto path = roots.parse(c.text);
    ASSERT_TRUE(path) << c.text << ": " << path.error().render();
    EXPECT_EQ(path->root, c.root) << c.text;
    EXPECT_STREQ(path->rest(), c.rest) << c.text;
  }
  for (const auto* text : {"/ab", "/real", "/real/bb", "/", "~", "~/x", "../../a/../x"}) {
    const auto path = roots.parse(text);
    ASSERT_FALSE(path) << text;
    EXPECT_EQ(path.error().code, Code::kPathOutside) << text;
  }
  EXPECT_EQ(roots.parse("/x").error().message,
            "Access denied - path outside allowed directories: /x not in /a, /a/b, /real/b, /c");
}

TEST(ClientPath, OfTheWholeMachineHasNoOutside) {
  const RootPaths roots({{"/", "/"}}, "");
  EXPECT_STREQ(roots.parse("/etc/passwd")->rest(), "etc/passwd");
  EXPECT_STREQ(roots.parse("../../x")->rest(), "x");
  EXPECT_TRUE(roots.parse("/")->is_root());
  EXPECT_EQ(roots.relative("/a/b"), "a/b");
  EXPECT_EQ(roots.relative("/"), ".");
}

}  // namespace
}  // namespace cairn
