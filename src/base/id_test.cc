#include "base/id.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn {
namespace {

using std::string_view_literals::operator""sv;
using testing::HasSubstr;

TEST(Id, IsWrittenAsAUlidBehindItsPrefix) {
  struct Case {
    std::string_view bytes;
    std::string_view text;
  };
  const Case cases[] = {
      {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv, "dpt_00000000000000000000000000"},
      {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"sv, "dpt_00000000000000000000000001"},
      {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x20"sv, "dpt_00000000000000000000000010"},
      {"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
       "dpt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ"},
      // The example of the ULID specification.
      {"\x01\x56\x3E\x3A\xB5\xD3\xD6\x76\x4C\x61\xEF\xB9\x93\x02\xBD\x5B",
       "dpt_01ARZ3NDEKTSV4RRFFQ69G5FAV"},
  };
  for (const auto& c : cases) {
    auto id = DepotId::from_bytes(c.bytes);
    EXPECT_EQ(id.render(), c.text);
    EXPECT_EQ(id.bytes(), c.bytes);
    EXPECT_EQ(DepotId::parse(c.text).value(), id);
  }
}

TEST(Id, BeginsWithTheTimeInMilliseconds) {
  ManualClock clock(1469918176385);
  SeededRandom random(1);
  EXPECT_TRUE(DelegateId::make(clock, random).render().starts_with("dlt_01ARYZ6S41"));
}

TEST(Id, SortsByTimeAsAValueAsBytesAndAsText) {
  ManualClock clock;
  SeededRandom random(1);
  auto last = RealmId::make(clock, random);
  for (int i = 0; i < 200; ++i) {
    clock.advance(std::chrono::milliseconds(1 + i * i));
    auto next = RealmId::make(clock, random);
    EXPECT_LT(last, next);
    EXPECT_LT(last.bytes(), next.bytes());
    EXPECT_LT(last.render(), next.render());
    last = next;
  }
}

TEST(Id, IsUniqueWithinOneMillisecond) {
  ManualClock clock;
  SystemRandom random;
  std::set<DepotId> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(DepotId::make(clock, random));
  EXPECT_EQ(ids.size(), 1000U);
}

TEST(Id, ReadsBackWhatItWrites) {
  ManualClock clock;
  SeededRandom random(1);
  for (int i = 0; i < 1000; ++i) {
    auto id = DepotId::make(clock, random);
    EXPECT_EQ(DepotId::parse(id.render()).value(), id);
    EXPECT_EQ(DepotId::from_bytes(id.bytes()), id);
  }
}

TEST(Id, AcceptsOtherSpellingsOfTheSameDigits) {
  auto id = DepotId::parse("dpt_01arz3ndektsv4rrffq69g5fav");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->render(), "dpt_01ARZ3NDEKTSV4RRFFQ69G5FAV");
  EXPECT_EQ(DepotId::parse("dpt_OlARZ3NDEKTSV4RRFFQ69G5FAV").value(), *id);
}

TEST(Id, RefusesEverythingElse) {
  const std::string_view cases[] = {
      "",
      "dpt_",
      "dpt",
      "01ARZ3NDEKTSV4RRFFQ69G5FAV",
      "usr_01ARZ3NDEKTSV4RRFFQ69G5FAV",
      "DPT_01ARZ3NDEKTSV4RRFFQ69G5FAV",
      "dpt_01ARZ3NDEKTSV4RRFFQ69G5FA",
      "dpt_01ARZ3NDEKTSV4RRFFQ69G5FAVA",
      "dpt_81ARZ3NDEKTSV4RRFFQ69G5FAV",
      "dpt_ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
      "dpt_01ARZ3NDEKTSV4RRFFQ69G5FAU",
      "dpt_01ARZ3NDEKTSV4RRFFQ69G5FA ",
      " dpt_01ARZ3NDEKTSV4RRFFQ69G5FAV",
  };
  for (auto text : cases) {
    auto id = DepotId::parse(text);
    ASSERT_FALSE(id) << text;
    EXPECT_EQ(id.error().code, Code::kInvalidKey);
    EXPECT_THAT(id.error().message, HasSubstr("a depot id")) << text;
  }
}

}  // namespace
}  // namespace cairn
