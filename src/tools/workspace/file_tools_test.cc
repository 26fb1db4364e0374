// The file tools over a directory: what the differential test with the reference server does not
// see, budgets above all.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/random.h"
#include "tools/workspace/directory_toolbox.h"
#include "tools/workspace/file_errors.h"
#include "tools/workspace/file_text.h"
#include "tools/workspace/file_tool.h"

namespace cairn::work {
namespace {

namespace fs = std::filesystem;

class FileToolsTest : public testing::Test {
 protected:
  FileToolsTest() {
    root_ = fs::temp_directory_path() / fmt::format("cairn-file-tools-{}", ::getpid());
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~FileToolsTest() override { fs::remove_all(root_); }

  void put(const std::string& path, const std::string& content) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << content;
  }

  Result<json::Object> run(std::string_view tool, json::Object arguments,
                           Style style = Style::kPlain,
                           std::int64_t answer_bytes = Work::kAnswerBytes) {
    const bool manual = style == Style::kManual;
    const auto box = TRY(DirectoryToolbox::open(
        {.directories = {root_.string()}, .answer_bytes = answer_bytes},
        {.tools = std::string(manual ? FileTools::kOneTool : tool)}, clock_, random_));
    if (manual) arguments["method"] = tool;
    const auto& called = *TRY(box->find(manual ? FileTools::kOneTool : tool));
    return std::move(TRY(box->run(called, std::move(arguments), {})).value.get_object());
  }
  std::string content(std::string_view tool, const json::Object& arguments) {
    auto answer = run(tool, arguments);
    return answer ? std::string(json::text(answer->at("content")))
                  : reference_error(answer.error());
  }
  static std::string notes(const json::Object& answer) {
    const auto* list = json::find(answer, "notes");
    return list == nullptr ? "" : json::write(*list);
  }

  fs::path root_;
  SystemClock clock_;
  SeededRandom random_{1};
  FileToolsPtr tools_ = FileTools::make();
};

TEST_F(FileToolsTest, HaveSchemasThatCompile) {
  for (const auto& row : tools_->all()) {
    auto compiled = json::Schema::compile(row.tool.input);
    EXPECT_TRUE(compiled) << row.tool.name << ": " << compiled.error().render();
  }
}

TEST_F(FileToolsTest, ReadsARangeOfLines) {
  put("a.txt", "1\n2\n3\n4\n5\n");
  EXPECT_EQ(content("read_text_file", {{"path", "a.txt"}, {"offset", 2}, {"limit", 2}}), "2\n3");
  EXPECT_EQ(content("read_text_file", {{"path", "a.txt"}, {"offset", 4}}), "4\n5");
  EXPECT_EQ(content("read_text_file", {{"path", "a.txt"}, {"limit", 1}}), "1");
  auto answer = run("read_text_file", {{"path", "a.txt"}, {"offset", 2}, {"limit", 2}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(notes(*answer), R"(["lines 2 to 3; more follow from offset 4"])");
  answer = run("read_text_file", {{"path", "a.txt"}, {"offset", 4}, {"limit", 2}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(notes(*answer), "");
  EXPECT_TRUE(
      content("read_text_file", {{"path", "a.txt"}, {"offset", 6}}).contains("has 5 lines"));
  EXPECT_TRUE(content("read_text_file", {{"path", "a.txt"}, {"offset", 1}, {"head", 1}})
                  .starts_with("INVALID_ARGUMENT"));
}

TEST_F(FileToolsTest, ReadsLinesThatSpanPortions) {
  std::string long_line(200'000, 'x');
  put("a.txt", long_line + "\nlast\n");
  EXPECT_EQ(content("read_text_file", {{"path", "a.txt"}, {"head", 1}}), long_line);
  EXPECT_EQ(content("read_text_file", {{"path", "a.txt"}, {"tail", 2}}), "last\n");
  EXPECT_EQ(content("read_text_file", {{"path", "a.txt"}, {"tail", 3}}), long_line + "\nlast\n");
}

TEST_F(FileToolsTest, RefusesWhatIsNotText) {
  put("a.png", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
  const auto told = content("read_text_file", {{"path", "a.png"}});
  EXPECT_TRUE(told.contains("image/png")) << told;
  EXPECT_TRUE(told.contains("read_media_file")) << told;
  put("latin.txt", "caf\xE9 au lait, s'il vous pla\xEEt\n");
  EXPECT_EQ(content("read_text_file", {{"path", "latin.txt"}}),
            "caf\xEF\xBF\xBD au lait, s'il vous pla\xEF\xBF\xBDt\n");
}

TEST_F(FileToolsTest, ATreeIsCutFromTheDeepestAndSaysSo) {
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 20; ++k) put(fmt::format("d{}/e/f{}", i, k), "");
  }
  auto answer = run("directory_tree", {{"path", "."}, {"maxEntries", 30}});
  ASSERT_TRUE(answer);
  auto tree = json::parse(json::text(answer->at("content")));
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->get_array().size(), 20U);  // the first level is whole
  EXPECT_TRUE(notes(*answer).contains("30 entries are shown")) << notes(*answer);
  EXPECT_TRUE(json::text(answer->at("content")).contains("\"truncated\": true"));

  answer = run("directory_tree", {{"path", "."}, {"maxDepth", 1}});
  ASSERT_TRUE(answer);
  EXPECT_FALSE(json::text(answer->at("content")).contains("\"e\""));
  EXPECT_TRUE(notes(*answer).contains("20 directories")) << notes(*answer);

  answer = run("directory_tree", {{"path", "."}}, Style::kPlain, 2000);
  ASSERT_TRUE(answer);
  EXPECT_LT(json::text(answer->at("content")).size(), 4000U);
  EXPECT_NE(notes(*answer), "");

  answer = run("directory_tree", {{"path", "."}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(notes(*answer), "");
}

TEST_F(FileToolsTest, ASearchStopsAndSaysSo) {
  for (int i = 0; i < 50; ++i) put(fmt::format("f{:02}.md", i), "needle\nhay\n");
  auto answer = run("search_files", {{"path", "."}, {"pattern", "*.md"}, {"maxResults", 10}});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(notes(*answer).contains("stopped at 10 matches by maxResults")) << notes(*answer);
  answer = run("search_files", {{"path", "."}, {"pattern", "*.md"}, {"maxResults", 50}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(notes(*answer), "");
  answer = run("search_files", {{"path", "."}, {"pattern", "*.md"}}, Style::kPlain, 500);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(notes(*answer).contains("the room for an answer")) << notes(*answer);
  answer = run("search_content", {{"path", "."}, {"pattern", "needle"}, {"maxResults", 3}});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(notes(*answer).contains("stopped at 3 lines")) << notes(*answer);
  answer = run("search_content", {{"path", "."}, {"pattern", "needle"}, {"maxResults", 50}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(notes(*answer), "");
  EXPECT_EQ(content("search_content", {{"path", "."}, {"pattern", "NEEDLE"}}),
            "No matches found in 50 text files");
}

TEST_F(FileToolsTest, AnEditKeepsCrLfAndSaysHowOftenItMatched) {
  put("a.txt", "one\r\ntwo\r\none\r\n");
  auto answer = run("edit_file",
                    {{"path", "a.txt"},
                     {"edits", json::Array{json::Object{{"oldText", "one"}, {"newText", "1"}}}}});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(notes(*answer).contains("matched 2 times")) << notes(*answer);
  EXPECT_EQ(content("read_text_file", {{"path", "a.txt"}}), "1\r\ntwo\r\none\r\n");
}

TEST_F(FileToolsTest, ErrorsHaveTheManualsKinds) {
  const auto kind = [&](std::string_view tool, const json::Object& arguments) {
    auto answer = run(tool, arguments, Style::kManual);
    if (answer) return std::string("ok");
    const auto told = manual_error(answer.error());
    return told.substr(0, told.find(':'));
  };
  EXPECT_EQ(kind("read_text_file", {{"path", "../x"}}), "路径越权");
  EXPECT_EQ(kind("read_text_file", {{"path", "nothing"}}), "文件不存在");
  EXPECT_EQ(kind("read_text_file", {}), "参数错误");
  EXPECT_EQ(kind("delete_file", {{"path", "."}}), "权限不足");
}

TEST(FileText, TellsSizesAndTimes) {
  EXPECT_EQ(file_size(0), "0 B");
  EXPECT_EQ(file_size(1023), "1023 B");
  EXPECT_EQ(file_size(1024), "1.00 KB");
  EXPECT_EQ(file_size(1536), "1.50 KB");
  EXPECT_EQ(file_size(std::uint64_t{5} << 40), "5.00 TB");
  EXPECT_EQ(file_size(std::uint64_t{5} << 50), "5120.00 TB");
  EXPECT_EQ(long_time(0), "Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)");
  EXPECT_EQ(iso_time(1'700'000'000'123), "2023-11-14T22:13:20.123Z");
  EXPECT_EQ(iso_time(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(file_uri("/a b/ä#%"), "file:///a%20b/%C3%A4%23%25");
  EXPECT_EQ(utf16_units("aä😀"), 4U);
}

TEST(FileText, OrdersNamesForPeople) {
  std::vector<std::string> names{"b", "A", "a", "_x", "10", "9", ".h", "B"};
  std::ranges::sort(names, [](const auto& a, const auto& b) {
    const auto x = reading_key(a);
    const auto y = reading_key(b);
    return x != y ? x < y : lower_before(a, b);
  });
  EXPECT_EQ(names, (std::vector<std::string>{"_x", ".h", "10", "9", "a", "A", "b", "B"}));
}

}  // namespace
}  // namespace cairn::work
