#include "data/json/pointer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::json {
namespace {

using testing::ElementsAre;

std::string at(const Value& document, std::string_view pointer) {
  const auto parsed = Pointer::parse(pointer);
  EXPECT_TRUE(parsed) << pointer;
  const auto* value = parsed ? get(document, *parsed) : nullptr;
  return value == nullptr ? "nothing" : write(*value);
}

// The example of RFC 6901, section 5.
TEST(Pointer, FindsWhatTheStandardSays) {
  const auto document = *parse(R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,
                                   "i\\j":5,"k\"l":6," ":7,"m~n":8})");
  struct Case {
    std::string_view pointer;
    std::string value;
  };
  const Case cases[] = {{"", write(document)},
                        {"/foo", R"(["bar","baz"])"},
                        {"/foo/0", R"("bar")"},
                        {"/", "0"},
                        {"/a~1b", "1"},
                        {"/c%d", "2"},
                        {"/e^f", "3"},
                        {"/g|h", "4"},
                        {"/i\\j", "5"},
                        {"/k\"l", "6"},
                        {"/ ", "7"},
                        {"/m~0n", "8"}};
  for (const auto& c : cases) EXPECT_EQ(at(document, c.pointer), c.value) << c.pointer;
}

TEST(Pointer, LeadsNowhereWhereThereIsNothing) {
  const auto document = *parse(R"({"a":[1,2],"b":{"0":"x"},"s":"text"})");
  for (const auto* pointer : {"/c", "/a/2", "/a/-", "/a/01", "/a/+1", "/a/-1", "/a/", "/a/0/0",
                              "/s/0", "/a/99999999999999999999", "/b/1", "//"}) {
    EXPECT_EQ(at(document, pointer), "nothing") << pointer;
  }
  EXPECT_EQ(at(document, "/b/0"), R"("x")");
}

TEST(Pointer, RendersWhatItParsed) {
  for (const auto* text : {"", "/", "//", "/a/b", "/~0~1/~01", "/a/", "/ü"}) {
    EXPECT_EQ(Pointer::parse(text)->render(), text);
  }
  EXPECT_THAT(Pointer::parse("/~01/a~1b/")->tokens(), ElementsAre("~1", "a/b", ""));
  EXPECT_EQ(Pointer().child("a/b").child("~").render(), "/a~1b/~0");
}

TEST(Pointer, RefusesWhatIsNone) {
  for (const auto* text : {"a", "#/a", "/~", "/~2", "/a~/b"}) {
    const auto pointer = Pointer::parse(text);
    ASSERT_FALSE(pointer) << text;
    EXPECT_EQ(pointer.error().code, Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace cairn::json
