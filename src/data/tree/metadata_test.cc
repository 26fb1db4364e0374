#include "data/tree/metadata.h"

#include "data/tree/tree_testing.h"

namespace cairn::tree_testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Metadata : ::testing::Test {
  NodeMetadata of(const NodePtr& node, const ListOptions& options = {}) {
    auto budget = t.unlimited();
    return must(metadata(t.stage, node, options, budget));
  }
  NodePtr file(ByteView content) { return must(write_file(t.stage, "text/plain", content)); }
  // Bytes that are cut at many places.
  static Bytes mixed(std::size_t size) {
    Dice dice(7);
    Bytes bytes;
    while (bytes.size() < size) bytes.push_back(static_cast<char>(dice.below(256)));
    return bytes;
  }

  Trees t;
};

TEST_F(Metadata, OfASmallFileIsItsSizeAndType) {
  auto node = file("hello");
  auto about = of(node);
  EXPECT_EQ(about.key, node->key());
  EXPECT_EQ(about.kind, Kind::kFile);
  EXPECT_EQ(about.payload_size, 5U);
  EXPECT_EQ(about.content_type, "text/plain");
  EXPECT_EQ(about.child_count, 0U);
  EXPECT_THAT(about.children, IsEmpty());
  EXPECT_THAT(about.pieces, IsEmpty());
}

TEST_F(Metadata, OfADirectoryIsItsChildrenByName) {
  auto root = t.tree({{"src/a.ts", "1"}, {"README.md", "hello"}, {"empty/", ""}});
  auto about = of(root);
  EXPECT_EQ(about.kind, Kind::kDict);
  EXPECT_EQ(about.payload_size, 0U);
  EXPECT_EQ(about.content_type, "");
  EXPECT_EQ(about.child_count, 3U);
  ASSERT_THAT(about.children, SizeIs(3));
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(about.children[i].index, i);
    EXPECT_EQ(must(step(t.stage, root, i))->key(), about.children[i].value.key);
  }
  EXPECT_EQ(about.children[0].name, "README.md");
  EXPECT_EQ(about.children[2].name, "src");
  EXPECT_EQ(of(empty_dict()).child_count, 0U);
}

TEST_F(Metadata, OfALargeDirectoryComesInPagesAndItsStepsCrossItsNodes) {
  Files files;
  for (int i = 0; i < 1500; ++i) files[fmt::format("f{:04}", i)] = fmt::format("{}", i);
  auto root = t.tree(files);
  ASSERT_GT(root->level(), 0U);
  std::vector<ListPage::Child> all;
  ListOptions options{.limit = 400, .cursor = std::nullopt};
  do {
    auto about = of(root, options);
    EXPECT_EQ(about.child_count, 1500U);
    all.insert(all.end(), about.children.begin(), about.children.end());
    options.cursor = about.next_cursor;
  } while (options.cursor);
  ASSERT_THAT(all, SizeIs(1500));
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(all[i].index, i);
    ASSERT_EQ(must(step(t.stage, root, i))->content(), fmt::format("{}", i));
  }
}

TEST_F(Metadata, OfALargeFileIsItsPiecesDownToTheChunks) {
  const auto content = mixed(3'000'000);
  auto node = file(content);
  ASSERT_GT(node->level(), 1U) << "with lists of pieces in between";
  auto about = of(node);
  EXPECT_EQ(about.payload_size, content.size());
  EXPECT_EQ(about.child_count, node->pieces().size());
  EXPECT_THAT(about.children, IsEmpty());
  ASSERT_THAT(about.pieces, SizeIs(node->pieces().size()));

  Bytes read;
  auto visit = [&](auto&& self, const NodePtr& at) -> void {
    auto here = of(at);
    if (here.child_count == 0) read += at->content();
    for (std::uint64_t i = 0; i < here.child_count; ++i) {
      auto below = must(step(t.stage, at, i));
      EXPECT_EQ(below->key(), here.pieces[i].key);
      EXPECT_EQ(of(below).kind, Kind::kSuccessor);
      EXPECT_EQ(of(below).payload_size, here.pieces[i].length);
      self(self, below);
    }
  };
  visit(visit, node);
  EXPECT_EQ(read, content);
}

TEST_F(Metadata, StepsPastTheEndNameWhatIsThere) {
  auto root = t.tree({{"a", "1"}, {"b", "2"}});
  EXPECT_THAT(step(t.stage, root, 2), FailsSaying(Code::kPathNotFound, "a dict with 2 of them"));
  EXPECT_THAT(step(t.stage, root, UINT64_MAX), FailsWith(Code::kPathNotFound));
  EXPECT_THAT(step(t.stage, empty_dict(), 0), FailsWith(Code::kPathNotFound));
  EXPECT_THAT(step(t.stage, file("x"), 0), FailsSaying(Code::kPathNotFound, "a file with 0"));
  auto large = file(mixed(300'000));
  EXPECT_THAT(step(t.stage, large, large->pieces().size()), FailsWith(Code::kPathNotFound));
}

TEST_F(Metadata, StepsDoNotTrustWhatTheNodeSaysOfItsChild) {
  auto chunk = make_chunk("not as long as said");
  must(t.stage.add(chunk));
  const std::vector<Piece> pieces{{131'072, chunk->key()}, {100, chunk->key()}};
  EXPECT_THAT(step(t.stage, make_file("text/plain", 1, pieces), 0),
              FailsSaying(Code::kCorruptNode, "is 19 bytes long"));
  auto entry = entry_for("a", *file("hello"));
  entry.bytes = 6;
  EXPECT_THAT(step(t.stage, make_dict({&entry, 1}), 0), FailsWith(Code::kCorruptNode));
}

}  // namespace
}  // namespace cairn::tree_testing
