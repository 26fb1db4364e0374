// The format's page says what the code does: its examples and constants are read from it.

#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/cas/boundary.h"
#include "data/cas/chunker.h"
#include "data/cas/dict.h"
#include "data/cas/file.h"

#ifndef CAIRN_SOURCE_DIR
#define CAIRN_SOURCE_DIR "."
#endif

namespace cairn {
namespace {

using testing::HasSubstr;

std::string page() {
  std::ifstream in(CAIRN_SOURCE_DIR "/docs/node-format.md");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Example {
  std::string key;
  Bytes bytes;
  std::size_t promised_size = 0;
};

// The bytes of one line: pairs of hexadecimal digits up to a `#`.
Bytes parse_hex(const std::string& line) {
  Bytes bytes;
  std::istringstream words(line.substr(0, line.find('#')));
  for (std::string word; words >> word;) {
    if (word.size() != 2) throw std::runtime_error("not a byte: " + word);
    bytes.push_back(static_cast<char>(std::stoi(word, nullptr, 16)));
  }
  return bytes;
}

// Below a title `### Name` comes a line "Example: `nod_…`, N bytes", then a block of ```hex.
std::map<std::string, Example> examples() {
  std::map<std::string, Example> found;
  std::string title;
  Example* open = nullptr;
  std::istringstream lines(page());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("### ")) {
      title = line.substr(4);
    } else if (line.starts_with("Example: `")) {
      auto end = line.find('`', 10);
      found[title] = {line.substr(10, end - 10), {}, std::stoul(line.substr(end + 3))};
    } else if (line == "```hex") {
      open = &found.at(title);
    } else if (line == "```") {
      open = nullptr;
    } else if (open != nullptr) {
      open->bytes += parse_hex(line);
    }
  }
  return found;
}

class FormatNodes final : public NodeReader, public NodeSink {
 public:
  Result<NodePtr> get(const NodeKey& key) const override {
    auto found = nodes_.find(key);
    if (found == nodes_.end()) return fail(Code::kNodeNotFound, "no {}", key.render());
    return found->second;
  }
  Result<void> add(NodePtr node) override {
    nodes_.try_emplace(node->key(), node);
    return {};
  }

 private:
  std::unordered_map<NodeKey, NodePtr> nodes_;
};

NodePtr hello() { return make_file("text/plain", "hello\n"); }

NodePtr two_entries() {
  auto docs = empty_dict();
  auto file = hello();
  const Entry entries[] = {entry_for("docs", *docs), entry_for("hello.txt", *file)};
  return make_dict(entries);
}

NodePtr two_hundred_thousand_zeros() {
  FormatNodes nodes;
  return write_file(nodes, "application/octet-stream", Bytes(200'000, '\0')).value();
}

NodePtr fifty_names() {
  FormatNodes nodes;
  Stage stage(nodes);
  std::vector<DictEdit> edits;
  for (int i = 0; i < 50; ++i) {
    edits.push_back({fmt::format("k{:02}", i), EntryValue::of(entry_for("", *hello()))});
  }
  return dict_apply(stage, empty_dict(), edits).value();
}

TEST(NodeFormat, ThePageHasAnExampleOfEveryKindOfNode) {
  const std::map<std::string, NodePtr> expected{
      {"An empty directory", empty_dict()},
      {"A small file", hello()},
      {"A directory with a file and a subdirectory", two_entries()},
      {"A chunk", make_chunk("hello\n")},
      {"An index of two pieces", two_hundred_thousand_zeros()},
      {"The root of a large directory", fifty_names()},
  };
  auto found = examples();
  EXPECT_EQ(found.size(), expected.size());
  for (const auto& [title, node] : expected) {
    SCOPED_TRACE(title);
    ASSERT_TRUE(found.contains(title));
    const auto& example = found.at(title);
    EXPECT_EQ(example.bytes, node->bytes());
    EXPECT_EQ(example.key, node->key().render());
    EXPECT_EQ(example.promised_size, example.bytes.size());
    auto decoded = Node::decode(example.bytes);
    ASSERT_TRUE(decoded.has_value()) << decoded.error().render();
    EXPECT_EQ((*decoded)->key().render(), example.key);
    EXPECT_EQ((*decoded)->kind(), node->kind());
    EXPECT_EQ((*decoded)->level(), node->level());
    EXPECT_EQ((*decoded)->totals(), node->totals());
  }
}

TEST(NodeFormat, ThePageHasTheHashesOfNames) {
  auto text = page();
  for (std::string_view name : {"", "a", "README.md", "\u00e9"}) {
    auto shown = name.empty() ? std::string("(empty)") : fmt::format("`{}`", name);
    auto row = text.find("| " + shown);
    ASSERT_NE(row, std::string::npos) << name;
    EXPECT_THAT(text.substr(row, text.find('\n', row) - row),
                HasSubstr(fmt::format("| `{:016x}` |", name_hash(name))));
  }
}

TEST(NodeFormat, ThePageHasTheLimitsOfTheCode) {
  auto text = page();
  struct Row {
    std::string_view what;
    std::uint64_t least;
    std::uint64_t most;
  };
  const Row rows[] = {
      {"level", 0, kMaxLevel},
      {"a name", 1, kMaxNameBytes},
      {"a content type", 1, kMaxTypeBytes},
      {"content in one file node", 0, kMaxInline},
      {"a chunk", 1, kMaxChunk},
      {"a node", 4, kMaxNodeBytes},
      {"pieces in a file node above level 0", 2, PieceBoundary::kMax},
      {"pieces in a successor", 1, PieceBoundary::kMax},
      {"entries in a directory node", 0, DictBoundary::kMax},
      {"branches in a directory node", 1, DictBoundary::kMax},
  };
  auto limits = text.substr(text.find("## Limits"));
  for (const auto& row : rows) {
    auto begin = limits.find(fmt::format("| {} | ", row.what));
    ASSERT_NE(begin, std::string::npos) << row.what;
    auto line = limits.substr(begin, limits.find('\n', begin) - begin);
    std::erase(line, ',');
    EXPECT_THAT(line, testing::ContainsRegex(fmt::format("[|] {}( bytes?)? [|] {}( bytes?)? [|]$",
                                                         row.least, row.most)));
  }
  EXPECT_EQ(kMaxTotal, std::uint64_t{1} << 50);
  EXPECT_THAT(limits, HasSubstr("| 0 | 2^50 |"));
  EXPECT_THAT(text, HasSubstr(fmt::format("*count* is at least {}, and", DictBoundary::kMin)));
  EXPECT_THAT(text, HasSubstr(fmt::format("*count* is at least {}, and", PieceBoundary::kMin)));
  EXPECT_THAT(text, HasSubstr(fmt::format("bit {} · (*L* mod 10)", DictBoundary::kBits)));
  EXPECT_THAT(text, HasSubstr(fmt::format("bit {} · (*L* mod 10)", PieceBoundary::kBits)));
}

}  // namespace
}  // namespace cairn
