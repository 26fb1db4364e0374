#include "data/tree/view.h"

#include <algorithm>

#include "base/quote.h"
#include "data/tree/change.h"
#include "data/tree/nearest.h"
#include "data/tree/tree_testing.h"

namespace cairn {
namespace {

using namespace tree_testing;
using testing::ElementsAre;

const Files kProject = {{"README.md", "hello\n"},
                        {"empty/", ""},
                        {"src/alpha.ts", "a"},
                        {"src/beta.ts", "bb"},
                        {"src/lib/c.ts", "ccc"}};

// ---- locate -------------------------------------------------------------------------------------

class Locate : public testing::Test {
 protected:
  Trees t;
  NodePtr root = t.tree(kProject);
};

TEST_F(Locate, FindsByNameAndByIndex) {
  struct Case {
    std::string where;
    std::string resolved;
    Kind kind;
  };
  const Case cases[] = {
      {"", "", Kind::kDict},
      {"README.md", "README.md", Kind::kFile},
      {"src", "src", Kind::kDict},
      {"src/lib/c.ts", "src/lib/c.ts", Kind::kFile},
      {"~0", "README.md", Kind::kFile},
      {"~1", "empty", Kind::kDict},
      {"~2/~2/~0", "src/lib/c.ts", Kind::kFile},
      {"src/~1", "src/beta.ts", Kind::kFile},
      {"~2/lib/~0", "src/lib/c.ts", Kind::kFile},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.where);
    auto at = must(locate(t.view(root), path(c.where)));
    EXPECT_EQ(at.path.render(), c.resolved);
    EXPECT_EQ(at.entry.kind, c.kind);
    EXPECT_EQ(at.entry.name, at.path.is_root() ? "" : at.path.name());
    auto found = must(find(t.view(root), path(c.where)));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->entry, at.entry);
  }
}

TEST_F(Locate, SaysWhatIsMissingAndWhatIsNear) {
  struct Case {
    std::string where;
    Code code;
    std::string says;
  };
  const Case cases[] = {
      {"readme.md", Code::kPathNotFound,
       "the path 'readme.md' does not exist; the nearest name is 'README.md'"},
      {"src/alhpa.ts", Code::kPathNotFound, "the nearest name is 'alpha.ts'"},
      {"scr/lib/c.ts", Code::kPathNotFound, "the root has no 'scr'"},
      {"src/lob/c.ts", Code::kPathNotFound, "'src' has no 'lob'; the nearest name is 'lib'"},
      {"nothing-like-it", Code::kPathNotFound, "the path 'nothing-like-it' does not exist"},
      {"empty/x", Code::kPathNotFound, "the path 'empty/x' does not exist"},
      {"~3", Code::kPathNotFound, "the path '~3' does not exist"},
      {"empty/~0", Code::kPathNotFound, "the path 'empty/~0' does not exist"},
      {"~99999999999999999999", Code::kPathNotFound, "does not exist"},
      {"README.md/x", Code::kNotADirectory, "'README.md' in the path 'README.md/x' is a file"},
      {"src/beta.ts/~0/y", Code::kNotADirectory, "'src/beta.ts' in the path"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(locate(t.view(root), path(c.where)), FailsSaying(c.code, c.says)) << c.where;
    EXPECT_FALSE(must(find(t.view(root), path(c.where)))) << c.where;
  }
  auto far = locate(t.view(root), path("nothing-like-it"));
  EXPECT_THAT(far, testing::Not(FailsSaying(Code::kPathNotFound, "nearest")));
}

TEST_F(Locate, WorksWhereTheRootIsAFile) {
  auto file = must(write_file(t.stage, "text/plain", "whole"));
  auto tree = must(view_tree(t.stage, file->key()));
  EXPECT_EQ(must(locate(tree, Path())).entry.kind, Kind::kFile);
  EXPECT_THAT(locate(tree, path("a")), FailsSaying(Code::kNotADirectory, "'the root'"));
  EXPECT_FALSE(must(find(tree, path("a"))));
  auto budget = t.unlimited();
  EXPECT_EQ(must(read(tree, Path(), {}, budget)).content, "whole");
  EXPECT_EQ(must(read_lines(tree, Path(), {}, budget)).content, "whole");
  EXPECT_THAT(list(tree, Path(), {}, budget), FailsWith(Code::kNotADirectory));
}

TEST_F(Locate, TakesNoPieceForATree) {
  auto large = must(write_file(t.stage, "text/plain", std::string(400'000, 'x')));
  EXPECT_TRUE(view_tree(t.stage, large->key()));
  EXPECT_THAT(view_tree(t.stage, large->pieces()[0].key), FailsWith(Code::kNotADirectory));
  EXPECT_THAT(view_tree(t.stage, NodeKey::of("nowhere")), FailsWith(Code::kNodeNotFound));
}

TEST_F(Locate, RefusesAnEntryThatDoesNotFitItsNode) {
  auto file = must(write_file(t.stage, "text/plain", "x"));
  auto dict = t.tree({{"a", "1"}});
  auto wrong_kind = entry_for("d", *dict);
  wrong_kind.key = file->key();
  auto wrong_size = entry_for("f", *file);
  wrong_size.bytes = 99;
  auto wrong_count = entry_for("g", *dict);
  wrong_count.children = 2;
  const Entry entries[] = {wrong_kind, wrong_size, wrong_count};
  auto bad = t.view(make_dict(entries));
  auto budget = t.unlimited();
  EXPECT_THAT(list(bad, path("d"), {}, budget), FailsWith(Code::kCorruptNode));
  EXPECT_THAT(locate(bad, path("d/a")), FailsWith(Code::kCorruptNode));
  EXPECT_THAT(read(bad, path("f"), {}, budget), FailsWith(Code::kCorruptNode));
  EXPECT_THAT(list(bad, path("g"), {}, budget), FailsWith(Code::kCorruptNode));
}

TEST(Nearest, IsTheFirstOfThoseThatComeNearest) {
  Trees t;
  auto root = t.tree({{"abcdef1", ""}, {"abcdef2", ""}, {"abcdefgh", ""}});
  EXPECT_EQ(must(nearest_name(t.stage, root, "abcdef3")), "abcdef1");
  EXPECT_EQ(must(nearest_name(t.stage, root, "abcdefg")), "abcdef1");
  EXPECT_EQ(must(nearest_name(t.stage, root, "abcdefghi")), "abcdefgh");
}

TEST(Nearest, LooksAtABoundedPartOfALargeDirectory) {
  Trees t;
  Files many;
  for (int i = 0; i < 5000; ++i) many["file" + std::to_string(10'000 + i)] = "";
  auto root = t.tree(many);
  EXPECT_EQ(must(nearest_name(t.stage, root, "file12345x")), "file12345");
  EXPECT_EQ(must(nearest_name(t.stage, root, "zzzz")), "");
  EXPECT_EQ(must(nearest_name(t.stage, empty_dict(), "x")), "");
}

// ---- list ---------------------------------------------------------------------------------------

class List : public testing::Test {
 protected:
  ListPage page(const NodePtr& root, const std::string& where, ListOptions options) {
    auto budget = t.unlimited();
    return must(list(t.view(root), path(where), options, budget));
  }

  static std::vector<std::string> names(const ListPage& page) {
    std::vector<std::string> out;
    for (const auto& child : page.children) out.push_back(child.name);
    return out;
  }

  Trees t;
};

TEST_F(List, ShowsChildrenInNameOrderWithIndexAndTotal) {
  auto root = t.tree(kProject);
  auto src = page(root, "~2", {});
  EXPECT_EQ(src.path.render(), "src");
  EXPECT_EQ(src.key, must(locate(t.view(root), path("src"))).entry.key);
  EXPECT_EQ(src.total, 3U);
  EXPECT_EQ(src.next_cursor, std::nullopt);
  EXPECT_THAT(names(src), ElementsAre("alpha.ts", "beta.ts", "lib"));
  EXPECT_EQ(src.children[1].index, 1U);
  EXPECT_EQ(src.children[1].value.bytes, 2U);
  EXPECT_EQ(src.children[2].value.children, 1U);
  EXPECT_EQ(page(root, "empty", {}).total, 0U);
  EXPECT_EQ(page(root, "empty", {}).next_cursor, std::nullopt);
}

TEST_F(List, GivesTheSameWholeForEveryPageSize) {
  Files many;
  std::vector<std::string> expected;
  for (int i = 0; i < 700; ++i) {
    expected.push_back("n" + std::to_string(10'000 + 7 * i));
    many["d/" + expected.back()] = "";
  }
  auto root = t.tree(many);
  for (std::uint64_t limit : {1, 2, 3, 31, 32, 99, 100, 350, 699, 700, 701, 1000}) {
    SCOPED_TRACE(limit);
    std::vector<std::string> all;
    ListOptions options{.limit = limit, .cursor = {}};
    std::size_t pages = 0;
    do {
      auto one = page(root, "d", options);
      EXPECT_EQ(one.total, 700U);
      EXPECT_LE(one.children.size(), limit);
      for (const auto& child : one.children) {
        EXPECT_EQ(child.index, all.size());
        all.push_back(child.name);
      }
      options.cursor = one.next_cursor;
      pages += 1;
    } while (options.cursor);
    EXPECT_EQ(all, expected);
    EXPECT_EQ(pages, (700 + limit - 1) / limit);
  }
}

TEST_F(List, CursorsSurviveChangesOfTheDirectory) {
  auto before = t.tree({{"a", ""}, {"c", ""}, {"e", ""}, {"g", ""}});
  auto first = page(before, "", {.limit = 2, .cursor = {}});
  EXPECT_THAT(names(first), ElementsAre("a", "c"));
  // The last name given is gone, names before and after it have come.
  auto after = t.tree({{"a", ""}, {"b", ""}, {"d", ""}, {"e", ""}, {"g", ""}});
  auto second = page(after, "", {.limit = 10, .cursor = first.next_cursor});
  EXPECT_THAT(names(second), ElementsAre("d", "e", "g"));
  EXPECT_EQ(second.children[0].index, 2U);
  EXPECT_EQ(second.next_cursor, std::nullopt);
  EXPECT_THAT(names(page(t.tree({{"a", ""}}), "", {.limit = 10, .cursor = first.next_cursor})),
              ElementsAre());
}

TEST_F(List, RefusesLimitsCursorsAndFiles) {
  auto root = t.tree(kProject);
  auto budget = t.unlimited();
  EXPECT_THAT(list(t.view(root), Path(), {.limit = 0, .cursor = {}}, budget),
              FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(list(t.view(root), Path(), {.limit = 1001, .cursor = {}}, budget),
              FailsSaying(Code::kInvalidArgument, "1 to 1000"));
  EXPECT_THAT(list(t.view(root), Path(), {.limit = 10, .cursor = "nonsense"}, budget),
              FailsWith(Code::kInvalidCursor));
  EXPECT_THAT(list(t.view(root), path("README.md"), {}, budget), FailsWith(Code::kNotADirectory));
  EXPECT_THAT(list(t.view(root), path("none"), {}, budget), FailsWith(Code::kPathNotFound));
}

TEST_F(List, EndsAPageEarlyWhenTheBudgetSaysSo) {
  auto root = t.tree({{"a", ""}, {"b", ""}, {"c", ""}});
  auto two = t.within({.entries = 2});
  auto cut = must(list(t.view(root), Path(), {}, two));
  EXPECT_THAT(names(cut), ElementsAre("a", "b"));
  ASSERT_TRUE(cut.next_cursor);
  EXPECT_THAT(names(page(root, "", {.limit = 100, .cursor = cut.next_cursor})), ElementsAre("c"));

  auto bytes = t.within({.bytes = 300});
  cut = must(list(t.view(root), Path(), {}, bytes));
  EXPECT_THAT(names(cut), ElementsAre("a", "b"));
  EXPECT_TRUE(cut.next_cursor);

  // However small, a page has one child: whoever follows the cursors arrives.
  auto nothing = t.within({.entries = 0});
  cut = must(list(t.view(root), Path(), {}, nothing));
  EXPECT_THAT(names(cut), ElementsAre("a"));
  EXPECT_TRUE(cut.next_cursor);
}

// ---- read ---------------------------------------------------------------------------------------

// Text of more than `size` bytes: short, long and empty lines, from a seed.
std::string text_of(std::size_t size, std::uint64_t seed, const std::string& newline) {
  Dice dice(seed);
  std::string text;
  while (text.size() < size) {
    auto length = dice.one_in(50) ? dice.below(40'000) : dice.below(80);
    for (std::size_t i = 0; i < length; ++i) text += static_cast<char>('a' + dice.below(26));
    text += newline;
  }
  return text;
}

class Read : public testing::Test {
 protected:
  NodePtr holding(const std::string& bytes) { return t.tree({{"f.txt", bytes}}); }
  FileContent bytes(const NodePtr& root, ByteRange range) {
    auto budget = t.unlimited();
    return must(read(t.view(root), path("f.txt"), range, budget));
  }
  Result<FileContent> lines(const NodePtr& root, LineRange range) {
    auto budget = t.unlimited();
    return read_lines(t.view(root), path("f.txt"), range, budget);
  }

  Trees t;
};

TEST_F(Read, GivesTheWholeFileAndWhatIsKnownOfIt) {
  auto root = t.tree(kProject);
  auto budget = t.unlimited();
  auto content = must(read(t.view(root), path("~0"), {}, budget));
  EXPECT_EQ(content.content, "hello\n");
  EXPECT_EQ(content.path.render(), "README.md");
  EXPECT_EQ(content.key, must(locate(t.view(root), path("README.md"))).entry.key);
  EXPECT_EQ(content.size, 6U);
  EXPECT_EQ(content.type, "text/markdown");
  EXPECT_FALSE(content.truncated);
  EXPECT_THAT(read(t.view(root), path("src"), {}, budget), FailsWith(Code::kNotAFile));
  EXPECT_THAT(read(t.view(root), Path(), {}, budget), FailsSaying(Code::kNotAFile, "the root"));
  EXPECT_THAT(read(t.view(root), path("none"), {}, budget), FailsWith(Code::kPathNotFound));
  EXPECT_THAT(read_lines(t.view(root), path("src"), {}, budget), FailsWith(Code::kNotAFile));
}

TEST_F(Read, GivesRangesOfBytesCutToTheFile) {
  struct Case {
    ByteRange range;
    std::string content;
    std::uint64_t offset;
  };
  const Case cases[] = {
      {{}, "0123456789", 0},     {{0, 3}, "012", 0},
      {{3, 4}, "3456", 3},       {{8, 100}, "89", 8},
      {{10, 5}, "", 10},         {{11, 5}, "", 10},
      {{UINT64_MAX, 5}, "", 10}, {{5, UINT64_MAX}, "56789", 5},
      {{4, 0}, "", 4},
  };
  auto root = holding("0123456789");
  for (const auto& c : cases) {
    auto got = bytes(root, c.range);
    EXPECT_EQ(got.content, c.content) << c.range.offset << " " << c.range.length;
    EXPECT_EQ(got.offset, c.offset);
    EXPECT_EQ(got.size, 10U);
    EXPECT_FALSE(got.truncated);
  }
}

TEST_F(Read, CutsBytesToTheBudget) {
  auto budget = t.within({.bytes = 4});
  auto got = must(read(t.view(holding("0123456789")), path("f.txt"), {2, 6}, budget));
  EXPECT_EQ(got.content, "2345");
  EXPECT_TRUE(got.truncated);
  EXPECT_EQ(budget.bytes_left(), 0);
  auto exact = t.within({.bytes = 6});
  EXPECT_FALSE(must(read(t.view(holding("0123456789")), path("f.txt"), {2, 6}, exact)).truncated);
}

TEST_F(Read, GivesRangesOfLines) {
  struct Case {
    std::string what;
    std::string bytes;
    LineRange range;
    std::string content;
    std::uint64_t offset;
    std::uint64_t first;
    std::uint64_t last;
    std::optional<std::uint64_t> total;
  };
  const Case cases[] = {
      {"all", "a\nb\nc\n", {}, "a\nb\nc\n", 0, 1, 3, 3},
      {"no newline at the end", "a\nb\nc", {}, "a\nb\nc", 0, 1, 3, 3},
      {"the middle", "a\nb\nc\n", {2, 2}, "b\n", 2, 2, 2, std::nullopt},
      {"to the end exactly", "a\nb\nc\n", {2, 3}, "b\nc\n", 2, 2, 3, 3},
      {"to the end exactly, without newline", "a\nb\nc", {2, 3}, "b\nc", 2, 2, 3, 3},
      {"over the end", "a\nb\nc\n", {3, 99}, "c\n", 4, 3, 3, 3},
      {"CRLF", "a\r\nb\r\nc\r\n", {2, 2}, "b\r\n", 3, 2, 2, std::nullopt},
      {"empty lines", "\n\n\nx\n", {2, 4}, "\n\nx\n", 1, 2, 4, 4},
      {"an empty file", "", {}, "", 0, 0, 0, 0},
      {"an empty file, its line 1", "", {1, 1}, "", 0, 0, 0, 0},
      {"one newline", "\n", {}, "\n", 0, 1, 1, 1},
      {"a bare CR ends no line", "a\rb\nc\n", {1, 1}, "a\rb\n", 0, 1, 1, std::nullopt},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    auto got = must(lines(holding(c.bytes), c.range));
    EXPECT_EQ(got.content, c.content);
    EXPECT_EQ(got.offset, c.offset);
    EXPECT_EQ(got.first_line, c.first);
    EXPECT_EQ(got.last_line, c.last);
    EXPECT_EQ(got.total_lines, c.total);
    EXPECT_EQ(got.size, c.bytes.size());
    EXPECT_FALSE(got.truncated);
  }
}

TEST_F(Read, RefusesLinesThatAreNotThere) {
  auto three = holding("a\nb\nc\n");
  EXPECT_THAT(lines(three, {4, 9}), FailsSaying(Code::kInvalidArgument, "has 3 lines; line 4"));
  EXPECT_THAT(lines(three, {4, 4}), FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(lines(holding("a\nb"), {3, 3}), FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(lines(holding(""), {2, 2}), FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(lines(three, {0, 1}), FailsWith(Code::kInvalidArgument));
  EXPECT_THAT(lines(three, {3, 2}), FailsWith(Code::kInvalidArgument));
}

TEST_F(Read, CutsLinesToTheBudgetWhole) {
  struct Case {
    std::string bytes;
    std::int64_t budget;
    LineRange range;
    std::string content;
    std::uint64_t last;
    bool truncated;
  };
  const Case cases[] = {
      // A newline is two bytes of JSON.
      {"one\ntwo\nthree\n", 17, {}, "one\ntwo\nthree\n", 3, false},
      {"one\ntwo\nthree\n", 16, {}, "one\ntwo\n", 2, true},
      {"one\ntwo\nthree\n", 5, {}, "one\n", 1, true},
      {"one\ntwo\nthree\n", 5, {2, 3}, "two\n", 2, true},
      {"one\ntwo\nthree\n", 5, {2, 2}, "two\n", 2, false},
      // A first line that alone is too long: as much of it as fits, in whole characters.
      {"one\ntwo\nthree\n", 3, {}, "one", 1, true},
      {"ééé\n", 3, {}, "é", 1, true},
      {"ééé\n", 1, {}, "", 0, true},
      {"one\n", 0, {}, "", 0, true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.bytes + " " + std::to_string(c.budget));
    auto budget = t.within({.bytes = c.budget});
    auto got = must(read_lines(t.view(holding(c.bytes)), path("f.txt"), c.range, budget));
    EXPECT_EQ(got.content, c.content);
    EXPECT_EQ(got.last_line, c.last);
    EXPECT_EQ(got.truncated, c.truncated);
    if (c.truncated) {
      EXPECT_EQ(got.total_lines, std::nullopt);
    }
  }
}

TEST_F(Read, CutsALongLineTheSameWhetherTheFileIsChunkedOrNot) {
  for (std::size_t size : {100'000, 1'000'000}) {
    SCOPED_TRACE(size);
    auto budget = t.within({.bytes = 60'000});
    auto root = holding("head\n" + std::string(size, 'x'));
    auto got = must(read_lines(t.view(root), path("f.txt"), {2, 2}, budget));
    EXPECT_EQ(got.content, std::string(60'000, 'x'));
    EXPECT_EQ(got.offset, 5U);
    EXPECT_TRUE(got.truncated);
    auto both = t.within({.bytes = 60'000});
    got = must(read_lines(t.view(root), path("f.txt"), {1, 2}, both));
    EXPECT_EQ(got.content, "head\n");
    EXPECT_EQ(got.last_line, 1U);
    EXPECT_TRUE(got.truncated);
  }
}

TEST_F(Read, GoesOnInALongLineWhereItWasCut) {
  for (std::size_t size : {1'000, 600'000}) {
    SCOPED_TRACE(size);
    std::string line;
    while (line.size() < size) line += "\té" + std::to_string(line.size());
    auto text = "head\n" + line + "\ntail\n";
    auto root = holding(text);
    std::string got;
    LineRange range{.first = 2, .last = 2};
    for (int i = 0; i < 100; ++i) {
      auto budget = t.within({.bytes = 7'001});
      auto part = must(read_lines(t.view(root), path("f.txt"), range, budget));
      EXPECT_EQ(part.offset, 5 + got.size());
      got += part.content;
      EXPECT_EQ(part.cut_at.has_value(), part.truncated);
      if (!part.cut_at) break;
      range.skip = *part.cut_at;
    }
    EXPECT_EQ(got, line + "\n");
  }
}

TEST_F(Read, LeavesWholeCharactersOutOfALine) {
  auto root = holding("ééx\nnext\n");
  auto skipping = [&](std::uint64_t skip) {
    return must(lines(root, {.first = 1, .last = 2, .skip = skip})).content;
  };
  EXPECT_EQ(skipping(0), "ééx\nnext\n");
  EXPECT_EQ(skipping(2), "éx\nnext\n");
  EXPECT_EQ(skipping(3), "x\nnext\n");
  EXPECT_EQ(skipping(99), "next\n");
}

// The obvious way to the same.
struct OracleLines {
  explicit OracleLines(const std::string& text) {
    std::size_t begin = 0;
    while (begin < text.size()) {
      auto end = std::min(text.find('\n', begin), text.size() - 1) + 1;
      begins.push_back(begin);
      lines.push_back(text.substr(begin, end - begin));
      begin = end;
    }
  }
  std::string joined(std::size_t first, std::size_t last) const {
    std::string out;
    for (auto i = first; i <= std::min(last, lines.size()); ++i) out += lines[i - 1];
    return out;
  }
  std::vector<std::size_t> begins;
  std::vector<std::string> lines;
};

TEST_F(Read, ReadsChunkedFilesAsTheOracleDoes) {
  for_seeds(6, [&](Dice& dice) {
    auto text =
        text_of(300'000 + dice.below(600'000), dice.below(1000), dice.one_in(2) ? "\n" : "\r\n");
    if (dice.one_in(2)) text += "no newline at the end";
    auto root = holding(text);
    ASSERT_GT(must(open_file(t.view(root), must(locate(t.view(root), path("f.txt")))))->level(),
              0U);
    OracleLines oracle(text);
    for (int i = 0; i < 40; ++i) {
      auto offset = dice.below(text.size() + 10);
      auto length = dice.one_in(2) ? dice.below(200) : dice.below(text.size());
      ASSERT_EQ(bytes(root, {offset, length}).content,
                offset < text.size() ? text.substr(offset, length) : "");
      auto first = dice.below(oracle.lines.size()) + 1;
      auto last = first + (dice.one_in(2) ? dice.below(20) : dice.below(oracle.lines.size()));
      auto got = must(lines(root, {first, last}));
      ASSERT_EQ(got.content, oracle.joined(first, last));
      ASSERT_EQ(got.offset, oracle.begins[first - 1]);
      ASSERT_EQ(got.first_line, first);
      ASSERT_EQ(got.last_line, std::min(last, oracle.lines.size()));
      ASSERT_EQ(got.total_lines.has_value(), last >= oracle.lines.size());
      ASSERT_EQ(got.total_lines.value_or(oracle.lines.size()), oracle.lines.size());

      auto allowed = static_cast<std::int64_t>(dice.below(100'000));
      auto budget = t.within({.bytes = allowed});
      auto cut = must(read_lines(t.view(root), path("f.txt"), {first, last}, budget));
      auto fits = first;
      std::int64_t spent = 0;
      while (fits <= std::min(last, oracle.lines.size())) {
        spent += static_cast<std::int64_t>(json_bytes(oracle.lines[fits - 1]));
        if (spent > allowed) break;
        fits += 1;
      }
      if (fits > first) {
        ASSERT_EQ(cut.content, oracle.joined(first, fits - 1));
        ASSERT_EQ(cut.last_line, fits - 1);
      } else {
        ASSERT_EQ(cut.content,
                  json_prefix(oracle.lines[first - 1], static_cast<std::size_t>(allowed)));
      }
      ASSERT_EQ(cut.truncated, fits <= std::min(last, oracle.lines.size()));
    }
  });
}

}  // namespace
}  // namespace cairn
