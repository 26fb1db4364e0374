#include "data/cas/file.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/cas/boundary.h"
#include "data/cas/chunker.h"

namespace cairn {
namespace {

// ---- A store that counts, and contents to put into it
// ---------------------------------------------

class FileNodes final : public NodeReader, public NodeSink {
 public:
  Result<NodePtr> get(const NodeKey& key) const override {
    reads += 1;
    auto found = nodes_.find(key);
    if (found == nodes_.end()) return fail(Code::kNodeNotFound, "no {}", key.render());
    return found->second;
  }
  Result<void> add(NodePtr node) override {
    nodes_.try_emplace(node->key(), node);
    return {};
  }
  NodePtr keep(const NodePtr& node) {
    nodes_.try_emplace(node->key(), node);
    return node;
  }
  std::size_t size() const { return nodes_.size(); }

  mutable int reads = 0;

 private:
  std::unordered_map<NodeKey, NodePtr> nodes_;
};

// The same on every machine: the standard defines the generator.
Bytes noise(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes;
  bytes.reserve(size + 8);
  while (bytes.size() < size) {
    auto word = random();
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(word >> (8 * i)));
  }
  bytes.resize(size);
  return bytes;
}

// Lines as a log or a program has them.
Bytes lines(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes text;
  while (text.size() < size) {
    auto user = random() % 1000;
    auto time = random() % 50;
    text += fmt::format("{:08} user={} took {} ms\n", text.size(), user, time);
  }
  text.resize(size);
  return text;
}

NodePtr written(FileNodes& nodes, ByteView content) {
  auto file = write_file(nodes, "text/plain", content);
  if (!file) throw std::runtime_error(file.error().render());
  return *file;
}

Bytes range(const NodeReader& nodes, const Node& file, std::uint64_t offset, std::uint64_t length) {
  Bytes out;
  auto done = read_file(nodes, file, offset, length, [&](ByteView part) -> Result<void> {
    out.append(part);
    return {};
  });
  if (!done) throw std::runtime_error(done.error().render());
  return out;
}

// The lengths of the chunks below a node, with every rule between nodes checked.
void collect_chunks(const NodeReader& nodes, const Node& node, bool last,
                    std::vector<std::size_t>& lengths) {
  auto pieces = node.pieces();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    bool last_here = i + 1 == pieces.size();
    bool ends = PieceBoundary::ends(node.level(), i + 1, pieces[i].key);
    bool is_root = node.kind() == Kind::kFile;
    if (last_here && !last && !is_root) {
      EXPECT_TRUE(ends) << "a node ends before its cut";
    }
    auto below = nodes.get(pieces[i].key).value();
    ASSERT_EQ(below->kind(), Kind::kSuccessor);
    ASSERT_EQ(below->level() + 1, node.level());
    ASSERT_EQ(below->size(), pieces[i].length);
    if (below->level() == 0) {
      lengths.push_back(below->size());
    } else {
      collect_chunks(nodes, *below, last && last_here, lengths);
    }
  }
}

std::vector<std::size_t> chunk_lengths(const NodeReader& nodes, const Node& file) {
  std::vector<std::size_t> lengths;
  collect_chunks(nodes, file, true, lengths);
  return lengths;
}

// ---- The chunker
// ---------------------------------------------------------------------------------------

// The definition, without masks or shortcuts: the hash of the bytes since the eighth KiB.
std::size_t next_chunk_by_definition(ByteView bytes) {
  static const auto gear = [] {
    std::vector<std::uint64_t> words;
    std::uint64_t state = 0;
    for (char c : std::string_view("CAIRN1")) state = state * 256 + static_cast<unsigned char>(c);
    for (int i = 0; i < 256; ++i) {
      state += 0x9e3779b97f4a7c15ULL;
      auto z = state;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
      words.push_back(z ^ (z >> 31));
    }
    return words;
  }();
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto length = i + 1;
    if (length == 131'072) return length;
    if (length <= 8'192) continue;
    hash = 2 * hash + gear[static_cast<unsigned char>(bytes[i])];
    int zeros = length <= 32'768 ? 17 : 13;
    if (hash >> (64 - zeros) == 0) return length;
  }
  return bytes.size();
}

std::vector<std::size_t> cut(ByteView bytes) {
  std::vector<std::size_t> lengths;
  while (!bytes.empty()) {
    lengths.push_back(next_chunk(bytes));
    bytes.remove_prefix(lengths.back());
  }
  return lengths;
}

// The format is frozen: other lengths here are another format, and every stored file would be
// stored again under another key.
TEST(Chunker, CutsAKnownBufferAsItAlwaysDid) {
  EXPECT_THAT(cut(noise(512 * 1024, 2024)),
              testing::ElementsAre(34409, 12628, 37961, 45029, 36358, 37523, 36984, 35873, 32892,
                                   51249, 42009, 16940, 39775, 47814, 16844));
  EXPECT_THAT(cut(lines(512 * 1024, 2024)),
              testing::ElementsAre(39777, 40518, 40628, 43626, 38911, 52571, 49050, 36045, 52020,
                                   8269, 37845, 47435, 35186, 2407));
}

TEST(Chunker, CutsWhereTheDefinitionSays) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto bytes = seed % 2 == 0 ? noise(300'000, seed) : lines(300'000, seed);
    ByteView rest = bytes;
    while (!rest.empty()) {
      auto length = next_chunk(rest);
      ASSERT_EQ(length, next_chunk_by_definition(rest));
      rest.remove_prefix(length);
    }
  }
}

TEST(Chunker, CutsShortBuffersAtTheirEnd) {
  EXPECT_EQ(next_chunk(""), 0U);
  EXPECT_EQ(next_chunk("a"), 1U);
  EXPECT_EQ(next_chunk(noise(kMinChunk, 1)), kMinChunk);
}

TEST(Chunker, CutsBytesThatAreAllTheSameAtTheMaximum) {
  for (char c : {'\0', ' ', '\xff'}) {
    EXPECT_EQ(next_chunk(Bytes(3 * kMaxChunk, c)), kMaxChunk);
  }
}

TEST(Chunker, CutsTheSameWhateverFollowsLater) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto bytes = noise(kMaxChunk, seed);
    auto length = next_chunk(bytes);
    EXPECT_EQ(next_chunk(bytes + noise(1000, seed + 100)), length);
    EXPECT_EQ(next_chunk(bytes + Bytes(kMaxChunk, 'x')), length);
    // Nor does it depend on anything behind the cut itself.
    if (length < kMaxChunk) {
      EXPECT_EQ(next_chunk(bytes.substr(0, length) + Bytes(kMaxChunk, 'x')), length);
    }
  }
}

TEST(Chunker, FindsTheSameCutsAgainAfterAnInsertion) {
  auto bytes = noise(4 << 20, 7);
  auto changed = bytes;
  changed.insert(100'000, "an insertion");
  auto ends = [](const std::vector<std::size_t>& lengths) {
    std::vector<std::size_t> out(lengths.size());
    std::partial_sum(lengths.begin(), lengths.end(), out.begin());
    return out;
  };
  std::set<std::size_t> before;
  for (auto end : ends(cut(bytes))) before.insert(end);
  std::size_t moved = 0;
  for (auto end : ends(cut(changed))) {
    bool same = end < 100'000 ? before.contains(end) : before.contains(end - 12);
    moved += same ? 0 : 1;
  }
  EXPECT_LE(moved, 4U);
}

TEST(Chunker, MakesChunksWithinLimitsAndOfASaneAverage) {
  for (const auto& bytes : {noise(20 << 20, 8), lines(20 << 20, 8)}) {
    auto lengths = cut(bytes);
    for (std::size_t i = 0; i + 1 < lengths.size(); ++i) {
      EXPECT_GT(lengths[i], kMinChunk);
      EXPECT_LE(lengths[i], kMaxChunk);
    }
    auto average = bytes.size() / lengths.size();
    EXPECT_GT(average, 28U * 1024);
    EXPECT_LT(average, 44U * 1024);
  }
}

// ---- Boundaries of lists of pieces
// ------------------------------------------------------------------

// By division instead of shifts: five other bits for each of ten levels, then the same again.
TEST(PieceBoundary, EachLevelHasBitsOfItsOwn) {
  for (unsigned level = 1; level <= kMaxLevel; ++level) {
    std::uint64_t divisor = 1;
    for (unsigned i = 0; i < level % 10; ++i) divisor *= 32;
    int found = 0;
    for (int i = 0; i < 2'000; ++i) {
      auto key = NodeKey::of(std::to_string(i));
      std::uint64_t word = 0;
      for (std::size_t byte = 8; byte-- > 0;) {
        word = word * 256 + static_cast<unsigned char>(key.bytes()[byte]);
      }
      bool ends = word / divisor % 32 == 0;
      found += ends ? 1 : 0;
      for (std::size_t count : {8, 9, 255}) {
        ASSERT_EQ(PieceBoundary::ends(level, count, key), ends) << i << " at level " << level;
      }
      ASSERT_FALSE(PieceBoundary::ends(level, 7, key));
      ASSERT_TRUE(PieceBoundary::ends(level, 256, key));
    }
    EXPECT_NEAR(found, 2'000 / 32, 40);
  }
}

// ---- Round trips
// --------------------------------------------------------------------------------------

TEST(File, OfAnySizeIsReadAsItWasWritten) {
  for (std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{1000}, kMaxInline - 1, kMaxInline,
        kMaxInline + 1, std::size_t{1'000'000}, std::size_t{20'000'000}}) {
    for (const auto& content : {noise(size, 11), lines(size, 12), Bytes(size, '\0')}) {
      FileNodes nodes;
      auto file = written(nodes, content);
      EXPECT_EQ(file->kind(), Kind::kFile);
      EXPECT_EQ(file->type(), "text/plain");
      EXPECT_EQ(file->size(), size);
      EXPECT_EQ(file->level() == 0, size <= kMaxInline) << size;
      auto again = read_file(nodes, *file);
      ASSERT_TRUE(again.has_value());
      EXPECT_TRUE(*again == content) << size;
      auto lengths = chunk_lengths(nodes, *file);
      if (file->level() > 0) {
        EXPECT_GE(lengths.size(), 2U);
        EXPECT_EQ(lengths, cut(content));
      }
      EXPECT_TRUE(nodes.get(file->key()).has_value()) << "the file's own node is in the sink";
    }
  }
}

TEST(File, OfTwentyMegabytesHasAnIndexOfFewNodes) {
  FileNodes nodes;
  auto file = written(nodes, noise(20'000'000, 13));
  auto chunks = chunk_lengths(nodes, *file).size();
  EXPECT_GT(chunks, 400U);
  EXPECT_GE(file->level(), 2U);
  EXPECT_LE(nodes.size() - chunks, chunks / PieceBoundary::kMin + 2);
}

TEST(File, HasTheSameKeyInWhateverPortionsItCame) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    std::size_t sizes[] = {0, 5, kMaxInline, kMaxInline + 1, 700'000, 3'000'000};
    auto content = noise(sizes[seed % 6], seed);
    FileNodes nodes;
    auto expected = written(nodes, content)->key();
    auto count = nodes.size();
    FileWriter writer(nodes);
    ByteView rest = content;
    while (!rest.empty()) {
      auto portion = rest.substr(0, 1 + random() % (random() % 4 == 0 ? 500'000 : 5'000));
      ASSERT_TRUE(writer.append(portion).has_value());
      ASSERT_TRUE(writer.append("").has_value());
      rest.remove_prefix(portion.size());
    }
    auto file = writer.finish("text/plain");
    ASSERT_TRUE(file.has_value());
    EXPECT_EQ((*file)->key(), expected);
    EXPECT_EQ(nodes.size(), count) << "and makes no other nodes on the way";
  }
}

TEST(File, ByteByByteHasTheSameKey) {
  auto content = lines(kMaxInline + 5000, 14);
  FileNodes nodes;
  FileWriter writer(nodes);
  for (char c : content) ASSERT_TRUE(writer.append(ByteView(&c, 1)).has_value());
  EXPECT_EQ(writer.finish("text/plain").value()->key(), written(nodes, content)->key());
}

TEST(File, OfAnotherTypeHasAnotherKeyAndTheSamePieces) {
  FileNodes nodes;
  auto content = noise(1'000'000, 15);
  auto text = written(nodes, content);
  auto count = nodes.size();
  auto image = write_file(nodes, "image/png", content).value();
  EXPECT_NE(image->key(), text->key());
  EXPECT_EQ(image->children(), text->children());
  EXPECT_EQ(nodes.size(), count + 1);
}

TEST(File, StopsWritingWhenTheSinkFails) {
  class FullSink final : public NodeSink {
   public:
    Result<void> add(NodePtr) override { return fail(Code::kQuotaExceeded, "full"); }
  };
  FullSink full;
  EXPECT_EQ(write_file(full, "a/b", "small").error().code, Code::kQuotaExceeded);
  EXPECT_EQ(write_file(full, "a/b", noise(500'000, 1)).error().code, Code::kQuotaExceeded);
}

// ---- Ranges
// --------------------------------------------------------------------------------------------

TEST(FileRange, EqualsTheSubstringAndReadsOnlyWhatItNeeds) {
  constexpr std::uint64_t kSeed = 16;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  auto content = noise(20'000'000, kSeed);
  FileNodes nodes;
  auto file = written(nodes, content);
  for (int i = 0; i < 300; ++i) {
    auto offset = random() % content.size();
    auto length = random() % (i % 3 == 0 ? 10 : i % 3 == 1 ? 100'000 : 3'000'000);
    nodes.reads = 0;
    EXPECT_TRUE(range(nodes, *file, offset, length) == content.substr(offset, length))
        << offset << " + " << length;
    // Chunks are longer than 8 KiB; an inner node has at least 8 pieces.
    auto chunks = static_cast<int>(length / kMinChunk) + 2;
    auto inner = (chunks / 8 + 2) * static_cast<int>(file->level() - 1);
    EXPECT_LE(nodes.reads, chunks + inner) << offset << " + " << length;
    if (length <= 10) {
      EXPECT_LE(nodes.reads, 2 * static_cast<int>(file->level()));
    }
  }
}

TEST(FileRange, IsCutToTheFile) {
  for (std::size_t size : {std::size_t{10}, std::size_t{400'000}}) {
    FileNodes nodes;
    auto content = noise(size, 17);
    auto file = written(nodes, content);
    constexpr auto kHuge = ~std::uint64_t{0};
    EXPECT_EQ(range(nodes, *file, 0, kHuge), content);
    EXPECT_EQ(range(nodes, *file, size - 1, kHuge), content.substr(size - 1));
    nodes.reads = 0;
    EXPECT_EQ(range(nodes, *file, size, 1), "");
    EXPECT_EQ(range(nodes, *file, kHuge, kHuge), "");
    EXPECT_EQ(range(nodes, *file, 3, 0), "");
    EXPECT_EQ(nodes.reads, 0);
  }
}

TEST(FileRange, AtEveryEdgeOfEveryChunk) {
  FileNodes nodes;
  auto content = noise(600'000, 18);
  auto file = written(nodes, content);
  std::size_t edge = 0;
  for (auto length : chunk_lengths(nodes, *file)) {
    nodes.reads = 0;
    EXPECT_TRUE(range(nodes, *file, edge, length) == content.substr(edge, length));
    EXPECT_EQ(nodes.reads, static_cast<int>(file->level())) << "exactly one chunk";
    edge += length;
    if (edge < content.size()) {
      EXPECT_EQ(range(nodes, *file, edge - 1, 2), content.substr(edge - 1, 2));
    }
  }
}

TEST(FileRange, StopsWhenTheVisitorFails) {
  FileNodes nodes;
  auto file = written(nodes, noise(1'000'000, 19));
  int visits = 0;
  auto done = read_file(nodes, *file, 0, file->size(), [&](ByteView) -> Result<void> {
    visits += 1;
    return fail(Code::kBudgetExceeded, "enough");
  });
  EXPECT_EQ(visits, 1);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, Code::kBudgetExceeded);
}

// ---- Changes
// ------------------------------------------------------------------------------------------

TEST(FileChange, OfOneLineInTheMiddleAddsAHandfulOfNodes) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    FileNodes nodes;
    auto content = lines(20'000'000, seed);
    auto before = written(nodes, content);
    auto count = nodes.size();
    content.insert(content.find('\n', content.size() / 2) + 1, "one more line\n");
    auto after = written(nodes, content);
    EXPECT_NE(after->key(), before->key());
    auto levels = static_cast<std::size_t>(after->level());
    EXPECT_LE(nodes.size() - count, 4 + 2 * levels);
    EXPECT_TRUE(read_file(nodes, *after).value() == content);
  }
}

TEST(FileChange, AtTheEndKeepsEverythingBefore) {
  FileNodes nodes;
  auto content = lines(20'000'000, 20);
  written(nodes, content);
  auto count = nodes.size();
  content += "one more line\n";
  auto after = written(nodes, content);
  EXPECT_LE(nodes.size() - count, 2 + 2 * static_cast<std::size_t>(after->level()));
}

// ---- Files that no one here wrote
// --------------------------------------------------------------------

TEST(HostileFile, WithAPieceThatIsAnythingElseIsCorrupt) {
  FileNodes nodes;
  auto chunk = nodes.keep(make_chunk(noise(100'000, 21)));
  auto shorter = nodes.keep(make_chunk(noise(99'999, 21)));
  const Piece inside[] = {{100'000, chunk->key()}};
  auto inner = nodes.keep(make_successor(1, inside));
  auto file = nodes.keep(make_file("text/plain", chunk->content()));
  struct Case {
    std::string_view what;
    unsigned level;
    NodeKey piece;
    Code code;
  };
  const Case cases[] = {
      {"a chunk of another length", 1, shorter->key(), Code::kCorruptNode},
      {"an inner node instead of a chunk", 1, inner->key(), Code::kCorruptNode},
      {"a chunk instead of an inner node", 2, chunk->key(), Code::kCorruptNode},
      {"a file", 1, file->key(), Code::kCorruptNode},
      {"a directory", 1, nodes.keep(empty_dict())->key(), Code::kCorruptNode},
      {"nothing", 1, NodeKey::of("not there"), Code::kNodeNotFound},
  };
  for (const auto& c : cases) {
    auto good = c.level == 1 ? chunk->key() : inner->key();
    const Piece pieces[] = {{100'000, good}, {100'000, c.piece}};
    auto hostile = make_file("text/plain", c.level, pieces);
    EXPECT_EQ(range(nodes, *hostile, 0, 100'000), chunk->content()) << "the good part is readable";
    auto all = read_file(nodes, *hostile);
    ASSERT_FALSE(all.has_value()) << c.what;
    EXPECT_EQ(all.error().code, c.code) << c.what;
    auto part = read_file(nodes, *hostile, 150'000, 1, [](ByteView) -> Result<void> { return {}; });
    ASSERT_FALSE(part.has_value()) << c.what;
    EXPECT_EQ(part.error().code, c.code) << c.what;
  }
}

TEST(HostileFile, ThatPromisesAPetabyteIsCorruptAndTakesNoMemory) {
  FileNodes nodes;
  auto chunk = nodes.keep(make_chunk("small"));
  const Piece inside[] = {{5, chunk->key()}};
  auto inner = nodes.keep(make_successor(1, inside));
  const Piece pieces[] = {{kMaxTotal - 1, inner->key()}, {1, inner->key()}};
  auto file = make_file("text/plain", 2, pieces);
  EXPECT_EQ(file->size(), kMaxTotal);
  auto all = read_file(nodes, *file);
  ASSERT_FALSE(all.has_value());
  EXPECT_EQ(all.error().code, Code::kCorruptNode);
}

}  // namespace
}  // namespace cairn
