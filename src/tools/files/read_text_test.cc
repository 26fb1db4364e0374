#include "tools/files/read_text.h"

#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

class ReadTextTest : public tools_testing::ToolTest {
 protected:
  // Reads a.txt with a budget of so many bytes.
  Result<FileContent> read(const json::Object& range, std::int64_t bytes) {
    const auto tree = view_tree(realm().nodes(), NodeKey::parse(root()).value()).value();
    Budget budget(clock_, {.bytes = bytes});
    return read_text(tree, Path::parse("a.txt").value(), Arguments(range), budget);
  }
  json::Object shown(const json::Object& range, std::int64_t bytes = 10'000) {
    auto found = read(range, bytes);
    EXPECT_TRUE(found) << (found ? "" : found.error().render());
    return found ? render_text(*found, Arguments(range)) : json::Object();
  }
};

TEST_F(ReadTextTest, ARangeOfLinesIncludesBothEnds) {
  put("a.txt", "1\n2\n3\n4\n");
  const auto answer = shown({{"startLine", 2}, {"endLine", 3}});
  EXPECT_EQ(text(answer, "content"), "2\n3\n");
  EXPECT_EQ(answer.at("firstLine"), 2);
  EXPECT_EQ(answer.at("lastLine"), 3);
  EXPECT_FALSE(answer.contains("truncated"));
}

TEST_F(ReadTextTest, ARangeThatGoesPastTheEndSaysHowManyLinesThereAre) {
  put("a.txt", "1\n2\n3");
  const auto answer = shown({{"startLine", 3}, {"endLine", 100}});
  EXPECT_EQ(text(answer, "content"), "3");
  EXPECT_EQ(answer.at("lastLine"), 3);
  EXPECT_EQ(answer.at("totalLines"), 3);
}

TEST_F(ReadTextTest, ARangeThatIsNoneIsRefusedWithItsNumbers) {
  put("a.txt", "1\n2\n3\n");
  EXPECT_THAT(read({{"startLine", 3}, {"endLine", 2}}, 10'000).error(),
              Says(Code::kInvalidArgument, "endLine is 2, before startLine 3"));
  EXPECT_THAT(read({{"startLine", 9}}, 10'000).error(),
              Says(Code::kInvalidArgument, "has 3 lines; line 9 is past its end"));
  EXPECT_EQ(read({{"startLine", INT64_MAX}}, 10'000).error().code, Code::kInvalidArgument);
}

TEST_F(ReadTextTest, ATruncatedRangeSaysWhereTheRestBegins) {
  std::string lines;
  for (int i = 1; i <= 100; ++i) lines += fmt::format("{:09}\n", i);
  put("a.txt", lines);
  const auto answer = shown({{"startLine", 11}, {"endLine", 90}}, 600);
  EXPECT_TRUE(is_true(answer, "truncated"));
  const auto last = answer.at("lastLine").to_number<int>();
  EXPECT_GE(last, 11);
  EXPECT_LT(last, 90);
  EXPECT_EQ(text(answer, "hint"), fmt::format("the rest follows with startLine {}", last + 1));
  EXPECT_EQ(text(answer, "content").size(), static_cast<std::size_t>(last - 10) * 10);
}

TEST_F(ReadTextTest, AFullAnswerSaysSoInsteadOfShowingNothing) {
  put("a.txt", "1\n");
  EXPECT_THAT(read({}, 100).error(), Says(Code::kBudgetExceeded, "another call"));
}

}  // namespace
}  // namespace cairn
