#include "data/store/node_cache.h"

#include <list>

#include "data/store/store_test_support.h"

namespace cairn {
namespace {

const RealmId kRealm = realm_number(1);

NodePtr numbered(int number, std::size_t size = 1000) {
  return file(fmt::format("{:0{}}", number, size));
}

TEST(NodeCache, FindsANodeOnlyInItsRealm) {
  NodeCache cache({1 << 20, 1 << 20});
  auto node = file("content");
  cache.insert(kRealm, node);
  EXPECT_EQ(cache.find(kRealm, node->key()), node);
  EXPECT_EQ(cache.find(realm_number(2), node->key()), nullptr);
}

TEST(NodeCache, StaysWithinItsBytesAndForgetsTheOldestFirst) {
  NodeCache cache({1 << 20, 1 << 20});
  std::vector<NodePtr> all;
  for (int i = 0; i < 5000; ++i) {
    all.push_back(numbered(i));
    cache.insert(kRealm, all.back());
    ASSERT_NE(cache.find(kRealm, all.front()->key()), nullptr) << "kept, because it is used";
  }
  EXPECT_LE(cache.memory(), 1U << 20);
  EXPECT_GT(cache.memory(), 800U << 10);
  EXPECT_EQ(cache.find(kRealm, all[1]->key()), nullptr);
  EXPECT_NE(cache.find(kRealm, all.back()->key()), nullptr);
}

TEST(NodeCache, NeverEvictsDirectoriesForFileData) {
  NodeCache cache({1 << 20, 1 << 20});
  auto dir = dict_of("a", file("a"));
  cache.insert(kRealm, dir);
  for (int i = 0; i < 5000; ++i) cache.insert(kRealm, numbered(i));
  EXPECT_EQ(cache.find(kRealm, dir->key()), dir);
}

TEST(NodeCache, KeepsNothingInAPoolWithoutBytes) {
  NodeCache cache({0, 1 << 20});
  auto dir = dict_of("a", file("a"));
  cache.insert(kRealm, dir);
  EXPECT_EQ(cache.find(kRealm, dir->key()), nullptr);
  EXPECT_EQ(cache.memory(), 0U);
}

TEST(NodeCache, DropsANodeReadBeforeAnErasureAndInsertedAfter) {
  NodeCache cache({1 << 20, 1 << 20});
  auto node = file("swept");
  const auto before = cache.erasures();
  cache.erase(kRealm, node->key());
  cache.insert(kRealm, node, before);
  EXPECT_EQ(cache.find(kRealm, node->key()), nullptr);
  cache.insert(kRealm, node, cache.erasures());
  EXPECT_EQ(cache.find(kRealm, node->key()), node);
}

// The oracle: a list per pool would be slow, a set of what was never erased is enough without
// eviction.
TEST(NodeCache, AgreesWithASetUnderRandomInsertsAndErasures) {
  NodeCache cache({64 << 20, 64 << 20});
  std::vector<NodePtr> all;
  for (int i = 0; i < 500; ++i) all.push_back(numbered(i, 10));
  std::vector<bool> present(all.size());
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int step = 0; step < 100'000; ++step) {
    const std::size_t at = random() % all.size();
    switch (random() % 3) {
      case 0:
        cache.insert(kRealm, all[at]);
        present[at] = true;
        break;
      case 1:
        cache.erase(kRealm, all[at]->key());
        present[at] = false;
        break;
      default:
        ASSERT_EQ(cache.find(kRealm, all[at]->key()) != nullptr, present[at]);
    }
  }
}

TEST(NodeCache, IsUsedFromManyThreads) {
  NodeCache cache({1 << 16, 1 << 18});
  std::vector<NodePtr> all;
  for (int i = 0; i < 400; ++i) all.push_back(numbered(i));
  std::vector<std::jthread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int step = 0; step < 5000; ++step) {
        const NodePtr& node = all[random() % all.size()];
        if (auto found = cache.find(kRealm, node->key())) {
          ASSERT_EQ(found->key(), node->key());
        } else {
          cache.insert(kRealm, node, cache.erasures());
        }
        if (step % 50 == 0) cache.erase(kRealm, node->key());
      }
    });
  }
}

}  // namespace
}  // namespace cairn
