#include "data/cas/node.h"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "data/cas/boundary.h"
#include "data/cas/chunker.h"

namespace cairn {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kLargest = std::uint64_t{1} << 50;

NodeKey key_of(std::uint64_t number) { return NodeKey::of(std::to_string(number)); }

// ---- Bytes written by hand: what the encoders would write, and what they would not
// ---------------

class Raw final {
 public:
  Raw(int version, char kind, int level) { byte(version).byte(kind).byte(level); }

  Raw& byte(int value) {
    bytes_.push_back(static_cast<char>(value));
    return *this;
  }
  Raw& number(std::uint64_t value) {
    put_varint(bytes_, value);
    return *this;
  }
  Raw& raw(ByteView bytes) {
    bytes_.append(bytes);
    return *this;
  }
  Raw& text(ByteView text) { return number(text.size()).raw(text); }
  Raw& key(std::uint64_t which = 0) { return raw(key_of(which).bytes()); }

  Raw& piece(std::uint64_t length, std::uint64_t which = 0) { return number(length).key(which); }
  Raw& file_entry(ByteView name, std::uint64_t bytes = 1, ByteView type = "text/plain") {
    return byte('f').text(name).key().number(bytes).text(type);
  }
  Raw& dict_entry(ByteView name, std::uint64_t bytes = 0, std::uint64_t children = 0,
                  std::uint64_t files = 0) {
    return byte('d').text(name).key().number(bytes).number(children).number(files);
  }
  Raw& branch(ByteView last, std::uint64_t entries = 1, std::uint64_t files = 1,
              std::uint64_t bytes = 1) {
    return text(last).key().number(entries).number(files).number(bytes);
  }

  // NOLINTNEXTLINE(google-explicit-constructor): it is these bytes.
  operator Bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

Raw dict(std::uint64_t count) { return Raw(1, 'd', 0).number(count); }
Raw inner_dict(std::uint64_t count, int level = 1) { return Raw(1, 'd', level).number(count); }
Raw file(ByteView type = "text/plain") { return Raw(1, 'f', 0).text(type); }
Raw large_file(std::uint64_t count, int level = 1) {
  return Raw(1, 'f', level).text("text/plain").number(count);
}
Raw chunk() { return {1, 's', 0}; }
Raw inner(std::uint64_t count, int level = 1) { return Raw(1, 's', level).number(count); }

// Numbered names of which none, or every one, ends a node of this level.
std::vector<std::string> names_where(std::size_t count, unsigned level, bool ends) {
  std::vector<std::string> names;
  for (std::uint64_t i = 0; names.size() < count; ++i) {
    auto name = fmt::format("{:08}", i);
    if (DictBoundary::ends(level, DictBoundary::kMin, name) == ends) names.push_back(name);
  }
  return names;
}

// Numbers whose key_of() all end a node of pieces of this level, or all do not.
std::vector<std::uint64_t> pieces_where(std::size_t count, unsigned level, bool ends) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; numbers.size() < count; ++i) {
    if (PieceBoundary::ends(level, PieceBoundary::kMin, key_of(i)) == ends) numbers.push_back(i);
  }
  return numbers;
}

Bytes dict_of(const std::vector<std::string>& names) {
  auto raw = dict(names.size());
  for (const auto& name : names) raw.file_entry(name);
  return raw;
}

Bytes inner_dict_of(const std::vector<std::string>& names) {
  auto raw = inner_dict(names.size());
  for (const auto& name : names) raw.branch(name);
  return raw;
}

Bytes inner_of(const std::vector<std::uint64_t>& numbers, std::uint64_t length = 1000) {
  auto raw = inner(numbers.size());
  for (auto number : numbers) raw.piece(length, number);
  return raw;
}

Bytes large_file_of(const std::vector<std::uint64_t>& numbers, std::uint64_t length) {
  auto raw = large_file(numbers.size());
  for (auto number : numbers) raw.piece(length, number);
  return raw;
}

// ---- Random nodes
// ----------------------------------------------------------------------------------

class RandomNodes final {
 public:
  explicit RandomNodes(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  // Small and large numbers alike, up to `most`.
  std::uint64_t number(std::uint64_t most) { return std::min(most, random_() >> (14 + below(50))); }

  NodeKey key() { return key_of(random_()); }

  Bytes content(std::size_t size) {
    Bytes bytes(size, '\0');
    for (auto& c : bytes) c = static_cast<char>(random_());
    return bytes;
  }

  std::string type() {
    static constexpr std::array<const char*, 5> kTypes{"text/plain", "a/b", "application/json",
                                                       "text/html; charset=utf-8", "image/svg+xml"};
    return kTypes[below(kTypes.size())];
  }

  std::string name() {
    static constexpr std::array<const char*, 12> kParts{"a", "b",  "Z", ".",      "~", " ",
                                                        "7", "\t", "é", "\u4e2d", "𝄞", "\x7f"};
    std::string out;
    do {
      out += kParts[below(kParts.size())];
    } while (below(8) != 0 && out.size() < 250);
    return check_name(out) ? out : out + "x";
  }

  // Sorted names, as many as `count` or fewer: no cut of this level before the last.
  std::vector<std::string> names(std::size_t count, unsigned level) {
    std::set<std::string> sorted;
    for (std::size_t i = 0; i < count; ++i) sorted.insert(name());
    std::vector<std::string> out;
    for (const auto& name : sorted) {
      out.push_back(name);
      if (DictBoundary::ends(level, out.size(), name)) break;
    }
    return out;
  }

  std::vector<Piece> pieces(std::size_t count, unsigned level, std::uint64_t least) {
    std::vector<Piece> out;
    while (out.size() < count) {
      Piece piece{least + number(level == 1 ? kMaxChunk - least : kLargest >> 9), key()};
      out.push_back(piece);
      if (PieceBoundary::ends(level, out.size(), piece.key)) break;
    }
    return out;
  }

  NodePtr small_file() { return make_file(type(), content(below(300))); }
  NodePtr chunk() { return make_chunk(content(1 + below(300))); }
  NodePtr inner() {
    auto level = 1 + static_cast<unsigned>(below(kMaxLevel));
    return make_successor(level, pieces(1 + below(12), level, 1));
  }
  NodePtr large_file() {
    auto level = 1 + static_cast<unsigned>(below(kMaxLevel));
    return make_file(type(), level, pieces(2 + below(12), level, kMaxInline / 2 + 1));
  }
  NodePtr dict() {
    std::vector<Entry> entries;
    auto list = names(below(45), 0);
    auto types = std::vector<std::string>(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      Entry entry{.name = list[i], .key = key(), .bytes = number(kLargest >> 9), .type = {}};
      if (below(2) == 0) {
        entry.type = types[i] = type();
      } else {
        entry.kind = Kind::kDict;
        entry.children = number(kLargest);
        entry.files = number(kLargest >> 9);
      }
      entries.push_back(entry);
    }
    return make_dict(entries);
  }
  NodePtr inner_dict() {
    auto level = 1 + static_cast<unsigned>(below(kMaxLevel));
    std::vector<Branch> branches;
    auto list = names(1 + below(45), level);
    for (const auto& last : list) {
      branches.push_back(
          {last, key(), 1 + number(kLargest >> 10), number(kLargest >> 9), number(kLargest >> 9)});
    }
    return make_dict(level, branches);
  }

  NodePtr any() {
    switch (below(6)) {
      case 0:
        return small_file();
      case 1:
        return chunk();
      case 2:
        return inner();
      case 3:
        return large_file();
      case 4:
        return dict();
      default:
        return inner_dict();
    }
  }

 private:
  std::mt19937_64 random_;
};

// The node written again from what decoding understood of it.
Bytes encoded_again(const Node& node) {
  switch (node.kind()) {
    case Kind::kFile:
      return Bytes((node.level() == 0 ? make_file(node.type(), node.content())
                                      : make_file(node.type(), node.level(), node.pieces()))
                       ->bytes());
    case Kind::kSuccessor:
      return Bytes((node.level() == 0 ? make_chunk(node.content())
                                      : make_successor(node.level(), node.pieces()))
                       ->bytes());
    case Kind::kDict:
      return Bytes(
          (node.level() == 0 ? make_dict(node.entries()) : make_dict(node.level(), node.branches()))
              ->bytes());
  }
  std::unreachable();
}

// Refused, or understood completely: there is no second encoding of the same content.
testing::AssertionResult refused_or_canonical(const Bytes& bytes) {
  auto node = Node::decode(bytes);
  if (!node) {
    if (node.error().code == Code::kCorruptNode) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "refused as " << node.error().render();
  }
  if (encoded_again(**node) == bytes) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "accepted, but written differently";
}

// ---- What is written is read
// -------------------------------------------------------------------------

TEST(Node, KindsHaveTheirNames) {
  EXPECT_EQ(name(Kind::kFile), "file");
  EXPECT_EQ(name(Kind::kDict), "dict");
  EXPECT_EQ(name(Kind::kSuccessor), "successor");
}

TEST(Node, AFileGivesBackItsTypeAndContent) {
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{6}, kMaxInline}) {
    Bytes content(size, 'x');
    auto node = make_file("text/plain", content);
    EXPECT_EQ(node->kind(), Kind::kFile);
    EXPECT_EQ(node->level(), 0U);
    EXPECT_EQ(node->type(), "text/plain");
    EXPECT_EQ(node->content(), content);
    EXPECT_EQ(node->size(), size);
    EXPECT_TRUE(node->children().empty());
    EXPECT_EQ(node->key(), NodeKey::of(node->bytes()));
  }
}

TEST(Node, ALargeFileGivesBackItsPieces) {
  const Piece pieces[] = {{100'000, key_of(1)}, {50'000, key_of(2)}};
  auto node = make_file("image/png", 1, pieces);
  EXPECT_EQ(node->kind(), Kind::kFile);
  EXPECT_EQ(node->level(), 1U);
  EXPECT_EQ(node->type(), "image/png");
  EXPECT_EQ(node->size(), 150'000U);
  ASSERT_EQ(node->pieces().size(), 2U);
  EXPECT_EQ(node->pieces()[1].length, 50'000U);
  EXPECT_THAT(node->children(), testing::ElementsAre(key_of(1), key_of(2)));
}

TEST(Node, ASuccessorGivesBackItsContentOrPieces) {
  auto leaf = make_chunk("abc");
  EXPECT_EQ(leaf->kind(), Kind::kSuccessor);
  EXPECT_EQ(leaf->content(), "abc");
  EXPECT_EQ(leaf->size(), 3U);
  EXPECT_EQ(make_chunk(Bytes(kMaxChunk, 'x'))->size(), kMaxChunk);

  const Piece pieces[] = {{3, leaf->key()}};
  auto above = make_successor(1, pieces);
  EXPECT_EQ(above->level(), 1U);
  EXPECT_EQ(above->size(), 3U);
  EXPECT_THAT(above->children(), testing::ElementsAre(leaf->key()));
}

TEST(Node, ADirectoryGivesBackItsEntriesAndTheirTotals) {
  auto file = make_file("text/plain", "hello");
  const Entry inside[] = {entry_for("a", *file), entry_for("b", *file)};
  auto below = make_dict(inside);
  const Entry entries[] = {entry_for("dir", *below), entry_for("empty", *empty_dict()),
                           entry_for("file", *file)};
  auto node = make_dict(entries);
  ASSERT_EQ(node->entries().size(), 3U);
  EXPECT_TRUE(std::ranges::equal(node->entries(), entries));
  EXPECT_EQ(node->totals(), (Totals{.entries = 3, .files = 3, .bytes = 15}));
  EXPECT_EQ(node->entries()[0].children, 2U);
  EXPECT_EQ(node->entries()[0].files, 2U);
  EXPECT_EQ(node->entries()[0].bytes, 10U);
  EXPECT_EQ(node->entries()[2].type, "text/plain");
  EXPECT_THAT(node->children(),
              testing::ElementsAre(below->key(), empty_dict()->key(), file->key()));
}

TEST(Node, AnInnerDirectoryGivesBackItsBranchesAndTheirTotals) {
  const Branch branches[] = {{"m", key_of(1), 40, 30, 1000}, {"z", key_of(2), 2, 1, 5}};
  auto node = make_dict(1, branches);
  EXPECT_EQ(node->level(), 1U);
  EXPECT_EQ(node->totals(), (Totals{.entries = 42, .files = 31, .bytes = 1005}));
  ASSERT_EQ(node->branches().size(), 2U);
  EXPECT_EQ(node->branches()[0].last, "m");
  EXPECT_THAT(node->children(), testing::ElementsAre(key_of(1), key_of(2)));
}

TEST(Node, DecodeIsTheInverseOfEncodeForEveryKind) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto node = RandomNodes(seed).any();
    auto again = Node::decode(Bytes(node->bytes()));
    ASSERT_TRUE(again.has_value()) << again.error().render();
    EXPECT_EQ((*again)->key(), node->key());
    EXPECT_EQ((*again)->totals(), node->totals());
    EXPECT_EQ((*again)->children(), node->children());
    EXPECT_EQ(encoded_again(**again), node->bytes());
  }
}

// An entry's fields survive the way through bytes, compared with values that never went it.
TEST(Node, RandomEntriesAreReadAsTheyWereWritten) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomNodes random(seed);
    auto list = random.names(45, 0);
    std::vector<Entry> entries;
    Totals totals;
    for (const auto& name : list) {
      Entry entry{.name = name, .key = random.key(), .bytes = random.number(1 << 30), .type = {}};
      if (random.below(2) == 0) {
        entry.type = "a/b";
        totals.files += 1;
      } else {
        entry.kind = Kind::kDict;
        entry.children = random.number(1 << 30);
        entry.files = random.number(1 << 30);
        totals.files += entry.files;
      }
      totals.entries += 1;
      totals.bytes += entry.bytes;
      entries.push_back(entry);
    }
    auto node = make_dict(entries);
    EXPECT_TRUE(std::ranges::equal(node->entries(), entries));
    EXPECT_EQ(node->totals(), totals);
  }
}

TEST(Node, HandWrittenBytesOfEveryKindAreAccepted) {
  const Bytes accepted[] = {
      dict(0),
      dict(2).file_entry("a").dict_entry("b"),
      dict(1).file_entry(Bytes(kMaxNameBytes, 'n')),
      dict(1).file_entry("a", 1, "a/" + Bytes(kMaxTypeBytes - 2, 'b')),
      dict(1).dict_entry("a", kLargest, kLargest, kLargest),
      inner_dict(1).branch("a"),
      inner_dict(2, kMaxLevel).branch("a").branch("b"),
      inner_dict(1).branch("a", kLargest, kLargest, kLargest),
      file(),
      file("text/plain; charset=UTF-8"),
      file().raw(Bytes(kMaxInline, 'x')),
      chunk().raw(Bytes(1, '\0')),
      chunk().raw(Bytes(kMaxChunk, '\0')),
      large_file(2).piece(kMaxChunk).piece(1),
      large_file(2, 15).piece(kLargest - 1).piece(1),
      inner(1).piece(1),
      inner(1, 15).piece(kLargest),
      dict_of(names_where(DictBoundary::kMax, 0, false)),
      dict_of(names_where(DictBoundary::kMin, 0, true)),
      inner_dict_of(names_where(DictBoundary::kMax, 1, false)),
      inner_dict_of(names_where(DictBoundary::kMin, 1, true)),
      inner_of(pieces_where(PieceBoundary::kMax, 1, false)),
      inner_of(pieces_where(PieceBoundary::kMin, 1, true)),
      large_file_of(pieces_where(PieceBoundary::kMax, 1, false), 10'000),
      large_file_of(pieces_where(PieceBoundary::kMin, 1, true), 100'000),
  };
  for (const auto& bytes : accepted) {
    auto node = Node::decode(bytes);
    ASSERT_TRUE(node.has_value()) << node.error().render() << ", case " << &bytes - accepted;
    EXPECT_EQ(encoded_again(**node), bytes);
  }
}

// ---- What would not be written is refused
// ----------------------------------------------------------

struct Refused {
  std::string_view what;
  Bytes bytes;
  std::string_view why;
};

void expect_refused(std::span<const Refused> cases) {
  for (const auto& c : cases) {
    auto node = Node::decode(c.bytes);
    ASSERT_FALSE(node.has_value()) << c.what;
    EXPECT_EQ(node.error().code, Code::kCorruptNode) << c.what;
    EXPECT_THAT(node.error().message, HasSubstr(c.why)) << c.what;
  }
}

std::vector<std::string> with_one_more(std::vector<std::string> names) {
  names.push_back("zzz");
  return names;
}

std::vector<std::uint64_t> with_one_more(std::vector<std::uint64_t> numbers) {
  numbers.push_back(7);
  return numbers;
}

TEST(Node, RefusesHeadersThatAreNotOnes) {
  const Refused cases[] = {
      {"nothing", Bytes(), "shorter than its header"},
      {"one byte", Bytes("\x01"), "shorter than its header"},
      {"two bytes",
       Bytes("\x01"
             "d"),
       "shorter than its header"},
      {"version 0", Raw(0, 'd', 0).number(0), "version 0 is unknown"},
      {"version 2", Raw(2, 'd', 0).number(0), "version 2 is unknown"},
      {"version 129", Raw(129, 'd', 0).number(0), "version 129 is unknown"},
      {"kind 0", Raw(1, 0, 0).number(0), "kind 0 is unknown"},
      {"kind D", Raw(1, 'D', 0).number(0), "kind 68 is unknown"},
      {"kind e", Raw(1, 'e', 0).number(0), "kind 101 is unknown"},
      {"a dict of level 16", inner_dict(1, 16).branch("a"), "level 16 is too high"},
      {"a file of level 16", large_file(2, 16).piece(kMaxChunk).piece(1), "level 16 is too high"},
      {"a successor of level 255", inner(1, 255).piece(1), "level 255 is too high"},
      {"an entry's dict as level 1", Raw(1, 'd', 1).number(1).file_entry("a"), ""},
      {"a branch as level 0", Raw(1, 'd', 0).number(1).branch("a"), ""},
      {"an empty dict of level 1", inner_dict(0), "number of branches is impossible"},
  };
  expect_refused(cases);
}

TEST(Node, RefusesFilesTheEncoderWouldNotWrite) {
  const Refused cases[] = {
      {"no type", Raw(1, 'f', 0), "content type is not one"},
      {"an empty type", file(""), "content type is not one"},
      {"a type without a slash", file("text"), "content type is not one"},
      {"a type of 128 bytes", file("a/" + Bytes(126, 'b')), "content type is not one"},
      {"upper case in a type", file("text/Plain"), "content type is not one"},
      {"a slash in a parameter only", file("text; a=b/c"), "content type is not one"},
      {"a control character in a type", file("text/pl\tin"), "content type is not one"},
      {"DEL in a type", file("text/pl\x7fin"), "content type is not one"},
      {"a byte over 127 in a type", file("text/pl\xc3\xa9in"), "content type is not one"},
      {"a type cut short", Raw(1, 'f', 0).number(10).raw("text/"), "content type is not one"},
      {"a type's length in too many bytes",
       Raw(1, 'f', 0).byte(0x8a).byte(0x00).raw("text/plain").raw("x"), "content type is not one"},
      {"131,073 bytes in one node", file().raw(Bytes(kMaxInline + 1, 'x')),
       "a large file is not in pieces"},
      {"131,072 bytes in pieces", large_file(2).piece(kMaxInline - 1).piece(1),
       "a small file is in pieces"},
      {"a single small piece", large_file(1).piece(1), "a small file is in pieces"},
      {"a single large piece", large_file(1, 2).piece(1'000'000), "a file is in a single piece"},
      {"no piece", large_file(0), "number of pieces is impossible"},
  };
  expect_refused(cases);
}

TEST(Node, RefusesPiecesTheEncoderWouldNotWrite) {
  const Refused cases[] = {
      {"an empty chunk", chunk(), "a chunk has 1 to 131072 bytes"},
      {"a chunk of 131,073 bytes", chunk().raw(Bytes(kMaxChunk + 1, 'x')),
       "a chunk has 1 to 131072 bytes"},
      {"no piece", inner(0), "number of pieces is impossible"},
      {"no count", Raw(1, 's', 1), "number of pieces is impossible"},
      {"a count in too many bytes", Raw(1, 's', 1).byte(0x81).byte(0).piece(1),
       "number of pieces is impossible"},
      {"257 pieces", inner_of(with_one_more(pieces_where(PieceBoundary::kMax, 1, false))),
       "number of pieces is impossible"},
      {"a count of 2^64 - 1", inner(~std::uint64_t{0}).piece(1), "number of pieces is impossible"},
      {"a piece of length 0", inner(2).piece(1).piece(0), "a piece has an impossible length"},
      {"a piece over 2^50", inner(1, 2).piece(kLargest + 1), "a piece has an impossible length"},
      {"a piece of 2^64 - 1", inner(1, 2).piece(~std::uint64_t{0}),
       "a piece has an impossible length"},
      {"pieces over 2^50 together", inner(2, 2).piece(kLargest).piece(1), "totals are impossible"},
      {"a file over 2^50", large_file(2, 2).piece(kLargest).piece(1), "totals are impossible"},
      {"a chunk of 131,073 bytes listed", inner(1).piece(kMaxChunk + 1), "a chunk is too long"},
      {"the same in a file", large_file(2).piece(kMaxChunk + 1).piece(1), "a chunk is too long"},
      {"a length in too many bytes", inner(1).byte(0x81).byte(0).key(), "cut short"},
      {"a length over 64 bits", inner(1).raw(Bytes(9, '\xff')).byte(2).key(), "cut short"},
      {"a piece too few", inner(2).piece(1), "cut short"},
      {"half a key", inner(1).number(1).raw(Bytes(16, 'k')), "cut short"},
      {"a piece too many", inner(1).piece(1).piece(1), "bytes follow the last piece"},
      {"a byte too many", inner(1).piece(1).byte(0), "bytes follow the last piece"},
      {"a byte too many in a file", large_file(2).piece(kMaxChunk).piece(1).byte(0),
       "bytes follow the last piece"},
      {"a list past its cut", inner_of(with_one_more(pieces_where(PieceBoundary::kMin, 1, true))),
       "past its cut"},
      {"a file past its cut",
       large_file_of(with_one_more(pieces_where(PieceBoundary::kMin, 1, true)), 100'000),
       "past its cut"},
  };
  expect_refused(cases);
}

TEST(Node, RefusesDirectoriesTheEncoderWouldNotWrite) {
  const Refused cases[] = {
      {"no count", Raw(1, 'd', 0), "too many entries"},
      {"a count in too many bytes", Raw(1, 'd', 0).byte(0x80).byte(0), "too many entries"},
      {"a count of 2^64 - 1", dict(~std::uint64_t{0}), "too many entries"},
      {"513 entries", dict_of(with_one_more(names_where(DictBoundary::kMax, 0, false))),
       "too many entries"},
      {"names in the wrong order", dict(2).file_entry("b").file_entry("a"), "not in order"},
      {"order by signed characters", dict(2).file_entry("\u00e9").file_entry("z"), "not in order"},
      {"a longer name before its beginning", dict(2).file_entry("ab").file_entry("a"),
       "not in order"},
      {"a name twice", dict(2).file_entry("a").file_entry("a"), "not in order"},
      {"a name twice, as file and directory", dict(2).file_entry("a").dict_entry("a"),
       "not in order"},
      {"an entry that is a successor",
       dict(1).byte('s').text("a").key().number(1).text("text/plain"),
       "neither file nor directory"},
      {"an entry of kind 0", dict(1).byte(0).text("a").key().number(1),
       "neither file nor directory"},
      {"an entry without a type", dict(1).file_entry("a", 1, ""), "content type is not one"},
      {"upper case in an entry's type", dict(1).file_entry("a", 1, "Text/plain"),
       "content type is not one"},
      {"an entry's type of 128 bytes", dict(1).file_entry("a", 1, "a/" + Bytes(126, 'b')),
       "content type is not one"},
      {"a name's length in too many bytes",
       dict(1).byte('f').byte(0x81).byte(0).raw("a").key().number(1).text("a/b"), ""},
      {"a size in too many bytes", dict(1).byte('f').text("a").key().byte(0x81).byte(0).text("a/b"),
       ""},
      {"a child count in too many bytes",
       dict(1).byte('d').text("a").key().number(0).byte(0x80).byte(0).number(0), "cut short"},
      {"an entry too few", dict(2).file_entry("a"), "neither file nor directory"},
      {"an entry too many", dict(1).file_entry("a").file_entry("b"), "bytes follow the last entry"},
      {"a byte too many", dict(0).byte(0), "bytes follow the last entry"},
      {"a file over 2^50", dict(1).file_entry("a", kLargest + 1), "totals are impossible"},
      {"children over 2^50", dict(1).dict_entry("a", 0, kLargest + 1), "totals are impossible"},
      {"files over 2^50", dict(1).dict_entry("a", 0, 0, kLargest + 1), "totals are impossible"},
      {"bytes of 2^64 - 1", dict(1).file_entry("a", ~std::uint64_t{0}), "totals are impossible"},
      {"bytes over 2^50 together", dict(2).file_entry("a", kLargest).file_entry("b", 1),
       "the totals are impossible"},
      {"files over 2^50 together", dict(2).dict_entry("a", 0, 1, kLargest).file_entry("b", 0),
       "the totals are impossible"},
      {"a directory past its cut", dict_of(with_one_more(names_where(DictBoundary::kMin, 0, true))),
       "past its cut"},
  };
  expect_refused(cases);
}

TEST(Node, RefusesInnerDirectoriesTheEncoderWouldNotWrite) {
  const Refused cases[] = {
      {"no count", Raw(1, 'd', 1), "number of branches is impossible"},
      {"no branch", inner_dict(0), "number of branches is impossible"},
      {"513 branches", inner_dict_of(with_one_more(names_where(DictBoundary::kMax, 1, false))),
       "number of branches is impossible"},
      {"names in the wrong order", inner_dict(2).branch("b").branch("a"), "not in order"},
      {"a name twice", inner_dict(2).branch("a").branch("a"), "not in order"},
      {"a branch without entries", inner_dict(1).branch("a", 0, 0, 0), "a branch is empty"},
      {"entries over 2^50", inner_dict(1).branch("a", kLargest + 1), "totals are impossible"},
      {"files over 2^50", inner_dict(1).branch("a", 1, kLargest + 1), "totals are impossible"},
      {"bytes over 2^50", inner_dict(1).branch("a", 1, 1, kLargest + 1), "totals are impossible"},
      {"entries over 2^50 together", inner_dict(2).branch("a", kLargest).branch("b"),
       "the totals are impossible"},
      {"a total in too many bytes",
       inner_dict(1).text("a").key().number(1).number(1).byte(0x81).byte(0), "cut short"},
      {"a branch too few", inner_dict(2).branch("a"), "cut short"},
      {"a byte too many", inner_dict(1).branch("a").byte(0), "bytes follow the last branch"},
      {"a directory past its cut",
       inner_dict_of(with_one_more(names_where(DictBoundary::kMin, 1, true))), "past its cut"},
  };
  expect_refused(cases);
}

TEST(Node, RefusesTheSameNamesEverywhere) {
  struct Case {
    std::string name;
    std::string_view why;  // empty: a good name
  };
  const Case cases[] = {
      {"a", ""},
      {"...", ""},
      {".a", ""},
      {"a.", ""},
      {" ", ""},
      {"\n", ""},
      {"\\", ""},
      {"~1", ""},
      {"\u00e9", ""},
      {"\U0001d11e", ""},
      {"\U0010ffff", ""},
      {Bytes(255, 'n'), ""},
      {"", "empty"},
      {".", "not a name"},
      {"..", "not a name"},
      {"/", "'/'"},
      {"a/b", "'/'"},
      {"a/", "'/'"},
      {Bytes("a\0b", 3), "NUL"},
      {Bytes("\0", 1), "NUL"},
      {Bytes(256, 'n'), "256 bytes; the most is 255"},
      {"\x80", "UTF-8"},
      {"\xff", "UTF-8"},
      {"a\xc3", "UTF-8"},
      {"\xc0\xaf", "UTF-8"},          // an overlong '/'
      {"\xc1\xbf", "UTF-8"},          // overlong
      {"\xe0\x80\xaf", "UTF-8"},      // overlong
      {"\xed\xa0\x80", "UTF-8"},      // a surrogate
      {"\xf0\x80\x80\xaf", "UTF-8"},  // overlong
      {"\xf4\x90\x80\x80", "UTF-8"},  // above U+10FFFF
      {"\xe4\xb8", "UTF-8"},
      {"longer than eight\xc3", "UTF-8"},
      {"a/\xff", "UTF-8"},
  };
  for (const auto& c : cases) {
    bool good = c.why.empty();
    auto checked = check_name(c.name);
    EXPECT_EQ(checked.has_value(), good) << c.name;
    if (!checked) {
      EXPECT_EQ(checked.error().code, Code::kInvalidPath);
      EXPECT_THAT(checked.error().message, HasSubstr(c.why));
    }
    EXPECT_EQ(Node::decode(dict(1).file_entry(c.name)).has_value(), good) << c.name;
    EXPECT_EQ(Node::decode(dict(1).dict_entry(c.name)).has_value(), good) << c.name;
    EXPECT_EQ(Node::decode(inner_dict(1).branch(c.name)).has_value(), good) << c.name;
  }
}

TEST(Node, AMessageAboutANameIsItselfText) {
  std::string accents;
  while (accents.size() < 300) accents += "\u00e9";
  for (const auto& name : {accents, "x" + accents, std::string("a/\xff"), std::string("\xff")}) {
    EXPECT_TRUE(valid_utf8(check_name(name).error().message)) << name;
  }
}

TEST(Node, RefusesMoreThanFourMebibytes) {
  auto at_the_limit = Node::decode(chunk().raw(Bytes(kMaxNodeBytes - 3, 'x')));
  ASSERT_FALSE(at_the_limit.has_value());
  EXPECT_EQ(at_the_limit.error().code, Code::kCorruptNode);
  auto over = Node::decode(chunk().raw(Bytes(kMaxNodeBytes - 2, 'x')));
  ASSERT_FALSE(over.has_value());
  EXPECT_EQ(over.error().code, Code::kNodeTooLarge);
  EXPECT_THAT(over.error().message, HasSubstr("4194305 bytes; the most is 4194304"));
}

TEST(Node, AnEncoderNeverReturnsWhatDecodingWouldRefuse) {
  const Entry unsorted[] = {{.name = "b", .key = {}, .type = "a/b"},
                            {.name = "a", .key = {}, .type = "a/b"}};
  EXPECT_ANY_THROW(make_dict(unsorted));
  EXPECT_ANY_THROW(make_file("Text/Plain", ""));
  EXPECT_ANY_THROW(make_file("text/plain", Bytes(kMaxInline + 1, 'x')));
  EXPECT_ANY_THROW(make_chunk(""));
  EXPECT_ANY_THROW(make_successor(1, {}));
}

// ---- Cut, flipped and mangled
// ----------------------------------------------------------------------

// Where the content of a small file or chunk begins; everything of any other node is structure.
std::size_t structure(const Node& node) {
  return node.bytes().size() - (node.level() == 0 ? node.content().size() : 0);
}

// A node cut short is refused, unless the cut only shortens the content of a small file or chunk:
// then it is that shorter file or chunk. (A chunk is never empty.)
TEST(Node, CutShortIsRefusedOrIsTheShorterContent) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto node = RandomNodes(seed).any();
    auto shortest = structure(*node) + (node->kind() == Kind::kSuccessor ? 1 : 0);
    for (std::size_t length = 0; length < node->bytes().size(); ++length) {
      auto cut = Node::decode(Bytes(node->bytes().substr(0, length)));
      bool has_content = node->kind() != Kind::kDict && node->level() == 0;
      ASSERT_EQ(cut.has_value(), has_content && length >= shortest) << "cut to " << length;
      if (!cut) {
        EXPECT_EQ(cut.error().code, Code::kCorruptNode);
      } else {
        EXPECT_EQ((*cut)->content(), node->content().substr(0, length - structure(*node)));
        EXPECT_EQ((*cut)->type(), node->type());
      }
    }
  }
}

TEST(Node, AnyFlippedBitIsRefusedOrMakesAnotherCanonicalNode) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto node = RandomNodes(seed).any();
    Bytes bytes(node->bytes());
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      auto& byte = bytes[bit / 8];
      auto mask = static_cast<char>(1 << (bit % 8));
      byte = static_cast<char>(byte ^ mask);
      ASSERT_TRUE(refused_or_canonical(bytes)) << "bit " << bit;
      byte = static_cast<char>(byte ^ mask);
    }
  }
}

TEST(Node, MangledBytesAreRefusedOrMakeAnotherCanonicalNode) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomNodes random(seed);
    Bytes bytes(random.any()->bytes());
    for (auto edits = 1 + random.below(3); edits > 0 && !bytes.empty(); --edits) {
      // Structure is near the beginning: change there half of the time.
      auto at = random.below(random.below(2) == 0 ? std::min<std::size_t>(bytes.size(), 16)
                                                  : bytes.size());
      switch (random.below(4)) {
        case 0:
          bytes.erase(at, 1 + random.below(40));
          break;
        case 1:
          bytes.insert(at, random.content(1 + random.below(3)));
          break;
        case 2:
          bytes.insert(at, bytes.substr(random.below(bytes.size()), random.below(60)));
          break;
        default:
          bytes[at] = static_cast<char>(random.below(256));
      }
    }
    ASSERT_TRUE(refused_or_canonical(bytes));
  }
}

}  // namespace
}  // namespace cairn
