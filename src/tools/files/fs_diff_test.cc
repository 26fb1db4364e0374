#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tools_testing::all_pages;
using tools_testing::column;
using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

class FsDiffTest : public tools_testing::ToolTest {
 protected:
  // From a root to what the depot has now.
  json::Object since(std::string_view from, json::Object arguments = {}) {
    arguments["from"] = from;
    arguments["to"] = depot_;
    return arguments;
  }
};

TEST_F(FsDiffTest, EveryChangeIsNamedOnce) {
  put_all({{"same", "1"}, {"changed", "1"}, {"removed", "1"}});
  const auto before = root();
  put_all({{"changed", "2"}, {"added/deep", "3"}});
  commit(text(call("fs_rm", {{"nodeKey", depot_}, {"path", "removed"}}), "newRoot"));
  const auto found = call("fs_diff", since(before));
  std::vector<std::string> rows;
  for (const auto& change : found.at("changes").get_array()) {
    rows.push_back(
        fmt::format("{} {}", json::text(change.at("change")), json::text(change.at("path"))));
  }
  EXPECT_THAT(rows,
              testing::IsSupersetOf({"modified changed", "removed removed", "added added/deep"}));
  EXPECT_THAT(rows, testing::Not(testing::Contains(HasSubstr("same"))));
  EXPECT_FALSE(is_true(found, "truncated"));
  EXPECT_TRUE(found.at("nextCursor").is_null());
}

TEST_F(FsDiffTest, EqualTreesHaveNoChanges) {
  put("a.txt", "1");
  EXPECT_THAT(column(call("fs_diff", since(root())), "changes", "path"), testing::IsEmpty());
}

TEST_F(FsDiffTest, LinesAreShownForTextAndNotForAnythingElse) {
  put_all({{"a.bin", std::string("\0\1", 2)}, {"a.txt", "one\ntwo\n"}});
  const auto before = root();
  put_all({{"a.bin", std::string("\0\2", 2)}, {"a.txt", "one\n2\n"}, {"new.txt", "x\n"}});
  const auto changes = call("fs_diff", since(before, {{"unified", true}})).at("changes").as_array();
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_FALSE(changes[0].as_object().contains("diff"));
  EXPECT_THAT(text(changes[1].as_object(), "diff"), HasSubstr("-two\n+2\n"));
  EXPECT_THAT(text(changes[2].as_object(), "diff"), HasSubstr("--- /dev/null"));
  const auto plain = call("fs_diff", since(before)).at("changes").as_array();
  EXPECT_FALSE(plain[1].as_object().contains("diff"));
}

TEST_F(FsDiffTest, PagesTogetherAreAllChanges) {
  const auto before = root();
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::string> names;
  for (int i = 0; i < 30; ++i) {
    names.push_back(fmt::format("f{:02}", i));
    files.emplace_back(names.back(), "line\n");
  }
  put_all(files);
  std::vector<std::string> shown;
  const auto pages = all_pages(since(before, {{"maxResults", 7}}),
                               [&](const json::Object& a) { return call("fs_diff", a); });
  EXPECT_EQ(pages.size(), 5U);
  for (const auto& page : pages) {
    EXPECT_EQ(is_true(page, "truncated"), page.at("nextCursor").is_string());
    for (auto& path : column(page, "changes", "path")) shown.push_back(std::move(path));
  }
  EXPECT_EQ(shown, names);
}

TEST_F(FsDiffTest, AnAnswerFullOfLinesGoesOnAtTheNextFile) {
  const auto before = root();
  std::vector<std::pair<std::string, std::string>> files;
  for (int i = 0; i < 5; ++i) {
    std::string lines;
    while (lines.size() < 20'000) lines += "a line of text\n";
    files.emplace_back(fmt::format("f{}", i), lines);
  }
  put_all(files);
  std::vector<std::string> shown;
  const auto pages = all_pages(since(before, {{"unified", true}}),
                               [&](const json::Object& a) { return call("fs_diff", a); });
  EXPECT_GT(pages.size(), 1U);
  for (const auto& page : pages) {
    for (const auto& change : page.at("changes").get_array()) {
      shown.emplace_back(json::text(change.at("path")));
      EXPECT_FALSE(is_true(change.get_object(), "cut"));
      EXPECT_GT(text(change.get_object(), "diff").size(), 20'000U);
    }
  }
  EXPECT_THAT(shown, ElementsAre("f0", "f1", "f2", "f3", "f4"));
}

TEST_F(FsDiffTest, ADiffLongerThanAnAnswerIsCutAndSaysSo) {
  const auto before = root();
  std::string lines;
  while (lines.size() < 200'000) lines += "a \"line\" of text\n";
  const auto half = lines.substr(0, 40'000);
  put_all({{"a.txt", lines}, {"b.txt", half}});
  const auto page = call("fs_diff", since(before, {{"unified", true}}));
  const auto& first = page.at("changes").at(0).as_object();
  EXPECT_TRUE(is_true(first, "cut"));
  EXPECT_THAT(text(first, "hint"), HasSubstr("fs_read"));
  EXPECT_TRUE(text(first, "diff").ends_with('\n'));
  EXPECT_TRUE(is_true(page, "truncated"));
  const auto rest =
      call("fs_diff", since(before, {{"unified", true}, {"cursor", page.at("nextCursor")}}));
  EXPECT_THAT(column(rest, "changes", "path"), ElementsAre("b.txt"));
}

TEST_F(FsDiffTest, APathNarrowsBothTrees) {
  put_all({{"a/x", "1"}, {"b/x", "1"}});
  const auto before = root();
  put_all({{"a/x", "2"}, {"b/x", "2"}});
  EXPECT_THAT(column(call("fs_diff", since(before, {{"path", "a"}})), "changes", "path"),
              ElementsAre(testing::EndsWith("x")));
  EXPECT_EQ(refused("fs_diff", since(before, {{"path", "c"}})).code, Code::kPathNotFound);
}

TEST_F(FsDiffTest, AFileCanBeAskedForByItself) {
  put_all({{"d/a.txt", "one\n"}, {"d/b.txt", "one\n"}});
  const auto before = root();
  put_all({{"d/a.txt", "two\n"}, {"d/b.txt", "two\n"}, {"new.txt", "x\n"}});
  const auto found = call("fs_diff", since(before, {{"path", "d/a.txt"}, {"unified", true}}));
  EXPECT_THAT(column(found, "changes", "path"), ElementsAre("d/a.txt"));
  EXPECT_THAT(text(found.at("changes").at(0).as_object(), "diff"), HasSubstr("-one\n+two\n"));
  EXPECT_THAT(column(call("fs_diff", since(before, {{"path", "new.txt"}})), "changes", "change"),
              ElementsAre("added"));
  EXPECT_THAT(column(call("fs_diff", since(root(), {{"path", "new.txt"}})), "changes", "path"),
              testing::IsEmpty());
}

TEST_F(FsDiffTest, AMoveIsOneChange) {
  put_all({{"lib/m/a", "1"}, {"lib/m/b", "2"}, {"c", "3"}});
  const auto before = root();
  const auto moved =
      text(call("fs_mv", {{"nodeKey", depot_}, {"from", "lib/m"}, {"to", "lib/mw"}}), "newRoot");
  commit(write("c", "4", moved));
  const auto changes = call("fs_diff", since(before)).at("changes").as_array();
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(text(changes[1].as_object(), "change"), "moved");
  EXPECT_EQ(text(changes[1].as_object(), "path"), "lib/mw");
  EXPECT_EQ(text(changes[1].as_object(), "from"), "lib/m");
  const auto names = call("fs_diff", since(before, {{"namesOnly", true}}));
  EXPECT_EQ(json::write(names.at("names")), R"(["M c","R lib/m -> lib/mw"])");
  EXPECT_FALSE(names.contains("changes"));
}

TEST_F(FsDiffTest, ACursorThatIsNoneIsRefused) {
  for (const auto* cursor : {"made up", "7", ""}) {
    EXPECT_EQ(refused("fs_diff", since(root(), {{"cursor", cursor}})).code, Code::kInvalidCursor)
        << cursor;
  }
}

TEST_F(FsDiffTest, ADelegateComparesOnlyWhatItMayName) {
  put_all({{"docs/a", "1"}, {"src/b", "1"}});
  const auto whole = root();
  EXPECT_THAT(refused(writer_in("docs"), "fs_diff", since(whole)),
              Says(Code::kNodeNotAuthorized, whole));
}

}  // namespace
}  // namespace cairn
