#include "data/tree/conflict.h"

#include "data/tree/tree_testing.h"

namespace cairn {
namespace {

using namespace tree_testing;
using testing::HasSubstr;
using testing::Not;

class Conflicts : public testing::Test {
 protected:
  std::vector<DetailRow> rows(const Files& base, const Files& ours, const Files& theirs) {
    const auto start = t.tree(base);
    const auto other = t.tree(theirs);
    auto merged = must(merge_unbounded(t.stage, start, t.tree(ours), other));
    settled = t.files(merged.settled);
    auto budget = t.unlimited();
    return must(describe_conflicts(t.stage, merged.unfit, start, other, budget));
  }
  static std::string text(const DetailRow& row, const std::string& name) {
    return row.fields.contains(name) ? std::get<std::string>(row.fields.at(name)) : "";
  }
  static const std::vector<DetailRow>& hunks(const DetailRow& row) {
    return std::get<std::vector<DetailRow>>(row.fields.at("hunks"));
  }

  Trees t;
  Files settled;
};

const std::string kLines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

TEST_F(Conflicts, ATextIsSettledButForTheLinesThatDoNotFit) {
  const auto found = rows({{"a.txt", kLines}, {"b", "1"}},
                          {{"a.txt", "one\n2\n3\n4\nmine\n6\n7\n8\n9\n"}, {"b", "mine"}},
                          {{"a.txt", "1\n2\n3\n4\ntheirs\n6\n7\n8\nnine\n"}, {"b", "1"}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(text(found[0], "path"), "a.txt");
  EXPECT_EQ(text(found[0], "what"), "both changed it");
  ASSERT_EQ(hunks(found[0]).size(), 1U);
  const auto& hunk = hunks(found[0])[0];
  EXPECT_EQ(text(hunk, "base"), "5\n");
  EXPECT_EQ(text(hunk, "theirs"), "theirs\n");
  EXPECT_EQ(text(hunk, "yours"), "mine\n");
  EXPECT_EQ(std::get<std::int64_t>(hunk.fields.at("mergedLine")), 5);
  EXPECT_EQ(settled, (Files{{"a.txt", "one\n2\n3\n4\ntheirs\n6\n7\n8\nnine\n"}, {"b", "mine"}}));
  EXPECT_EQ(told(found),
            "a.txt: both changed it\n"
            "<<<<<<< theirs, line 5 of mergedRoot\ntheirs\n"
            "||||||| base, line 5\n5\n"
            "======= yours, line 5\nmine\n"
            ">>>>>>>\n");
}

TEST_F(Conflicts, WhatIsNoTextHasItsKeys) {
  const std::string zero("\0", 1);
  const auto found = rows({{"a", zero + "1"}}, {{"a", zero + "2"}}, {{"a", zero + "3"}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].fields.contains("hunks"));
  EXPECT_THAT(text(found[0], "yoursKey"), HasSubstr("nod_"));
  EXPECT_NE(text(found[0], "yoursKey"), text(found[0], "theirsKey"));
  EXPECT_EQ(settled, (Files{{"a", zero + "3"}}));
}

TEST_F(Conflicts, ADirectoryThatOthersMovedIsFound) {
  const auto found =
      rows({{"lib/m/a", "1"}, {"lib/m/b", "1"}}, {{"lib/m/a", "mine"}, {"lib/m/b", "1"}},
           {{"lib/mw/a", "1"}, {"lib/mw/b", "1"}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(text(found[0], "path"), "lib/m");
  EXPECT_EQ(text(found[0], "movedTo"), "lib/mw");
  EXPECT_EQ(text(found[0], "what"), "you changed it, and others moved it to 'lib/mw'");
  EXPECT_EQ(settled, (Files{{"lib/mw/a", "1"}, {"lib/mw/b", "1"}}));
}

TEST_F(Conflicts, WhatWasMovedToWhereItDoesNotFitStaysWhereItWas) {
  const struct {
    Files base, ours, theirs, settled;
    const char* kept;
  } cases[] = {
      {{{"b", "1\n"}, {"c", "2\n"}},
       {{"c", "1\n"}},
       {{"b", "1\n"}, {"c", "3\n"}},
       {{"b", "1\n"}, {"c", "3\n"}},
       "b"},
      {{{"b", "1\n"}, {"x", ""}},
       {{"c", "1\n"}, {"x", ""}},
       {{"b", "1\n"}, {"c/d", "2\n"}, {"x", ""}},
       {{"b", "1\n"}, {"c/d", "2\n"}, {"x", ""}},
       "b"},
      {{{"d/a", "1\n"}, {"d/b", "2\n"}, {"x", "0\n"}},
       {{"e/a", "1\n"}, {"e/b", "2\n"}, {"x", "0\n"}},
       {{"d/a", "1\n"}, {"d/b", "2\n"}, {"e", "3\n"}, {"x", "0\n"}},
       {{"d/a", "1\n"}, {"d/b", "2\n"}, {"e", "3\n"}, {"x", "0\n"}},
       "d"},
      {{{"d/a", "1\n"}, {"d/b", "2\n"}, {"x", "0\n"}},
       {{"e/a", "1\n"}, {"e/b", "2\n"}, {"x", "0\n"}},
       {{"d/a", "1\n"}, {"d/b", "2\n"}, {"e/a", "3\n"}, {"x", "0\n"}},
       {{"d/a", "1\n"}, {"e/a", "3\n"}, {"e/b", "2\n"}, {"x", "0\n"}},
       "d/a"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.kept);
    const auto found = rows(c.base, c.ours, c.theirs);
    EXPECT_EQ(settled, c.settled);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(text(found[1], "path"), c.kept);
    EXPECT_EQ(text(found[1], "what"),
              "you moved it to where it does not fit, so it is still here as well");
  }
  // What they have removed too, or changed, is theirs to say; what was only removed is gone.
  rows({{"b", "1\n"}, {"c", "2\n"}}, {{"c", "1\n"}}, {{"c", "3\n"}});
  EXPECT_EQ(settled, (Files{{"c", "3\n"}}));
  rows({{"b", "1\n"}, {"c", "2\n"}}, {{"c", "4\n"}}, {{"b", "1\n"}, {"c", "3\n"}});
  EXPECT_EQ(settled, (Files{{"c", "3\n"}}));
}

TEST_F(Conflicts, EachKindIsSaidInWords) {
  const struct {
    Files base, ours, theirs;
    const char* what;
  } cases[] = {
      {{{"a", "1"}}, {}, {{"a", "2"}}, "you removed it, and others changed it"},
      {{{"a", "1"}}, {{"a", "2"}}, {}, "you changed it, and others removed it"},
      {{}, {{"a", "1"}}, {{"a", "2"}}, "both added it, differently"},
      {{}, {{"a/b", "1"}}, {{"a", "2"}}, "yours is a directory, theirs a file"},
  };
  for (const auto& c : cases) {
    const auto found = rows(c.base, c.ours, c.theirs);
    ASSERT_EQ(found.size(), 1U) << c.what;
    EXPECT_EQ(text(found[0], "what"), c.what);
    EXPECT_EQ(settled, c.theirs) << c.what;
  }
}

TEST_F(Conflicts, JsonStaysJson) {
  const auto found = rows({{"a.json", "{\"a\": 1,\n\"b\": [1]}\n"}},
                          {{"a.json", "{\"a\": 2,\n\"b\": [1]}\n"}}, {{"a.json", "{\"a\": 3}\n"}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(settled.at("a.json"), "{\"a\": 3}\n");
}

TEST_F(Conflicts, OfJsonTheValuesAreNamed) {
  const auto found =
      rows({{"a.json", R"({"port": 80, "tls": {"on": false}, "old": 1, "list": [1]})"}},
           {{"a.json", R"({"port": 81, "tls": {"on": true}, "list": [1, 2], "a/b": 1})"}},
           {{"a.json", R"({"port": 82, "tls": {"on": true}, "old": 2, "list": [0], "a/b": 2})"}});
  ASSERT_EQ(found.size(), 1U);
  const auto& values = std::get<std::vector<DetailRow>>(found[0].fields.at("values"));
  ASSERT_EQ(values.size(), 4U);
  EXPECT_EQ(text(values[0], "pointer"), "/port");
  EXPECT_EQ(text(values[0], "base"), "80");
  EXPECT_EQ(text(values[0], "yours"), "81");
  EXPECT_EQ(text(values[0], "theirs"), "82");
  EXPECT_EQ(text(values[1], "pointer"), "/list");
  EXPECT_EQ(text(values[2], "pointer"), "/a~1b");
  EXPECT_FALSE(values[2].fields.contains("base"));
  EXPECT_EQ(text(values[3], "pointer"), "/old");
  EXPECT_FALSE(values[3].fields.contains("yours"));
  EXPECT_THAT(told(found), HasSubstr("at /port: theirs 82, yours 81, before 80\n"));
  EXPECT_THAT(told(found), HasSubstr("at /old: theirs 2, yours nothing, before 1\n"));
}

TEST_F(Conflicts, MuchIsCutAndSaysSo) {
  Files base, ours, theirs;
  const std::string wide(3000, 'x');
  for (int i = 0; i < 50; ++i) {
    const auto path = fmt::format("f{:02}", i);
    base[path] = "0\n";
    ours[path] = "mine " + wide + "\n";
    theirs[path] = "theirs " + wide + "\n";
  }
  const auto found = rows(base, ours, theirs);
  EXPECT_EQ(found.size(), 20U);
  EXPECT_TRUE(found[0].fields.contains("cut"));
  EXPECT_LT(told(found).size(), 24'000U);
  EXPECT_THAT(told(found), HasSubstr("there is more of this file"));
}

}  // namespace
}  // namespace cairn
