#include "exposure/http/uri.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(PercentDecode, TakesEscapesAndNothingElse) {
  EXPECT_EQ(percent_decode(""), "");
  EXPECT_EQ(percent_decode("a+b%20c%2f%C3%A4"), "a+b c/ä");
  EXPECT_EQ(percent_decode("%41"), "A");
  for (const std::string_view bad : {"%", "%4", "a%4", "%zz", "%4g", "%00", "a%00b", "%%41"}) {
    EXPECT_EQ(percent_decode(bad).error().code, Code::kBadRequest) << bad;
  }
}

TEST(PercentEncode, IsUndoneByDecoding) {
  EXPECT_EQ(percent_encode("a b/ä?&=+%~._-"), "a%20b%2F%C3%A4%3F%26%3D%2B%25~._-");
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_EQ(percent_decode(percent_encode(all)), all);
}

TEST(SplitPath, CutsBeforeItDecodes) {
  EXPECT_THAT(*split_path("/a%2Fb/c%20d"), ElementsAre("a/b", "c d"));
  EXPECT_THAT(*split_path("/"), IsEmpty());
  EXPECT_THAT(*split_path(""), IsEmpty());
  EXPECT_THAT(*split_path("/a/"), ElementsAre("a", ""));
  EXPECT_THAT(*split_path("//a"), ElementsAre("", "a"));
  EXPECT_THAT(*split_path("/%2e%2e/a+b"), ElementsAre("..", "a+b"));
  EXPECT_FALSE(split_path("/a/%zz"));
}

TEST(Query, HasNamesAndValuesInOrder) {
  const auto query = Query::parse("a=1&b=x+y%2B&c&d=&&e=f=g");
  ASSERT_TRUE(query);
  EXPECT_THAT(query->entries(), ElementsAre(Pair("a", "1"), Pair("b", "x y+"), Pair("c", ""),
                                            Pair("d", ""), Pair("e", "f=g")));
  EXPECT_EQ(query->get("b"), "x y+");
  EXPECT_EQ(query->get("z"), std::nullopt);
  EXPECT_THAT(Query::parse("")->entries(), IsEmpty());
}

TEST(Query, RefusesANameGivenTwiceAndNamesIt) {
  const auto query = Query::parse("limit=1&a=2&lim%69t=3");
  ASSERT_FALSE(query);
  EXPECT_EQ(query.error().code, Code::kBadRequest);
  EXPECT_THAT(query.error().message, HasSubstr("'limit'"));
  EXPECT_FALSE(Query::parse("a=%"));
  std::string many;
  for (int i = 0; i < 300; ++i) many += std::to_string(i) + "&";
  EXPECT_FALSE(Query::parse(many));
}

}  // namespace
}  // namespace cairn::http
