#include "data/tree/search.h"

#include <algorithm>

#include "base/utf8.h"
#include "data/tree/tree_testing.h"

namespace cairn {
namespace {

using namespace tree_testing;
using testing::ElementsAre;
using testing::IsEmpty;

Glob glob(std::string_view pattern) { return must(Glob::parse(pattern)); }

// ---- find ---------------------------------------------------------------------------------------

const Files kProject = {
    {"README.md", "hello\n"},   {"docs/guide.md", "12345"}, {"empty/", ""},
    {"src/a.test.ts", ""},      {"src/a.ts", "a"},          {"src/lib/a.ts", "aaa"},
    {"src/lib/deep/b.ts", "bb"}};

class Find : public testing::Test {
 protected:
  FindResult run(std::string_view pattern, const FindOptions& options = {},
                 const std::string& where = "") {
    auto budget = t.unlimited();
    return must(find_entries(t.view(root), path(where), glob(pattern), options, budget));
  }
  static std::vector<std::string> paths(const FindResult& result) {
    std::vector<std::string> out;
    for (const auto& match : result.matches) {
      out.push_back(match.path + (match.value.kind == Kind::kDict ? "/" : ""));
    }
    return out;
  }

  Trees t;
  NodePtr root = t.tree(kProject);
};

TEST_F(Find, MatchesNamesAndPathsInPathOrder) {
  struct Case {
    std::string pattern;
    std::vector<std::string> found;
  };
  const Case cases[] = {
      {"*.md", {"README.md", "docs/guide.md"}},
      {"a.ts", {"src/a.ts", "src/lib/a.ts"}},
      {"src/*.ts", {"src/a.test.ts", "src/a.ts"}},
      {"src/**/*.ts", {"src/a.test.ts", "src/a.ts", "src/lib/a.ts", "src/lib/deep/b.ts"}},
      {"/a.ts", {}},
      {"/README.md", {"README.md"}},
      {"{lib,docs}", {"docs/", "src/lib/"}},
      {"src/lib/**", {"src/lib/", "src/lib/a.ts", "src/lib/deep/", "src/lib/deep/b.ts"}},
      {"*",
       {"README.md", "docs/", "docs/guide.md", "empty/", "src/", "src/a.test.ts", "src/a.ts",
        "src/lib/", "src/lib/a.ts", "src/lib/deep/", "src/lib/deep/b.ts"}},
      {"nothing", {}},
  };
  for (const auto& c : cases) {
    auto result = run(c.pattern);
    EXPECT_EQ(paths(result), c.found) << c.pattern;
    EXPECT_EQ(result.stopped_by, std::nullopt);
  }
}

TEST_F(Find, FiltersByKindAndSize) {
  FindOptions files, dirs, large, small, between;
  files.kind = KindFilter::kFiles;
  dirs.kind = KindFilter::kDirectories;
  large.min_size = 3;
  small.max_size = 1;
  between.min_size = 2;
  between.max_size = 3;
  EXPECT_THAT(paths(run("{a.ts,lib}", files)), ElementsAre("src/a.ts", "src/lib/a.ts"));
  EXPECT_THAT(paths(run("*", dirs)),
              ElementsAre("docs/", "empty/", "src/", "src/lib/", "src/lib/deep/"));
  // A size is a file's.
  EXPECT_THAT(paths(run("*", large)), ElementsAre("README.md", "docs/guide.md", "src/lib/a.ts"));
  EXPECT_THAT(paths(run("*", small)), ElementsAre("src/a.test.ts", "src/a.ts"));
  EXPECT_THAT(paths(run("*", between)), ElementsAre("src/lib/a.ts", "src/lib/deep/b.ts"));
  between.kind = KindFilter::kDirectories;
  EXPECT_THAT(paths(run("*", between)), IsEmpty());
}

TEST_F(Find, MatchesBelowAPathRelativeToIt) {
  EXPECT_THAT(paths(run("*.ts", {}, "src/lib")), ElementsAre("src/lib/a.ts", "src/lib/deep/b.ts"));
  EXPECT_THAT(paths(run("/a.ts", {}, "src")), ElementsAre("src/a.ts"));
  EXPECT_THAT(paths(run("src/*.ts", {}, "src")), IsEmpty());
  EXPECT_THAT(paths(run("lib/*", {}, "~3")), ElementsAre("src/lib/a.ts", "src/lib/deep/"));
  auto budget = t.unlimited();
  EXPECT_THAT(find_entries(t.view(root), path("README.md"), glob("*"), {}, budget),
              FailsWith(Code::kNotADirectory));
  EXPECT_THAT(find_entries(t.view(root), path("none"), glob("*"), {}, budget),
              FailsWith(Code::kPathNotFound));
}

TEST_F(Find, SaysWhyItStopped) {
  FindOptions four;
  four.max_results = 4;
  auto exact = run("src/**/*.ts", four);
  EXPECT_EQ(exact.matches.size(), 4U);
  EXPECT_EQ(exact.stopped_by, std::nullopt);
  four.max_results = 3;
  auto cut = run("src/**/*.ts", four);
  EXPECT_THAT(paths(cut), ElementsAre("src/a.test.ts", "src/a.ts", "src/lib/a.ts"));
  EXPECT_EQ(cut.stopped_by, "results");

  auto entries = t.within({.entries = 5});
  cut = must(find_entries(t.view(root), Path(), glob("*"), {}, entries));
  EXPECT_EQ(cut.stopped_by, "entries");
  EXPECT_EQ(cut.visited, 5U);
  EXPECT_EQ(cut.matches.size(), 5U);

  auto bytes = t.within({.bytes = 400});
  cut = must(find_entries(t.view(root), Path(), glob("*"), {}, bytes));
  EXPECT_EQ(cut.stopped_by, "bytes");
  EXPECT_EQ(cut.matches.size(), 3U);

  auto time = t.within({.time = std::chrono::milliseconds(1)});
  t.clock.advance(std::chrono::milliseconds(1));
  cut = must(find_entries(t.view(root), Path(), glob("*"), {}, time));
  EXPECT_EQ(cut.stopped_by, "time");
  EXPECT_THAT(cut.matches, IsEmpty());
}

TEST_F(Find, DoesNotEnterWhatCannotMatch) {
  EXPECT_EQ(run("docs/*").visited, 5U);  // the root's four and the guide
  EXPECT_EQ(run("/README.md").visited, 4U);
  EXPECT_EQ(run("*.md").visited, 11U);
}

TEST_F(Find, FindsAsBruteForceDoes) {
  const std::vector<std::string> patterns = {
      "*",     "a",         "*.txt",  "a/*",      "a/**",
      "**/b",  "/a",        "/*/b",   "a/**/b",   "{a,b}/*",
      "*.*",   "a/*/c.txt", "[ab]/?", "**/a/b",   "e-e/**/d.json",
      "**",    "a/b/**",    "*/*/*",  "/{a,e-e}", "b/{a,b/c.txt}",
      "f.x.*", "!a"};
  for_seeds(200, [&](Dice& dice) {
    auto files = random_files(dice, 40);
    root = t.tree(files);
    std::set<Path> all;  // every file and directory
    for (const auto& [where, bytes] : files) {
      auto at = path(where.ends_with('/') ? where.substr(0, where.size() - 1) : where);
      for (; !at.is_root(); at = at.parent()) all.insert(at);
    }
    for (const auto& pattern : patterns) {
      auto compiled = glob(pattern);
      std::vector<std::string> expected;
      for (const auto& at : all) {
        if (compiled.matches(at.render())) expected.push_back(at.render());
      }
      std::vector<std::string> got;
      for (const auto& match : run(pattern).matches) got.push_back(match.path);
      ASSERT_EQ(got, expected) << pattern;
    }
  });
}

// ---- grep ---------------------------------------------------------------------------------------

// "path", then "number:match" or "number-context" for each line.
std::vector<std::string> rendered(const GrepResult& result) {
  std::vector<std::string> out;
  for (const auto& file : result.files) {
    out.push_back(file.path + (file.more ? " …" : ""));
    for (const auto& line : file.lines) {
      out.push_back(std::to_string(line.number) + (line.match ? ":" : "-") +
                    std::string(line.text));
    }
  }
  return out;
}

class Grep : public testing::Test {
 protected:
  GrepResult run(const Files& files, std::string_view text, PatternOptions how = {},
                 const GrepOptions& options = {}, const std::string& where = "") {
    auto budget = t.unlimited();
    return must(grep(t.view(t.tree(files)), path(where), must(Pattern::compile(text, how)), options,
                     budget));
  }

  Trees t;
};

TEST_F(Grep, FindsLinesByTextRegexCaseAndWord) {
  const Files files = {{"f", "cat\nCat food\nconcat\nc.t\n\ncut\n"}};
  struct Case {
    std::string text;
    PatternOptions how;
    std::vector<std::string> lines;
  };
  const Case cases[] = {
      {"cat", {}, {"f", "1:cat", "3:concat"}},
      {"c.t", {}, {"f", "4:c.t"}},
      {"c.t", {.regex = true}, {"f", "1:cat", "3:concat", "4:c.t", "6:cut"}},
      {"^c[au]t$", {.regex = true}, {"f", "1:cat", "6:cut"}},
      {"cat", {.ignore_case = true}, {"f", "1:cat", "2:Cat food", "3:concat"}},
      {"cat", {.whole_word = true}, {"f", "1:cat"}},
      {"cat", {.ignore_case = true, .whole_word = true}, {"f", "1:cat", "2:Cat food"}},
      {"^$", {.regex = true}, {"f", "5:"}},
      {"dog", {}, {}},
  };
  for (const auto& c : cases) {
    auto result = run(files, c.text, c.how);
    EXPECT_EQ(rendered(result), c.lines) << c.text;
    EXPECT_EQ(result.counts.searched, 1U);
    EXPECT_EQ(result.stopped_by, std::nullopt);
    auto matches = std::ranges::count_if(c.lines, [](auto& line) { return line.contains(':'); });
    EXPECT_EQ(result.matches, static_cast<std::uint64_t>(matches));
  }
}

TEST_F(Grep, ShowsContextOnce) {
  const Files files = {{"f", "1\nx\n3\n4\nx\nx\n7\n8\n9\nx"}};
  struct Case {
    unsigned context;
    std::vector<std::string> lines;
  };
  const Case cases[] = {
      {0, {"f", "2:x", "5:x", "6:x", "10:x"}},
      {1, {"f", "1-1", "2:x", "3-3", "4-4", "5:x", "6:x", "7-7", "9-9", "10:x"}},
      {2, {"f", "1-1", "2:x", "3-3", "4-4", "5:x", "6:x", "7-7", "8-8", "9-9", "10:x"}},
      {9, {"f", "1-1", "2:x", "3-3", "4-4", "5:x", "6:x", "7-7", "8-8", "9-9", "10:x"}},
  };
  for (const auto& c : cases) {
    GrepOptions options;
    options.context = c.context;
    auto result = run(files, "x", {}, options);
    EXPECT_EQ(rendered(result), c.lines) << c.context;
    EXPECT_EQ(result.matches, 4U);
    EXPECT_EQ(result.files[0].matches, 4U);
  }
}

TEST_F(Grep, ShowsLinesWithoutTheirTerminators) {
  GrepOptions one;
  one.context = 1;
  EXPECT_THAT(rendered(run({{"f", "a\r\nx\r\nb\r\n"}}, "x", {}, one)),
              ElementsAre("f", "1-a", "2:x", "3-b"));
}

TEST_F(Grep, IncludesAndExcludesByGlobRelativeToThePath) {
  const Files files = {{"a.md", "x"},
                       {"node_modules/m/a.ts", "x"},
                       {"src/a.test.ts", "x"},
                       {"src/a.ts", "x"},
                       {"src/lib/b.ts", "x"}};
  struct Case {
    std::vector<std::string> include;
    std::vector<std::string> exclude;
    std::string where;
    std::vector<std::string> found;
  };
  const Case cases[] = {
      {{}, {}, "", {"a.md", "node_modules/m/a.ts", "src/a.test.ts", "src/a.ts", "src/lib/b.ts"}},
      {{"*.ts"}, {}, "", {"node_modules/m/a.ts", "src/a.test.ts", "src/a.ts", "src/lib/b.ts"}},
      {{"*.ts"}, {"node_modules", "*.test.ts"}, "", {"src/a.ts", "src/lib/b.ts"}},
      {{"*.md", "src/*.ts"}, {}, "", {"a.md", "src/a.test.ts", "src/a.ts"}},
      {{}, {"src/**"}, "", {"a.md", "node_modules/m/a.ts"}},
      {{"lib/*.ts"}, {}, "src", {"src/lib/b.ts"}},
      {{}, {"src"}, "src", {"src/a.test.ts", "src/a.ts", "src/lib/b.ts"}},
      // A file that is named is searched.
      {{"*.md"}, {"*.ts"}, "src/a.ts", {"src/a.ts"}},
  };
  for (const auto& c : cases) {
    GrepOptions options;
    for (const auto& pattern : c.include) options.include.push_back(glob(pattern));
    for (const auto& pattern : c.exclude) options.exclude.push_back(glob(pattern));
    std::vector<std::string> found;
    for (const auto& file : run(files, "x", {}, options, c.where).files) found.push_back(file.path);
    EXPECT_EQ(found, c.found) << testing::PrintToString(c.include)
                              << testing::PrintToString(c.exclude);
  }
}

TEST_F(Grep, SearchesOneFile) {
  auto result = run({{"d/f", "x\ny\n"}, {"d/g", "x"}}, "x", {}, {}, "~0/f");
  EXPECT_THAT(rendered(result), ElementsAre("d/f", "1:x"));
  EXPECT_EQ(result.counts.searched, 1U);
  auto budget = t.unlimited();
  EXPECT_THAT(grep(t.view(t.tree({})), path("none"), must(Pattern::compile("x", {})), {}, budget),
              FailsWith(Code::kPathNotFound));
}

TEST_F(Grep, SkipsBinaryAndLargeFilesAndCountsThem) {
  GrepOptions options;
  options.max_file_bytes = 10;
  const Files files = {{"binary", std::string("x\0x", 3)},
                       {"empty", ""},
                       {"large", "x 123456789"},
                       {"latin1", "x\xe9"},
                       {"text", "x 12345678"}};
  auto result = run(files, "x", {}, options);
  EXPECT_THAT(rendered(result), ElementsAre("text", "1:x 12345678"));
  EXPECT_EQ(result.counts.skipped_binary, 2U);
  EXPECT_EQ(result.counts.skipped_large, 1U);
  // Also when it is named.
  result = run(files, "x", {}, options, "large");
  EXPECT_THAT(result.files, IsEmpty());
  EXPECT_EQ(result.counts.skipped_large, 1U);
}

TEST_F(Grep, CutsLongLinesAroundTheMatchAtCharacters) {
  GrepOptions options;
  options.max_line_bytes = 40;
  for (std::size_t before : {0, 5, 9, 10, 11, 100, 101, 1000}) {
    for (std::size_t after : {0, 1, 100}) {
      SCOPED_TRACE(std::to_string(before) + " " + std::to_string(after));
      std::string line;
      for (std::size_t i = 0; i < before; ++i) line += i % 3 == 0 ? "日" : "é";
      line += "needle";
      for (std::size_t i = 0; i < after; ++i) line += "é";
      auto result = run({{"f", "one\n" + line + "\ntwo\n"}}, "needle", {}, options);
      ASSERT_EQ(result.files.size(), 1U);
      const auto& shown = result.files[0].lines.at(0);
      EXPECT_EQ(shown.number, 2U);
      EXPECT_EQ(shown.cut, line.size() > 40);
      EXPECT_LE(shown.text.size(), 40U);
      EXPECT_TRUE(valid_utf8(shown.text)) << shown.text;
      EXPECT_TRUE(shown.text.contains("needle")) << shown.text;
      EXPECT_TRUE(line.contains(shown.text));
    }
  }
}

TEST_F(Grep, CutsLongContextFromItsBeginning) {
  GrepOptions options;
  options.max_line_bytes = 10;
  options.context = 1;
  auto result = run({{"f", "0123456789abc\nx\n"}}, "x", {}, options);
  EXPECT_THAT(rendered(result), ElementsAre("f", "1-0123456789", "2:x"));
  EXPECT_TRUE(result.files[0].lines[0].cut);
  EXPECT_FALSE(result.files[0].lines[1].cut);
}

TEST_F(Grep, SearchesChunkedFilesWhole) {
  std::string large;
  std::vector<std::string> expected = {"large"};
  for (int i = 1; large.size() < 900'000; ++i) {
    bool hit = i % 5000 == 0;
    auto line = std::to_string(i) + (hit ? " needle" : " hay and straw");
    if (hit) expected.push_back(std::to_string(i) + ":" + line);
    large += line + "\n";
  }
  EXPECT_EQ(rendered(run({{"large", large}}, "needle")), expected);
  EXPECT_EQ(rendered(run({{"large", large}}, "n[e]+dle$", {.regex = true})), expected);
}

TEST_F(Grep, StopsInAFileAfterItsLimit) {
  GrepOptions two;
  two.max_per_file = 2;
  auto result = run({{"a", "x\nx\nx\n"}, {"b", "x\nx\n"}}, "x", {}, two);
  EXPECT_THAT(rendered(result), ElementsAre("a …", "1:x", "2:x", "b", "1:x", "2:x"));
  EXPECT_EQ(result.matches, 4U);
  EXPECT_EQ(result.stopped_by, std::nullopt);
}

TEST_F(Grep, StopsAfterAllItsMatchesWithoutStrayContext) {
  const Files files = {{"a", "x\n2\n3\n4\n5\nx\n7\n"}, {"b", "x\n"}};
  GrepOptions options;
  options.context = 1;
  options.max_matches = 3;
  EXPECT_EQ(run(files, "x", {}, options).stopped_by, std::nullopt);
  options.max_matches = 2;
  auto result = run(files, "x", {}, options);
  EXPECT_THAT(rendered(result), ElementsAre("a", "1:x", "2-2", "5-5", "6:x", "7-7"));
  EXPECT_EQ(result.stopped_by, "matches");
  options.max_matches = 1;
  result = run(files, "x", {}, options);
  EXPECT_THAT(rendered(result), ElementsAre("a …", "1:x", "2-2"));
  EXPECT_EQ(result.matches, 1U);
  EXPECT_EQ(result.stopped_by, "matches");
  options.max_matches = 0;
  result = run(files, "x", {}, options);
  EXPECT_THAT(result.files, IsEmpty());
  EXPECT_EQ(result.stopped_by, "matches");
}

TEST_F(Grep, NumbersTheLinesOfALargeFile) {
  std::string text;
  for (int i = 1; i <= 20'000; ++i) text += "line " + std::to_string(i) + "\n";
  ASSERT_GT(text.size(), 3U << 16);
  // The border of the first portion is within a line, that of the second is wherever it falls.
  const auto border = std::to_string(std::ranges::count(text.substr(0, 1 << 16), '\n') + 1);
  GrepOptions options;
  options.context = 1;
  auto result = run({{"big", text}}, "line (1|" + border + "|19999)$", {.regex = true}, options);
  const auto near = [&](int by) {
    const auto number = std::to_string(std::stoi(border) + by);
    return number + (by == 0 ? ":" : "-") + "line " + number;
  };
  EXPECT_THAT(rendered(result),
              ElementsAre("big", "1:line 1", "2-line 2", near(-1), near(0), near(1),
                          "19998-line 19998", "19999:line 19999", "20000-line 20000"));
  options.max_per_file = 2;
  result = run({{"big", text}}, "line .*99$", {.regex = true}, options);
  EXPECT_THAT(rendered(result), ElementsAre("big …", "98-line 98", "99:line 99", "100-line 100",
                                            "198-line 198", "199:line 199", "200-line 200"));
}

TEST_F(Grep, StopsWithTheBudgetAndSaysWhy) {
  Files files;
  for (int i = 100; i < 150; ++i) files["f" + std::to_string(i)] = "x one\nx two\n";
  auto root = t.tree(files);
  auto pattern = must(Pattern::compile("x", {}));

  auto entries = t.within({.entries = 10});
  auto result = must(grep(t.view(root), Path(), pattern, {}, entries));
  EXPECT_EQ(result.stopped_by, "entries");
  EXPECT_EQ(result.files.size(), 10U);

  auto bytes = t.within({.bytes = 3 * 39 + 5 * 26});
  result = must(grep(t.view(root), Path(), pattern, {}, bytes));
  EXPECT_EQ(result.stopped_by, "bytes");
  EXPECT_THAT(rendered(result), ElementsAre("f100", "1:x one", "2:x two", "f101", "1:x one",
                                            "2:x two", "f102 …", "1:x one"));

  auto time = t.within({.time = std::chrono::milliseconds(1)});
  t.clock.advance(std::chrono::milliseconds(1));
  result = must(grep(t.view(root), Path(), pattern, {}, time));
  EXPECT_EQ(result.stopped_by, "time");
  EXPECT_THAT(result.files, IsEmpty());
}

TEST_F(Grep, ReportsADamagedTree) {
  auto file = must(write_file(t.stage, "text/plain", "x"));
  auto missing = entry_for("gone", *file);
  missing.key = NodeKey::of("nowhere");
  const Entry entries[] = {entry_for("a", *file), missing};
  auto budget = t.unlimited();
  EXPECT_THAT(grep(t.view(make_dict(entries)), Path(), must(Pattern::compile("x", {})), {}, budget),
              FailsWith(Code::kNodeNotFound));
}

// ---- Against brute force ------------------------------------------------------------------------

struct OracleOptions {
  std::string word;
  bool ignore_case = false;
  unsigned context = 0;
  std::size_t per_file = 100;
  std::size_t total = 1000;
};

std::string lowered(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    auto end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::vector<std::string> brute_force(const Files& files, const OracleOptions& options) {
  std::vector<std::string> out;
  std::size_t left = options.total;
  std::map<Path, std::string> in_order;
  for (const auto& [where, bytes] : files) {
    if (!where.ends_with('/')) in_order[path(where)] = bytes;
  }
  for (const auto& [where, bytes] : in_order) {
    if (bytes.contains('\0')) continue;
    auto lines = lines_of(bytes);
    std::vector<std::size_t> hits;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      bool hit = options.ignore_case ? lowered(lines[i]).contains(lowered(options.word))
                                     : lines[i].contains(options.word);
      if (hit) hits.push_back(i);
    }
    bool more = hits.size() > options.per_file;
    hits.resize(std::min(hits.size(), options.per_file));
    // The answer ends before the first match over the limit.
    bool last = hits.size() > left;
    auto end = last ? hits[left] : lines.size();
    hits.resize(std::min(hits.size(), left));
    if (!hits.empty()) {
      out.push_back(where.render() + (more || last ? " …" : ""));
      for (std::size_t i = 0; i < end; ++i) {
        bool match = std::ranges::find(hits, i) != hits.end();
        bool near = std::ranges::any_of(hits, [&](std::size_t hit) {
          return (hit > i ? hit - i : i - hit) <= options.context;
        });
        if (match || near) {
          out.push_back(std::to_string(i + 1) + (match ? ":" : "-") + lines[i]);
        }
      }
    }
    left -= hits.size();
    if (last) break;
  }
  return out;
}

TEST_F(Grep, FindsAsBruteForceDoesWithOneThreadAndWithTwo) {
  const std::vector<std::string> words = {"one", "two", "o", "e t", "ONE", "no such thing"};
  for_seeds(150, [&](Dice& dice) {
    Files files;
    auto shape = random_files(dice, 20);
    for (int copy = 0; copy < 4; ++copy) {
      for (const auto& [where, bytes] : shape) {
        if (where.ends_with('/')) continue;
        std::string text = dice.one_in(10) ? std::string("\0", 1) : "";
        for (auto lines = dice.below(12); lines > 0; --lines) {
          text += dice.pick(std::vector<std::string>{"one", "two", "one two", "One", "", "three"});
          text += "\n";
        }
        if (dice.one_in(3)) text += "one";
        files["d" + std::to_string(copy) + "/" + where] = text;
      }
    }
    auto root = t.tree(files);
    for (int i = 0; i < 4; ++i) {
      OracleOptions oracle{dice.pick(words), dice.one_in(2), static_cast<unsigned>(dice.below(4)),
                           1 + dice.below(6), 1 + dice.below(120)};
      auto expected = brute_force(files, oracle);
      std::optional<GrepResult> first;
      for (unsigned threads : {1U, 2U, 2U}) {
        GrepOptions options;
        options.context = oracle.context;
        options.max_per_file = oracle.per_file;
        options.max_matches = oracle.total;
        options.threads = threads;
        auto pattern = must(Pattern::compile(oracle.word, {.ignore_case = oracle.ignore_case}));
        auto budget = t.unlimited();
        auto got = must(grep(t.view(root), Path(), pattern, options, budget));
        ASSERT_EQ(rendered(got), expected) << oracle.word << " on " << threads << " threads";
        if (!first) {
          first = got;
        } else {
          ASSERT_EQ(got.counts.searched, first->counts.searched);
          ASSERT_EQ(got.counts.skipped_binary, first->counts.skipped_binary);
          ASSERT_EQ(got.matches, first->matches);
          ASSERT_EQ(got.stopped_by, first->stopped_by);
        }
      }
    }
  });
}

}  // namespace
}  // namespace cairn
