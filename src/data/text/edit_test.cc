#include "data/text/edit.h"

#include <chrono>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "data/text/text_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<EditResult> edit(ByteView text, std::vector<Replacement> edits) {
  return apply_edits(text, edits);
}

std::string edited(ByteView text, std::vector<Replacement> edits) {
  const auto result = edit(text, std::move(edits));
  return result ? result->text : result.error().render();
}

Error refused(ByteView text, std::vector<Replacement> edits) {
  const auto result = edit(text, std::move(edits));
  return result ? Error(Code::kInternal, "was not refused") : result.error();
}

std::int64_t number(const Error& error, const std::string& key) {
  const auto found = error.details.find(key);
  return found == error.details.end() ? -1 : std::get<std::int64_t>(found->second);
}

TEST(Edit, ReplacesTheOneMatch) {
  EXPECT_EQ(edited("let a = 1;\nlet b = 2;\n", {{"b = 2", "b = 3"}}), "let a = 1;\nlet b = 3;\n");
  EXPECT_EQ(edited("abc", {{"b", ""}}), "ac");
  EXPECT_EQ(edited("abc", {{"abc", "x"}}), "x");
}

TEST(Edit, AppliesEachToTheResultOfTheOneBefore) {
  const auto result = edit("one", {{"one", "two two"}, {"two", "2", true}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->text, "2 2");
  EXPECT_THAT(result->counts, ElementsAre(1, 2));
}

TEST(Edit, CountsAllWithoutOverlapFromTheLeft) {
  const auto result = edit("aaaaa", {{"aa", "b", true}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->text, "bba");
  EXPECT_THAT(result->counts, ElementsAre(2));
}

TEST(Edit, WithoutEditsTheTextIsAsItWas) { EXPECT_EQ(edited("a\r\nb", {}), "a\r\nb"); }

TEST(Edit, RefusesEmptyAndEqualTexts) {
  EXPECT_EQ(refused("a", {{"", "b"}}).code, Code::kInvalidArgument);
  EXPECT_EQ(refused("a", {{"a", "a"}}).code, Code::kInvalidArgument);
  EXPECT_EQ(number(refused("a", {{"a", "b"}, {"b", "b"}}), "edit"), 2);
}

TEST(Edit, SaysOnWhichLinesAnAmbiguousTextIs) {
  const auto error = refused("x\ny\nx\n\nx", {{"x", "z"}});
  EXPECT_EQ(error.code, Code::kEditAmbiguous);
  EXPECT_THAT(error.message, HasSubstr("3 times, on lines 1, 3, 5;"));
  EXPECT_EQ(number(error, "matches"), 3);
  EXPECT_EQ(number(error, "edit"), 1);
}

TEST(Edit, ListsOnlyTheFirstLinesOfMany) {
  EXPECT_THAT(refused("x\nx\nx\nx\nx\nx\nx\n", {{"x", "z"}}).message,
              HasSubstr("7 times, on lines 1, 2, 3, 4, 5, …;"));
}

TEST(Edit, NamesTheEditThatFailedOfSeveral) {
  const auto error = refused("a", {{"a", "b"}, {"a", "c"}});
  EXPECT_EQ(error.code, Code::kEditNoMatch);
  EXPECT_THAT(error.message, HasSubstr("edit 2 of 2: "));
  EXPECT_EQ(number(error, "matches"), 0);
  EXPECT_EQ(number(error, "edit"), 2);
}

struct LineEndingCase {
  std::string_view name;
  std::string_view text;
  Replacement edit;
  std::string_view expected;
};

TEST(Edit, KeepsTheLineEndingsOfTheText) {
  const LineEndingCase cases[] = {
      {"crlf text", "a\r\nb\r\nc\r\n", {"a\nb", "x\ny\nz"}, "x\r\ny\r\nz\r\nc\r\n"},
      {"crlf new text only", "a\r\nb\r\n", {"a", "x\ny"}, "x\r\ny\r\nb\r\n"},
      {"crlf old text", "a\r\nb\r\n", {"a\r\nb", "x\ny"}, "x\r\ny\r\n"},
      {"never cuts a line end", "a\r\nb\r\n", {"\nb", ""}, "a\r\n"},
      {"joins lines", "a\r\nb\r\n", {"\n", "", true}, "ab"},
      {"lf text", "a\nb\n", {"a\nb", "x\ny"}, "x\ny\n"},
      {"lf text, crlf asked for", "a\nb\n", {"a", "x\r\ny"}, "x\r\ny\nb\n"},
      {"mixed, exact first", "a\nb\r\na\r\nb\r\n", {"a\nb", "x\ny"}, "x\ny\r\na\r\nb\r\n"},
      {"mixed, then folded", "a\r\nb\nc\nd\n", {"a\nb", "x\ny"}, "x\r\ny\nc\nd\n"},
      {"mixed inside the match", "a\r\nb\nc\r\n", {"a\nb\nc", "x"}, "x\r\n"},
      {"only line ends change", "a\r\nb\r\n", {"a\r\nb", "a\nb"}, "a\nb\r\n"},
      {"a lone return is a byte", "a\r\nb\r\n", {"\r", "", true}, "a\nb\n"},
  };
  for (const auto& c : cases) EXPECT_EQ(edited(c.text, {c.edit}), c.expected) << c.name;
}

struct MissCase {
  std::string_view name;
  std::string_view text;
  std::string_view old_text;
  std::int64_t nearest;
  std::string_view expected;
};

TEST(Edit, ShowsTheNearestMiss) {
  const MissCase cases[] = {
      {"indentation", "def f():\n    return 1\n", "def f():\n\treturn 1\n", 1,
       "at line 1, where only the indentation differs ('-' old text, '+' file):\n- \\treturn 1\n"
       "+     return 1"},
      {"trailing", "x = 10\nreturn x \nend\n", "x = 10\nreturn x\nend", 1,
       "only trailing spaces differ"},
      {"spacing", "aaa\nfoo( bar )\nbbb\n", "foo(bar)", 2, "only white space differs"},
      {"a word", "one\nlet total = count * price;\ntwo\n", "let total = count * cost;", 2,
       "at line 2, where it differs ('-' old text, '+' file):\n- let total = count * cost;\n"
       "+ let total = count * price;"},
      {"a line among others", "begin\nfirst line\nsecond line\nthird line\n",
       "first line\n2nd line\nthird line", 2, "\n- 2nd line\n+ second line"},
      {"past the end", "first line\nsecond line", "second line\nthird line", 2,
       "\n- third line\n+ (no such line)"},
      {"before the beginning", "second line\nthird line", "first line\nsecond line", 1,
       "\n- first line\n+ (no such line)"},
      {"line ends", "first line\nsecond line\n", "first line\r\nsecond", 1,
       "only the line ends differ"},
      {"nothing like it", "alpha\nbeta\n", "1234567", -1, "and nothing like it"},
      {"an empty file", "", "something", -1, "and nothing like it"},
  };
  for (const auto& c : cases) {
    const auto error = refused(c.text, {{std::string(c.old_text), "new"}});
    EXPECT_EQ(error.code, Code::kEditNoMatch) << c.name;
    EXPECT_EQ(number(error, "nearestLine"), c.nearest) << c.name;
    EXPECT_THAT(error.message, HasSubstr(c.expected)) << c.name;
  }
}

TEST(Edit, ShowsLongLinesWhereTheyDiffer) {
  const std::string long_line(300, 'a');
  const auto error = refused(long_line + "b tail\n", {{long_line + "c tail\n", "x"}});
  EXPECT_THAT(error.message, HasSubstr("aac tail\n+ …"));
  EXPECT_LT(error.message.size(), 900U);
}

TEST(Edit, MessagesAreShortAndValidUtf8) {
  std::string text = "header line\n";
  std::string old_text = "header line\n";
  for (int i = 0; i < 20; ++i) {
    text += std::string(200, '\xFF') + "\n";
    old_text += "é" + std::string(200, '\x01') + "\n";
  }
  const auto error = refused(text, {{old_text, "x"}});
  EXPECT_LT(error.message.size(), 900U);
  EXPECT_TRUE(valid_utf8(error.message));
}

TEST(Edit, RefusesAResultThatIsTooLarge) {
  const std::string text(1 << 16, 'a');
  EXPECT_EQ(refused(text, {{"a", std::string(1 << 16, 'b'), true}}).code, Code::kFileTooLarge);
}

// Each of these takes hours when a part of it is quadratic.
TEST(Edit, LargeTextsTakeLinearTime) {
  constexpr std::size_t kText = 4 << 20;
  constexpr std::size_t kOld = 1 << 20;
  auto repeated = [](std::string_view piece, std::size_t size) {
    std::string out;
    while (out.size() < size) out += piece;
    return out;
  };
  const std::pair<std::string, std::string> cases[] = {
      {repeated("a", kText), repeated("a", kOld) + "b"},
      {repeated("a\n", kText), repeated("a\n", kOld) + "b"},
      {repeated("\r\n", kText), repeated("\n\r", kOld) + "b"},
      {repeated("\r\n", kText), repeated("\n", kOld) + "b"},
      {repeated("same line\n", kText), repeated("same line\n", kOld) + "other"},
      {repeated(" same line\n", kText), repeated("same line\n", kOld)},
      {repeated("\n", kText), repeated(" \n", kOld)},
      {repeated("abcdefgh", kText), "abcdefhh"},
  };
  const auto begin = WorkClock().monotonic();
  for (const auto& [text, old_text] : cases) {
    EXPECT_EQ(refused(text, {{old_text, "x"}}).code, Code::kEditNoMatch);
  }
  EXPECT_LT(WorkClock().monotonic() - begin, std::chrono::minutes(2));
}

// The slow, obvious way, for texts without returns.
std::size_t replace_slowly(std::string& text, const Replacement& edit) {
  std::size_t count = 0;
  for (auto at = text.find(edit.old_text); at != std::string::npos;
       at = text.find(edit.old_text, at + edit.new_text.size())) {
    text.replace(at, edit.old_text.size(), edit.new_text);
    ++count;
  }
  return count;
}

TEST(Edit, AgreesWithTheObviousImplementationOnRandomTexts) {
  const auto seed = a_seed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  auto random_text = [&](std::size_t most) {
    std::string text(random() % (most + 1), ' ');
    for (auto& c : text) c = "ab\n"[random() % 3];
    return text;
  };
  for (int round = 0; round < 20000; ++round) {
    const auto text = random_text(12);
    const Replacement edit{random_text(3), random_text(3), random() % 2 == 0};
    if (edit.old_text.empty() || edit.old_text == edit.new_text) continue;
    auto expected = text;
    const auto count = replace_slowly(expected, edit);
    const auto result = apply_edits(text, {&edit, 1});
    if (count == 0 || (count > 1 && !edit.all)) {
      ASSERT_FALSE(result);
      ASSERT_EQ(number(result.error(), "matches"), static_cast<std::int64_t>(count));
    } else {
      ASSERT_TRUE(result) << result.error().render();
      ASSERT_EQ(result->text, expected);
      ASSERT_THAT(result->counts, ElementsAre(count));
    }
  }
}

// Whatever the line endings of text and old text, a unique old text is found.
TEST(Edit, FindsTheSameWhateverTheLineEndings) {
  const auto seed = a_seed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    std::string expected;
    for (int line = 0; line < 6; ++line) {
      const std::string end = random() % 2 == 0 ? "\r\n" : "\n";
      text += "line " + std::to_string(line) + end;
      if (line == 2) expected += "new";
      if (line < 2 || line > 3) expected += "line " + std::to_string(line);
      if (line != 2) expected += end;
    }
    ASSERT_EQ(edited(text, {{"line 2\nline 3", "new"}}), expected);
  }
}

}  // namespace
}  // namespace cairn
