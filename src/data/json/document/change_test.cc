#include "data/json/document/change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::document {
namespace {

using json::Pointer;
using json::Value;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::string_view kText = R"({"o":{"name":1,"size":2},"a":[10,20,30],"s":"x"})";

Value parsed(std::string_view text) {
  auto value = json::parse(text);
  EXPECT_TRUE(value) << text;
  return value ? *value : Value();
}

// The summary, or the error.
std::string told(const Result<Changed>& changed) {
  return changed ? json::write(changed->summary) : changed.error().render();
}

std::string created(std::string_view context, std::string_view items,
                    std::optional<std::int64_t> index = {}) {
  const auto value = parsed(kText);
  return told(create({value, kText}, *Pointer::parse(context), parsed(items), index));
}

std::string updated(std::string_view context, std::string_view items,
                    Update how = Update::kReplace) {
  const auto value = parsed(kText);
  return told(update({value, kText}, *Pointer::parse(context), parsed(items), how));
}

std::string deleted(std::string_view context, std::string_view keys) {
  const auto value = parsed(kText);
  return told(remove({value, kText}, *Pointer::parse(context), parsed(keys)));
}

std::string moved(std::string_view from, std::string_view to) {
  const auto value = parsed(kText);
  return told(move({value, kText}, *Pointer::parse(from), *Pointer::parse(to)));
}

std::string copied(std::string_view from, std::string_view to) {
  const auto value = parsed(kText);
  return told(copy({value, kText}, *Pointer::parse(from), *Pointer::parse(to)));
}

TEST(Change, SumsUp) {
  EXPECT_EQ(created("/o", R"({"x":1,"y":2})"), R"({"created":["x","y"],"total":4})");
  EXPECT_EQ(created("/o", R"([{"key":"x","value":1}])"), R"({"created":["x"],"total":3})");
  EXPECT_EQ(created("/a", "[1,2]"), R"({"created":[3,4],"total":5})");
  EXPECT_EQ(created("/a", "[1,2]", 1), R"({"created":[1,2],"total":5})");
  EXPECT_EQ(updated("/o", R"({"size":1})"), R"({"updated":["size"],"total":2})");
  EXPECT_EQ(updated("/a", R"([{"index":-1,"value":1}])"), R"({"updated":[2],"total":3})");
  EXPECT_EQ(deleted("/o", R"(["size"])"), R"({"deleted":["size"],"total":1})");
  EXPECT_EQ(deleted("/a", R"([-1,"0"])"), R"({"deleted":[2,0],"total":1})");
  EXPECT_EQ(moved("/o/name", "/a/-"), R"({"from":"/o/name","to":"/a/3"})");
  EXPECT_EQ(moved("/a/0", "/a/2"), R"({"from":"/a/0","to":"/a/2"})");
  EXPECT_EQ(copied("/o", "/p"), R"({"from":"/o","to":"/p"})");
}

TEST(Change, NamesTheBadItem) {
  struct Case {
    std::string told;
    std::string_view code;
    std::string_view message;
  };
  const Case cases[] = {
      {created("/o", R"({"x":1,"name":2})"), "KEY_EXISTS",
       "items.name: the key 'name' exists already in '/o'; change it with update"},
      {created("/o", "[1]"), "WRONG_JSON_TYPE",
       "items[0]: '/o' is an object with 2 keys, and this is a number; send {\"key\": value, ...}"},
      {created("/o", "7"), "WRONG_JSON_TYPE", "items: '/o' is an object"},
      {created("/o", R"({"x":1})", 0), "WRONG_JSON_TYPE", "index: '/o' is an object"},
      {created("/o", R"([{"key":"x","value":1},{"key":"x","value":2}])"), "INVALID_ARGUMENT",
       "items[1]: the key 'x' is there twice"},
      {created("/a", R"({"x":1})"), "WRONG_JSON_TYPE",
       "items: '/a' is an array of 3 elements, and this is an object with 1 key; send a list"},
      {created("/a", "[1]", 4), "KEY_NOT_FOUND", "index: 4 is no place in '/a', an array of 3"},
      {created("/a", "[1]", -1), "KEY_NOT_FOUND", "send 0 to 3, or leave index out to append"},
      {created("/a", "[]"), "INVALID_ARGUMENT", "items: it is empty"},
      {created("/s", "[1]"), "WRONG_JSON_TYPE", "'/s' is a string; only an object or array"},
      {created("/q", "[1]"), "JSON_PATH_NOT_FOUND", "'/q' does not exist"},
      {updated("/o", R"({"name":1,"sise":2})"), "KEY_NOT_FOUND",
       "items.sise: '/o' is an object with 2 keys and has no key 'sise'; the nearest: 'size'"},
      {updated("/a", R"([{"index":1,"value":1},{"index":3,"value":1}])"), "KEY_NOT_FOUND",
       "items[1].index: 3 is no index of '/a', an array of 3 elements; its indices are 0 to 2"},
      {updated("/a", R"([{"index":2,"value":1},{"index":-1,"value":1}])"), "INVALID_ARGUMENT",
       "items[1]: the index 2 is there twice"},
      {updated("/a", R"([{"index":2}])"), "WRONG_JSON_TYPE", "items[0]: '/a' is an array"},
      {updated("/a", R"({"x":2})"), "WRONG_JSON_TYPE", "items.x: '/a' is an array"},
      {updated("/a", R"([{"index":1.5,"value":2}])"), "WRONG_JSON_TYPE", "items[0].index: "},
      {updated("/a", R"([{"index":18446744073709551615,"value":2}])"), "KEY_NOT_FOUND", "index"},
      {updated("/a", "true"), "WRONG_JSON_TYPE", "items: '/a' is an array"},
      {deleted("/o", R"(["name","nam"])"), "KEY_NOT_FOUND", "keys[1]: "},
      {deleted("/o", R"(["name","name"])"), "INVALID_ARGUMENT", "keys[1]: the key 'name'"},
      {deleted("/o", "[0]"), "WRONG_JSON_TYPE", "keys[0]: '/o' is an object with 2 keys, and this"},
      {deleted("/a", "[-4]"), "KEY_NOT_FOUND", "0 to 2, or -3 to -1 from the end"},
      {deleted("/a", R"(["x"])"), "WRONG_JSON_TYPE", "keys[0]: "},
      {deleted("/a", "{}"), "WRONG_JSON_TYPE", "send a list of indices"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(c.told, AllOf(HasSubstr(std::string(c.code) + ": "), HasSubstr(c.message)));
  }
}

TEST(Change, RefusesMovesThatCannotBe) {
  struct Case {
    std::string_view from;
    std::string_view to;
    std::string_view told;
  };
  const Case cases[] = {
      {"/o", "/o/x", "MOVE_INTO_SELF: '/o/x' is inside of '/o'"},
      {"/o", "/o", "MOVE_INTO_SELF: '/o' is the value itself"},
      {"", "/x", "MOVE_INTO_SELF: '/x' is inside of the document"},
      {"/o/name", "/o/size", "KEY_EXISTS: '/o/size' exists already"},
      {"/o/name", "", "INVALID_ARGUMENT: the target is the whole document"},
      {"/o/name", "/s/x", "WRONG_JSON_TYPE: '/s' is a string"},
      {"/o/name", "/q/x", "JSON_PATH_NOT_FOUND"},
      {"/nope", "/x", "JSON_PATH_NOT_FOUND"},
      {"/o/name", "/a/4", "KEY_NOT_FOUND: '4' is no place in '/a'"},
      {"/o/name", "/a/x", "KEY_NOT_FOUND: 'x' is no place in '/a'"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(moved(c.from, c.to), HasSubstr(c.told));
    EXPECT_THAT(copied(c.from, c.to), HasSubstr(c.told));
  }
  EXPECT_THAT(moved("/o", "/\xff"), HasSubstr("INVALID_ARGUMENT: the key"));
  EXPECT_THAT(moved("/a/0", "/a/3"),
              HasSubstr("KEY_NOT_FOUND: '3' is no place in '/a', an array of 3 elements with the "
                        "one that is moved; send 0 to 2"));
  EXPECT_EQ(copied("/a/0", "/a/3"), R"({"from":"/a/0","to":"/a/3"})");
}

TEST(Change, MovesBetweenDocuments) {
  const std::string_view other_text = R"({"b":{}})";
  const auto value = parsed(kText);
  const auto other = parsed(other_text);
  const auto both = move_between({value, kText}, *Pointer::parse("/o"), {other, other_text},
                                 *Pointer::parse("/b/o"));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->source, R"({"a":[10,20,30],"s":"x"})");
  EXPECT_EQ(both->target, R"({"b":{"o":{"name":1,"size":2}}})");
  const auto all = move_between({value, kText}, {}, {other, other_text}, *Pointer::parse("/b/o"));
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code, Code::kInvalidArgument);
  EXPECT_TRUE(copy_between({value, kText}, {}, {other, other_text}, *Pointer::parse("/b/o")));
}

Value in_array(const Value& value) { return json::Array(1, value); }

TEST(Change, BoundsBatchAndDepth) {
  const auto value = parsed(kText);
  const auto context = *Pointer::parse("/a");
  EXPECT_TRUE(create({value, kText}, context, json::Array(1000, Value(1))));
  EXPECT_THAT(told(create({value, kText}, context, json::Array(1001, Value(1)))),
              HasSubstr("INVALID_ARGUMENT: items: there are 1001; send at most 1000"));
  Value deep(1);
  for (int i = 0; i < 98; ++i) deep = in_array(deep);
  const auto fits = create({value, kText}, context, in_array(deep));
  ASSERT_TRUE(fits) << fits.error().render();
  EXPECT_TRUE(json::parse(fits->text));
  const auto deeper = create({value, kText}, context, in_array(in_array(deep)));
  EXPECT_THAT(told(deeper), HasSubstr("items[0]: makes the document more than 100 levels deep"));
}

}  // namespace
}  // namespace cairn::document
