#include "data/store/backend.h"

#include "data/store/store_test_support.h"

namespace cairn {
namespace {

using ::testing::ElementsAre;

class BackendTest : public ::testing::TestWithParam<BackendKind> {
 protected:
  void put(Table table, Bytes key, Bytes value) {
    Changes changes;
    changes[table].emplace(std::move(key), std::move(value));
    ASSERT_THAT(backend->write(changes, Durability::kBuffered), IsOk());
  }
  std::vector<std::string> keys(const KeyRange& range, Direction direction) const {
    std::vector<std::string> found;
    EXPECT_THAT(backend->scan(Table::kPointers, range, direction,
                              [&](ByteView key, ByteView) {
                                found.emplace_back(key);
                                return Scan::kContinue;
                              }),
                IsOk());
    return found;
  }

  TempDir dir;
  std::unique_ptr<Backend> backend = make_backend(GetParam(), dir / "db");
};
INSTANTIATE_TEST_SUITE_P(Each, BackendTest, both_backends(), backend_name);

TEST_P(BackendTest, WritesPutsAndDeletesOfAllTablesTogether) {
  put(Table::kNodeInfo, "gone", "1");
  Changes changes;
  changes[Table::kPointers].emplace("a", "pointer");
  changes[Table::kNodeInfo].emplace("gone", std::nullopt);
  changes[Table::kNodeData].emplace("a", Bytes(5000, 'x'));
  ASSERT_THAT(backend->write(changes, Durability::kSynced), IsOk());

  EXPECT_EQ(*backend->get(Table::kPointers, "a"), "pointer");
  EXPECT_EQ(*backend->get(Table::kNodeData, "a"), Bytes(5000, 'x'));
  EXPECT_EQ(*backend->get(Table::kNodeInfo, "gone"), std::nullopt);
  EXPECT_EQ(*backend->get(Table::kNodeInfo, "a"), std::nullopt);
}

TEST_P(BackendTest, TakesASyncWithNothingToWrite) {
  EXPECT_THAT(backend->write({}, Durability::kSynced), IsOk());
}

TEST_P(BackendTest, ScansARangeInBothDirections) {
  for (const char* key : {"a", "b", "c", "d"}) put(Table::kPointers, key, "");
  EXPECT_THAT(keys({"b", "d"}, Direction::kForward), ElementsAre("b", "c"));
  EXPECT_THAT(keys({"b", "d"}, Direction::kBackward), ElementsAre("c", "b"));
  EXPECT_THAT(keys({"c", ""}, Direction::kForward), ElementsAre("c", "d"));
  EXPECT_THAT(keys({"", ""}, Direction::kBackward), ElementsAre("d", "c", "b", "a"));
  EXPECT_THAT(keys({"c", "b"}, Direction::kForward), ElementsAre());
}

TEST_P(BackendTest, ScansOneStateEvenWhileItIsWrittenTo) {
  put(Table::kPointers, "a", "old");
  put(Table::kPointers, "b", "old");
  std::vector<std::string> seen;
  ASSERT_THAT(backend->scan(Table::kPointers, {}, Direction::kForward,
                            [&](ByteView key, ByteView value) {
                              seen.push_back(fmt::format("{}={}", key, value));
                              put(Table::kPointers, "b", "new");
                              put(Table::kPointers, "c", "new");
                              return Scan::kContinue;
                            }),
              IsOk());
  EXPECT_THAT(seen, ElementsAre("a=old", "b=old"));
  EXPECT_THAT(keys({}, Direction::kForward), ElementsAre("a", "b", "c"));
}

TEST(KeyRange, OfAPrefixEndsBeforeTheNextPrefix) {
  struct Case {
    Bytes prefix;
    Bytes end;
  };
  for (const auto& [prefix, end] :
       {Case{"", ""}, Case{"a", "b"}, Case{"a\xff", "b"}, Case{"a\xff\xff", "b"},
        Case{"\xff\xff", ""}, Case{"a\x7f", "a\x80"}, Case{"\xfe\xff", "\xff"}}) {
    const KeyRange range = KeyRange::prefix(prefix);
    EXPECT_EQ(range.begin, prefix);
    EXPECT_EQ(range.end, end) << printable(prefix);
  }
}

TEST_P(BackendTest, FindsAllKeysOfAPrefixOfHighBytes) {
  for (const char* key : {"\xfe", "\xff", "\xff\xff", "\xff\xff\x01"}) {
    put(Table::kPointers, key, "");
  }
  EXPECT_THAT(keys(KeyRange::prefix("\xff\xff"), Direction::kForward),
              ElementsAre("\xff\xff", "\xff\xff\x01"));
}

}  // namespace
}  // namespace cairn
