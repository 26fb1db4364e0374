#include "data/json/document/cut.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "data/json/document/testing.h"
#include "data/json/json_testing.h"
#include "data/json/pointer.h"

namespace cairn::document {
namespace {

using json::Array;
using json::Object;
using json::Value;

std::string at(const Object& object, std::string_view key) {
  const auto* value = json::find(object, key);
  return value == nullptr ? "nothing" : std::string(json::text(*value));
}

TEST(Cut, LeavesWhatFits) {
  const auto value = *json::parse(R"({"a":[1,2,{"b":"ü\n"}],"c":1.5,"d":null})");
  const auto size = json::write(value).size();
  EXPECT_EQ(written_bytes(value, 1000), size);
  const auto result = cut(value, 64);
  EXPECT_FALSE(result.truncated);
  EXPECT_EQ(result.value, value);
  EXPECT_TRUE(result.left_out.empty());
}

TEST(Cut, TakesTheTailOfAnArray) {
  Array items;
  for (int i = 0; i < 5000; ++i) items.push_back(Object{{"id", i}, {"name", "somebody"}});
  const Value value = Object{{"items", items}, {"total", 5000}};
  const auto result = cut(value, 1000);
  EXPECT_TRUE(result.truncated);
  EXPECT_LE(json::write(result.value).size(), 1000U);
  const auto& kept = result.value.at("items").get_array();
  EXPECT_GT(kept.size(), 20U);
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i], items[i]);
  EXPECT_EQ(result.value.at("total"), Value(5000));
  EXPECT_EQ(result.left_out.size(), 1U);
  EXPECT_EQ(at(result.left_out, "/items"),
            "shows " + std::to_string(kept.size()) + " of 5000 elements");
}

TEST(Cut, KeepsEveryMemberWhereOneIsLarge) {
  const Value value = Object{{"first", std::string(100'000, 'x').c_str()},
                             {"list", Array(3000, Value(7))},
                             {"last", true}};
  const auto result = cut(value, 600);
  EXPECT_LE(json::write(result.value).size(), 600U);
  EXPECT_EQ(result.value.get_object().size(), 3U);
  EXPECT_EQ(result.value.at("last"), Value(true));
  EXPECT_GT(result.value.at("list").get_array().size(), 50U);
  const auto text = json::text(result.value.at("first"));
  EXPECT_GT(text.size(), 100U);
  EXPECT_TRUE(text.ends_with("x…"));
  EXPECT_EQ(at(result.left_out, "/first"),
            "shows " + std::to_string(text.size() - 3) + " of 100000 bytes");
}

TEST(Cut, CutsStringsBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "😀\n";
  for (std::size_t size = 64; size < 90; ++size) {
    const auto result = cut(Value(text), size);
    EXPECT_LE(json::write(result.value).size(), size);
    EXPECT_GT(json::write(result.value).size(), size - 8);
    EXPECT_TRUE(valid_utf8(json::text(result.value)));
  }
}

TEST(Cut, DropsMembersOnlyWhenThereAreTooMany) {
  Object map;
  for (int i = 0; i < 10'000; ++i) map.emplace("key" + std::to_string(i), i);
  const auto result = cut(map, 2000);
  EXPECT_LE(json::write(result.value).size(), 2000U);
  EXPECT_GT(result.value.get_object().size(), 100U);
  EXPECT_EQ(result.value.get_object().begin()->key(), "key0");
  EXPECT_THAT(at(result.left_out, ""), testing::HasSubstr(" of 10000 members"));
}

TEST(Cut, NamesPlacesNearTheRootFirstAndNotTooMany) {
  Array rows;
  for (int i = 0; i < 30; ++i) rows.push_back(Object{{"text", std::string(5000, 'x').c_str()}});
  Object value{{"rows", rows}, {"z", Array(9000, Value(1))}};
  const auto result = cut(value, 20'000);
  EXPECT_LE(json::write(result.value).size(), 20'000U);
  ASSERT_GT(result.left_out.size(), 5U);
  EXPECT_EQ(result.left_out.begin()->key(), "/rows");
  EXPECT_EQ((result.left_out.begin() + 1)->key(), "/z");
  EXPECT_THAT(at(result.left_out, "/rows/0/text"), testing::HasSubstr(" of 5000 bytes"));
  Object texts;
  for (int i = 0; i < 50; ++i) texts.emplace(std::to_string(i), std::string(900, 'y').c_str());
  const auto many = cut(texts, 10'000);
  EXPECT_EQ(many.left_out.size(), 20U);
  EXPECT_EQ(many.more_left_out, 30U);
}

std::size_t count_types(const Value& whole, const Value& part) {
  if (whole.kind() != part.kind()) return 1;
  std::size_t wrong = 0;
  if (const auto* array = part.if_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      wrong += count_types(whole.get_array()[i], (*array)[i]);
    }
  }
  if (const auto* object = part.if_object()) {
    for (const auto& member : *object) {
      const auto* other = json::find(whole.get_object(), member.key());
      wrong += other == nullptr ? 1 : count_types(*other, member.value());
    }
  }
  return wrong;
}

TEST(Cut, FitsAndKeepsTypesWhateverTheValue) {
  const auto seed = json::a_seed();
  std::mt19937_64 random(seed);
  for (int i = 0; i < 2000; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", value " << i);
    const auto value = random_value(random, 8);
    const auto size = json::write(value).size();
    ASSERT_EQ(written_bytes(value, 1'000'000), size);
    ASSERT_EQ(written_bytes(value, size), size);
    ASSERT_EQ(written_bytes(value, size - 1), size);
    for (const std::size_t limit : {1, 100, 300, 1000}) {
      const auto result = cut(value, limit);
      ASSERT_LE(json::write(result.value).size(), std::max<std::size_t>(limit, 64));
      ASSERT_EQ(count_types(value, result.value), 0U);
      ASSERT_EQ(result.truncated, result.value != value);
      ASSERT_EQ(result.truncated, !result.left_out.empty());
    }
  }
}

TEST(Cut, SurvivesHostileValues) {
  Value deep(1);
  for (int i = 0; i < 900; ++i) {
    deep = i % 2 == 0 ? Value(Array{deep, deep.is_array() ? 1 : 2}) : Value(Object{{"k", deep}});
  }
  EXPECT_LE(json::write(cut(deep, 500).value).size(), 500U);
  const Value large_key = Object{{std::string(1'000'000, 'k'), 1}, {"b", 2}};
  const auto result = cut(large_key, 500);
  EXPECT_TRUE(result.value.get_object().empty());
  EXPECT_EQ(at(result.left_out, ""), "shows 0 of 2 members");
}

}  // namespace
}  // namespace cairn::document
