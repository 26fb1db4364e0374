#include <algorithm>

#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tools_testing::all_pages;
using tools_testing::column;
using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

class FsGrepTest : public tools_testing::ToolTest {
 protected:
  json::Object grep(json::Object arguments) {
    arguments["nodeKey"] = depot_;
    return call("fs_grep", arguments);
  }
  // `path:line:text` of each match, `path-line-text` of what is around it.
  std::vector<std::string> lines(const json::Object& arguments) {
    std::vector<std::string> out;
    const auto found = grep(arguments);
    for (const auto& file : found.at("files").get_array()) {
      for (const auto& value : file.at("lines").get_array()) {
        const auto& line = value.get_object();
        const char mark = is_true(line, "context") ? '-' : ':';
        out.push_back(fmt::format("{}{}{}{}{}", json::text(file.at("path")), mark,
                                  line.at("line").to_number<int>(), mark, text(line, "text")));
      }
    }
    return out;
  }
};

TEST_F(FsGrepTest, LinesAreFoundWithTheirNumbersAndWhatIsAroundThem) {
  put_all({{"a.txt", "one\ntwo\nthree\nfour\n"}, {"d/b.txt", "two\n"}});
  EXPECT_THAT(lines({{"pattern", "^t"}}),
              ElementsAre("a.txt:2:two", "a.txt:3:three", "d/b.txt:1:two"));
  EXPECT_THAT(lines({{"pattern", "three"}, {"context", 1}}),
              ElementsAre("a.txt-2-two", "a.txt:3:three", "a.txt-4-four"));
}

TEST_F(FsGrepTest, APatternIsReadAsItIsSaidTo) {
  put("a.txt", "foo(bar)\nfoobar\nFOO(BAR)\n");
  EXPECT_THAT(lines({{"pattern", "foo(bar)"}}), ElementsAre("a.txt:2:foobar"));
  EXPECT_THAT(lines({{"pattern", "foo(bar)"}, {"literal", true}}), ElementsAre("a.txt:1:foo(bar)"));
  EXPECT_THAT(lines({{"pattern", "foo(bar)"}, {"literal", true}, {"ignoreCase", true}}),
              ElementsAre("a.txt:1:foo(bar)", "a.txt:3:FOO(BAR)"));
  EXPECT_THAT(lines({{"pattern", "bar"}, {"wholeWord", true}}), ElementsAre("a.txt:1:foo(bar)"));
}

TEST_F(FsGrepTest, GlobsSayWhichFilesAreSearched) {
  put_all({{"a.ts", "x"}, {"a.md", "x"}, {"gen/b.ts", "x"}});
  EXPECT_THAT(lines({{"pattern", "x"}, {"include", json::Array{"*.ts"}}}),
              ElementsAre("a.ts:1:x", "gen/b.ts:1:x"));
  EXPECT_THAT(lines({{"pattern", "x"}, {"exclude", json::Array{"gen/**", "*.md"}}}),
              ElementsAre("a.ts:1:x"));
  EXPECT_THAT(
      refused("fs_grep",
              {{"nodeKey", depot_}, {"pattern", "x"}, {"include", json::Array{"ok", "[a"}}}),
      Says(Code::kInvalidPattern, "[a"));
}

TEST_F(FsGrepTest, FilesThatWereNotSearchedAreCounted) {
  put_all({{"a.bin", std::string("needle\0", 7)}, {"a.txt", "needle"}});
  const auto found = grep({{"pattern", "needle"}});
  EXPECT_THAT(column(found, "files", "path"), ElementsAre("a.txt"));
  EXPECT_EQ(found.at("skippedBinary"), 1);
  EXPECT_EQ(found.at("searched"), 1);
}

TEST_F(FsGrepTest, OneFileWithManyMatchesDoesNotHideTheOthersAndSaysThatThereAreMore) {
  std::string many;
  for (int i = 0; i < 150; ++i) many += "needle\n";
  put_all({{"a.txt", many}, {"b.txt", "needle\n"}});
  const auto found = grep({{"pattern", "needle"}, {"maxResults", 1000}});
  EXPECT_THAT(column(found, "files", "path"), ElementsAre("a.txt", "b.txt"));
  EXPECT_TRUE(is_true(found.at("files").at(0).as_object(), "more"));
  EXPECT_FALSE(is_true(found.at("files").at(1).as_object(), "more"));
  EXPECT_TRUE(is_true(found, "truncated"));
  EXPECT_THAT(text(found, "hint"), HasSubstr("path"));
  // As the hint says.
  const auto one = grep({{"pattern", "needle"}, {"path", "a.txt"}, {"maxResults", 1000}});
  EXPECT_EQ(one.at("matches"), 150);
  EXPECT_FALSE(is_true(one, "truncated"));
}

TEST_F(FsGrepTest, ASearchThatStoppedSaysByWhatAndOneThatFoundAllDoesNot) {
  std::vector<std::pair<std::string, std::string>> files;
  for (int i = 0; i < 12; ++i) files.emplace_back(fmt::format("f{:02}", i), "needle\n");
  put_all(files);
  const auto some = grep({{"pattern", "needle"}, {"maxResults", 5}});
  EXPECT_EQ(some.at("matches"), 5);
  EXPECT_EQ(text(some, "stoppedBy"), "matches");
  EXPECT_TRUE(is_true(some, "truncated"));
  const auto all = grep({{"pattern", "needle"}, {"maxResults", 12}});
  EXPECT_EQ(all.at("matches"), 12);
  EXPECT_FALSE(is_true(all, "truncated"));
}

TEST_F(FsGrepTest, AFullAnswerStopsTheSearchAndSaysSo) {
  std::string line(400, '"');
  std::vector<std::pair<std::string, std::string>> files;
  for (int i = 0; i < 40; ++i) {
    std::string content;
    for (int k = 0; k < 10; ++k) content += line + "\n";
    files.emplace_back(fmt::format("f{:02}", i), content);
  }
  put_all(files);
  const auto found = grep({{"pattern", "\"\""}, {"maxResults", 10'000}});
  EXPECT_EQ(text(found, "stoppedBy"), "bytes");
  EXPECT_GT(found.at("matches").to_number<int>(), 20);
}

// 500 files with one line that matches, and one with 3,500.
class FsGrepManyTest : public FsGrepTest {
 protected:
  FsGrepManyTest() {
    std::vector<std::pair<std::string, std::string>> files;
    for (int i = 0; i < 500; ++i) {
      files.emplace_back(fmt::format("d{}/{:04}.txt", i % 5, i), "hay\nneedle\nhay\n");
    }
    std::string many;
    for (int i = 1; i <= 3500; ++i) many += fmt::format("needle {}\n", i);
    files.emplace_back("many.txt", many);
    put_all(files);
    std::ranges::sort(files);
    for (const auto& [path, text] : files) {
      int number = 0;
      for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
        end = text.find('\n', begin);
        const auto line = text.substr(begin, end - begin);
        if (++number; line.contains("needle")) {
          expected_.push_back(fmt::format("{}:{}:{}", path, number, line));
        }
      }
    }
  }

  static void add_lines(std::vector<std::string>& out, const json::Object& answer) {
    for (const auto& file : answer.at("files").as_array()) {
      for (const auto& line : file.at("lines").as_array()) {
        out.push_back(fmt::format("{}:{}:{}", json::text(file.at("path")),
                                  line.at("line").to_number<int>(), json::text(line.at("text"))));
      }
    }
  }

  std::vector<std::string> expected_;
};

TEST_F(FsGrepManyTest, CursorsLeadAnAgentThroughAllOfIt) {
  std::vector<std::string> found;
  const auto pages = all_pages(
      {{"nodeKey", depot_}, {"pattern", "needle"}, {"maxResults", 10'000}, {"maxPerFile", 10'000}},
      [&](const json::Object& arguments) { return call("fs_grep", arguments); });
  for (const auto& page : pages) add_lines(found, page);
  EXPECT_EQ(found, expected_);
  EXPECT_GT(pages.size(), 2U);
  for (std::size_t i = 0; i + 1 < pages.size(); ++i) {
    EXPECT_EQ(text(pages[i], "stoppedBy"), "bytes");
    EXPECT_THAT(text(pages[i], "hint"), HasSubstr("full (60 KB)"));
    EXPECT_THAT(text(pages[i], "hint"), HasSubstr("nextCursor"));
    // As much as there is room for.
    EXPECT_GT(json::write(json::Value(pages[i])).size(), 59'000U);
  }
  EXPECT_FALSE(is_true(pages.back(), "truncated"));
}

TEST_F(FsGrepManyTest, WhatIsOverAFilesShareIsSaidToTheEnd) {
  put("zz.txt", "needle\nneedle\nneedle\n");
  const json::Object search{
      {"nodeKey", depot_}, {"pattern", "needle"}, {"maxResults", 502}, {"maxPerFile", 2}};
  const auto pages =
      all_pages(search, [&](const json::Object& arguments) { return call("fs_grep", arguments); });
  ASSERT_EQ(pages.size(), 2U);
  // Both limits of the first, each with what helps.
  EXPECT_EQ(text(pages[0], "stoppedBy"), "matches");
  EXPECT_THAT(text(pages[0], "hint"), HasSubstr("maxResults"));
  EXPECT_THAT(text(pages[0], "hint"), HasSubstr("maxPerFile"));
  EXPECT_TRUE(is_true(pages[1], "truncated"));
  EXPECT_THAT(text(pages[1], "hint"), HasSubstr("maxPerFile"));

  // Also when the last one has nothing of it.
  put("zz.txt", "needle\n");
  const auto end =
      all_pages(search, [&](const json::Object& arguments) { return call("fs_grep", arguments); });
  ASSERT_EQ(end.size(), 2U);
  EXPECT_FALSE(end[1].contains("stoppedBy"));
  EXPECT_TRUE(is_true(end[1], "truncated"));
  EXPECT_THAT(text(end[1], "hint"), HasSubstr("in an answer before"));
}

TEST_F(FsGrepManyTest, AProgramGetsWhatItAsksFor) {
  const auto program = owner_.entering(Entrance::kRest);
  std::vector<std::string> found;
  const auto answer = call(program, "fs_grep",
                           {{"nodeKey", depot_}, {"pattern", "needle"}, {"maxResults", 10'000}});
  add_lines(found, answer);
  EXPECT_EQ(found, expected_);
  EXPECT_FALSE(is_true(answer, "truncated"));
}

TEST_F(FsGrepManyTest, RowsAreAllOfItAndASummary) {
  const auto answer = rows(owner_.entering(Entrance::kRest), "fs_grep",
                           {{"nodeKey", depot_}, {"pattern", "needle"}});
  std::vector<std::string> found;
  for (std::size_t i = 0; i + 1 < answer.size(); ++i) {
    found.push_back(fmt::format("{}:{}:{}", text(answer[i], "path"),
                                answer[i].at("line").to_number<int>(), text(answer[i], "text")));
  }
  EXPECT_EQ(found, expected_);
  const auto& summary = answer.back().at("summary").as_object();
  EXPECT_EQ(summary.at("matches"), expected_.size());
  EXPECT_EQ(summary.at("searched"), 501);
  EXPECT_EQ(summary.at("truncated"), false);

  const auto few =
      rows(owner_, "fs_grep", {{"nodeKey", depot_}, {"pattern", "needle"}, {"maxResults", 7}});
  EXPECT_EQ(few.size(), 8U);
  EXPECT_EQ(few.back().at("summary").at("stoppedBy"), "matches");
}

TEST_F(FsGrepManyTest, ACursorGoesOnInTheTreeItWasGivenFor) {
  const json::Object search{{"nodeKey", depot_}, {"pattern", "needle"}, {"maxResults", 3}};
  const auto first = call("fs_grep", search);
  put("d0/0000.txt", "needle\nneedle\nneedle\n");
  commit(text(call("fs_rm", {{"nodeKey", depot_}, {"path", "many.txt"}}), "newRoot"));
  auto rest = search;
  rest["cursor"] = first.at("nextCursor");
  rest["maxResults"] = 100'000;
  rest["maxPerFile"] = 100'000;
  // How many are wanted is no part of what is searched for; how many of one file is.
  EXPECT_THAT(refused("fs_grep", rest), Says(Code::kInvalidCursor, "another search"));
  rest.erase("maxPerFile");
  std::vector<std::string> found;
  add_lines(found, first);
  for (const auto& page :
       all_pages(rest, [&](const json::Object& arguments) { return call("fs_grep", arguments); })) {
    add_lines(found, page);
  }
  // All but what is over a file's share.
  EXPECT_EQ(found, std::vector(expected_.begin(), expected_.end() - 3400));
}

TEST_F(FsGrepManyTest, ADelegateGoesOnInWhatItSeesAndNowhereElse) {
  const auto reader = writer_in("d0");
  const json::Object search{{"nodeKey", depot_}, {"pattern", "needle"}, {"maxResults", 3}};
  auto rest = search;
  rest["cursor"] = call(reader, "fs_grep", search).at("nextCursor");
  put("d0/0000.txt", "hay");
  EXPECT_EQ(column(call(reader, "fs_grep", rest), "files", "path").front(), "0015.txt");
  // One that names a tree it may not see.
  rest["cursor"] = call("fs_grep", search).at("nextCursor");
  EXPECT_THAT(refused(reader, "fs_grep", rest), Says(Code::kInvalidCursor, "not there any more"));
  auto changed = text(rest, "cursor");
  changed[10] = changed[10] == 'A' ? 'B' : 'A';
  for (const auto& bad : {changed, std::string("made up"), std::string("s"), std::string()}) {
    rest["cursor"] = bad;
    EXPECT_EQ(refused("fs_grep", rest).code, Code::kInvalidCursor) << bad;
  }
}

TEST_F(FsGrepTest, ALongLineIsCutAroundTheMatch) {
  put("a.txt", std::string(5000, '.') + "needle" + std::string(5000, '.') + "\n");
  const auto found = grep({{"pattern", "needle"}});
  const auto line = found.at("files").at(0).at("lines").at(0).as_object();
  EXPECT_TRUE(is_true(line, "cut"));
  EXPECT_THAT(text(line, "text"), HasSubstr("needle"));
  EXPECT_LT(text(line, "text").size(), 1000U);
}

TEST_F(FsGrepTest, APatternThatIsNoneIsRefusedWithWhatIsWrong) {
  const auto error = refused("fs_grep", {{"nodeKey", depot_}, {"pattern", "foo(bar"}});
  EXPECT_EQ(error.code, Code::kInvalidPattern);
  EXPECT_THAT(error.message, HasSubstr("foo(bar"));
  EXPECT_EQ(refused("fs_grep", {{"nodeKey", depot_}, {"pattern", ""}}).code, Code::kInvalidPattern);
}

TEST_F(FsGrepTest, ADelegateSearchesWhatItSees) {
  put_all({{"docs/a.md", "needle"}, {"src/b.md", "needle"}});
  const auto docs = writer_in("docs");
  const auto found = call(docs, "fs_grep", {{"nodeKey", depot_}, {"pattern", "needle"}});
  EXPECT_THAT(column(found, "files", "path"), ElementsAre("a.md"));
}

}  // namespace
}  // namespace cairn
