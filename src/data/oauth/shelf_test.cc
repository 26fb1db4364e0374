#include "data/oauth/shelf.h"

#include <gtest/gtest.h>

#include "data/access/access_testing.h"

namespace cairn::oauth {
namespace {

using access_testing::Access;
using access_testing::must;
using namespace std::chrono_literals;

std::string put(Access& access, Shelf& shelf, std::string_view value) {
  must(shelf.make_room());
  auto place = shelf.place();
  Batch batch;
  batch.puts.push_back({place.key, Bytes(value)});
  must(access.kv().commit(std::move(batch)));
  return place.id;
}

std::size_t rows(Access& access) {
  std::size_t count = 0;
  must(access.kv().scan(KeyRange::prefix("Ox"), Direction::kForward, [&](ByteView, ByteView) {
    ++count;
    return Scan::kContinue;
  }));
  return count;
}

TEST(Shelf, KeepsForItsLifetime) {
  Access access;
  Shelf shelf(access.kv(), access.world.clock, access.world.random,
              {.letter = 'x', .lifetime = 10min});
  const auto id = put(access, shelf, "value");
  EXPECT_EQ(must(shelf.get(id)), "value");
  access.world.clock.advance(10min - 1ms);
  EXPECT_EQ(must(shelf.get(id)), "value");
  access.world.clock.advance(1ms);
  EXPECT_EQ(must(shelf.get(id)), std::nullopt);
  EXPECT_EQ(rows(access), 1);
  must(shelf.tidy());
  EXPECT_EQ(rows(access), 0);
}

TEST(Shelf, KnowsNoIdThatIsNotItsOwn) {
  Access access;
  Shelf shelf(access.kv(), access.world.clock, access.world.random,
              {.letter = 'x', .lifetime = 10min});
  const auto id = put(access, shelf, "value");
  auto other = id;
  other.back() = other.back() == 'A' ? 'B' : 'A';
  for (const auto& wrong :
       {std::string(), other, id + "A", id.substr(1), std::string(52, '='), std::string(52, '/')}) {
    EXPECT_EQ(must(shelf.get(wrong)), std::nullopt) << wrong;
  }
  must(access.kv().scan(KeyRange{}, Direction::kForward, [&](ByteView key, ByteView value) {
    EXPECT_FALSE(key.contains(id) || value.contains(id)) << "only the hash is stored";
    return Scan::kContinue;
  }));
}

TEST(Shelf, HasRoomForSoManyAndLetsTheOldestGo) {
  Access access;
  Shelf shelf(access.kv(), access.world.clock, access.world.random,
              {.letter = 'x', .lifetime = 10min, .most = 100});
  std::vector<std::string> ids;
  for (int i = 0; i < 500; ++i) {
    ids.push_back(put(access, shelf, "value"));
    access.world.clock.advance(1ms);
    ASSERT_LE(rows(access), 100);
  }
  EXPECT_EQ(must(shelf.get(ids.front())), std::nullopt);
  EXPECT_EQ(must(shelf.get(ids.back())), "value");
}

}  // namespace
}  // namespace cairn::oauth
