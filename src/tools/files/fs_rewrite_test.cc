#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::Says;
using tools_testing::text;

json::Value from(std::string_view path) { return json::Object{{"from", path}}; }

class FsRewriteTest : public tools_testing::ToolTest {
 protected:
  json::Object arguments(const json::Object& entries, const json::Array& deletes = {}) {
    return {{"nodeKey", depot_}, {"entries", entries}, {"deletes", deletes}};
  }
};

TEST_F(FsRewriteTest, FromMeansTheTreeAsItWasSoTwoFilesCanBeSwapped) {
  put_all({{"a", "1"}, {"b", "2"}});
  const auto done = call("fs_rewrite", arguments({{"a", from("b")}, {"b", from("a")}}));
  EXPECT_EQ(content_at(text(done, "newRoot"), "a"), "2");
  EXPECT_EQ(content_at(text(done, "newRoot"), "b"), "1");
  EXPECT_EQ(done.at("entriesApplied"), 2);
}

TEST_F(FsRewriteTest, FromWithADeleteIsAMove) {
  put("old/a", "1");
  const auto done = call("fs_rewrite", arguments({{"new", from("old")}}, {"old"}));
  EXPECT_EQ(content_at(text(done, "newRoot"), "new/a"), "1");
  EXPECT_FALSE(exists(text(done, "newRoot"), "old"));
  EXPECT_EQ(done.at("deleted"), 1);
}

TEST_F(FsRewriteTest, AllOfItIsDoneOrNothing) {
  put_all({{"a", "1"}, {"b", "2"}});
  const auto before = node_count();
  EXPECT_THAT(refused("fs_rewrite", arguments({{"x", from("a")}, {"y", from("nothing")}}, {"b"})),
              Says(Code::kPathNotFound, "'nothing'"));
  EXPECT_THAT(refused("fs_rewrite", arguments({{"x", from("a")}}, {"nothing"})),
              Says(Code::kPathNotFound, "'nothing'"));
  EXPECT_EQ(node_count(), before);
}

TEST_F(FsRewriteTest, AnEntryIsExactlyOneThing) {
  put("a", "1");
  const auto refuses = [&](const json::Object& entry) {
    return refused("fs_rewrite", arguments({{"the/target", entry}}));
  };
  EXPECT_THAT(refuses({}), Says(Code::kInvalidArgument, "'the/target' has 0 fields"));
  EXPECT_THAT(refuses({{"from", "a"}, {"dir", true}}), Says(Code::kInvalidArgument, "2 fields"));
  EXPECT_THAT(refuses({{"dir", false}}), Says(Code::kInvalidArgument, "dir must be true"));
  EXPECT_EQ(refuses({{"form", "a"}}).code, Code::kInvalidArgument);
}

TEST_F(FsRewriteTest, TwoEntriesForOnePlaceAreRefusedHoweverTheyNameIt) {
  put_all({{"a", "1"}, {"b", "2"}});
  EXPECT_THAT(refused("fs_rewrite", arguments({{"a", from("b")}, {"~0", from("b")}})),
              Says(Code::kInvalidArgument, "same path 'a'"));
}

TEST_F(FsRewriteTest, AFileIsNotReplacedByADirectoryUnlessItIsDeletedToo) {
  put("a", "1");
  const json::Object empty{{"dir", true}};
  EXPECT_THAT(refused("fs_rewrite", arguments({{"a", empty}})),
              Says(Code::kExistsAsFile, "list it in deletes too"));
  const auto done = call("fs_rewrite", arguments({{"a", empty}}, {"a"}));
  EXPECT_TRUE(exists(text(done, "newRoot"), "a"));
}

TEST_F(FsRewriteTest, WhatIsDeletedTwiceCountsOnce) {
  put_all({{"a", "1"}, {"b", "2"}});
  const auto done = call("fs_rewrite", arguments({}, {"a", "a", "~0"}));
  EXPECT_EQ(done.at("deleted"), 1);
  EXPECT_TRUE(exists(text(done, "newRoot"), "b"));
}

TEST_F(FsRewriteTest, AHundredChangesAreTheMostAndNoneIsTooFew) {
  put("a", "1");
  json::Object many;
  for (int i = 0; i < 100; ++i) many[fmt::format("f{}", i)] = from("a");
  EXPECT_EQ(call("fs_rewrite", arguments(many)).at("entriesApplied"), 100);
  EXPECT_THAT(refused("fs_rewrite", arguments(many, {"a"})), Says(Code::kTooManyEntries, "101"));
  EXPECT_THAT(refused("fs_rewrite", arguments({})), Says(Code::kEmptyRewrite, "at least one"));
}

TEST_F(FsRewriteTest, TheRootIsNeitherReplacedNorRemoved) {
  put("a", "1");
  EXPECT_EQ(refused("fs_rewrite", arguments({{"", from("a")}})).code, Code::kInvalidPath);
  EXPECT_EQ(refused("fs_rewrite", arguments({}, {""})).code, Code::kInvalidPath);
}

TEST_F(FsRewriteTest, ADelegateLinksOnlyNodesItMayName) {
  put_all({{"docs/a", "1"}, {"src/secret", "2"}});
  const auto secret = text(call(owner_.entering(Entrance::kRest), "fs_stat",
                                {{"nodeKey", depot_}, {"path", "src/secret"}}),
                           "key");
  const auto link = arguments({{"b", json::Object{{"link", secret}}}});
  EXPECT_THAT(refused(writer_in("docs"), "fs_rewrite", link),
              Says(Code::kNodeNotAuthorized, secret));
  EXPECT_EQ(content_at(text(call("fs_rewrite", link), "newRoot"), "b"), "2");
}

}  // namespace
}  // namespace cairn
