#include "data/cas/key_set.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace cairn {
namespace {

NodeKey key(std::size_t number) { return NodeKey::of(std::to_string(number)); }

TEST(KeySet, HasWhatWasInsertedAndNothingElse) {
  KeySet set;
  std::set<NodeKey> oracle;
  EXPECT_TRUE(set.empty());
  // Every third comes twice.
  for (std::size_t i = 0; i < 30'000; ++i) {
    const auto one = key(i % 3 == 2 ? i - 1 : i);
    EXPECT_EQ(set.insert(one), oracle.insert(one).second) << i;
  }
  EXPECT_EQ(set.size(), oracle.size());
  for (std::size_t i = 0; i < 60'000; ++i) {
    ASSERT_EQ(set.contains(key(i)), oracle.contains(key(i))) << i;
  }
}

TEST(KeySet, TakesTheKeyOfZerosLikeAnyOther) {
  KeySet set;
  EXPECT_FALSE(set.contains(NodeKey()));
  EXPECT_TRUE(set.insert(NodeKey()));
  EXPECT_FALSE(set.insert(NodeKey()));
  EXPECT_TRUE(set.contains(NodeKey()));
  EXPECT_EQ(set.size(), 1U);
}

TEST(KeySet, ThatWasClearedIsEmpty) {
  KeySet set;
  for (std::size_t i = 0; i < 100; ++i) set.insert(key(i));
  set.clear();
  EXPECT_TRUE(set.empty());
  EXPECT_FALSE(set.contains(key(5)));
  EXPECT_TRUE(set.insert(key(5)));
}

TEST(KeySet, TakesLittleMoreThanTheKeysThemselves) {
  KeySet set;
  for (std::size_t i = 0; i < 200'000; ++i) set.insert(key(i));
  EXPECT_LT(set.memory(), set.size() * 50);
}

// Keys that all want the same place still have one each.
TEST(KeySet, KeepsKeysApartThatDifferInTheirLastBytesOnly) {
  KeySet set;
  for (unsigned i = 0; i < 200; ++i) {
    Bytes bytes(NodeKey::kSize, '\xff');
    bytes.back() = static_cast<char>(i);
    EXPECT_TRUE(set.insert(NodeKey::from_bytes(bytes)));
  }
  EXPECT_EQ(set.size(), 200U);
}

}  // namespace
}  // namespace cairn
