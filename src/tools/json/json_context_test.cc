// Changes of JSON contexts: they commit at once, lose nobody's update and touch nothing else.
#include "tools/json/json_context.h"

#include <thread>

#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

class JsonContextTest : public tools_testing::ToolTest {
 protected:
  json::Object arguments(json::Object more, std::string_view pointer = "") {
    more["depotId"] = depot_;
    more["path"] = "a.json";
    if (!pointer.empty()) more["jsonPath"] = pointer;
    return more;
  }
};

TEST_F(JsonContextTest, AChangeIsCommittedWithWhatItWasAbout) {
  put("a.json", R"({"list": [1]})");
  const auto done = call("json_create", arguments({{"items", json::Array{2}}}, "/list"));
  EXPECT_EQ(text(done, "root"), root());
  EXPECT_EQ(content("a.json"), R"({"list": [1, 2]})");
  const auto history = call("depot_history", {{"depotId", depot_}});
  EXPECT_EQ(text(history.at("entries").at(0).as_object(), "message"), "json_create a.json#/list");
}

TEST_F(JsonContextTest, WhatIsAroundTheChangeStaysToTheByte) {
  put("a.json", "{ \"x\" : 1.50,\n\t\"y\":[ ],\n \"z\": {\"k\":\"\\u0041\"} }\n");
  call("json_update", arguments({{"items", json::Object{{"y", true}}}}));
  EXPECT_EQ(content("a.json"), "{ \"x\" : 1.50,\n\t\"y\":true,\n \"z\": {\"k\":\"\\u0041\"} }\n");
}

TEST_F(JsonContextTest, NobodysUpdateIsLostWhenManyChangeOneFile) {
  put("a.json", "[]");
  constexpr int kThreads = 4;
  constexpr int kEach = 15;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i) {
          auto done = executor().run(owner_, "json_create",
                                     arguments({{"items", json::Array{t * kEach + i}}}));
          EXPECT_TRUE(done) << (done ? "" : done.error().render());
        }
      });
    }
  }
  const auto sorted = call("json_query", arguments({{"expression", "sort(@)"}})).at("result");
  ASSERT_EQ(sorted.get_array().size(), std::size_t{kThreads * kEach});
  for (int i = 0; i < kThreads * kEach; ++i) {
    EXPECT_EQ(sorted.get_array()[static_cast<std::size_t>(i)], i);
  }
}

TEST_F(JsonContextTest, ANodeIsReadAndNeverWrittenTo) {
  put("a.json", "[1]");
  auto at_node = arguments({{"items", json::Array{2}}});
  at_node["depotId"] = root();
  EXPECT_THAT(refused("json_create", at_node), Says(Code::kInvalidArgument, "give the depot"));
  at_node.erase("items");
  EXPECT_EQ(json::write(call("json_get_all", at_node).at("value")), "[1]");
}

TEST_F(JsonContextTest, APointerThatIsNoneIsNamedWithItsArgument) {
  put("a.json", R"({"a": {"b": 1}})");
  EXPECT_THAT(refused("json_get_all", arguments({}, "a/b")).message,
              HasSubstr("'jsonPath' is a/b"));
  EXPECT_THAT(refused("json_get_all", arguments({}, "/a/c")),
              Says(Code::kJsonPathNotFound, "/a/c"));
  EXPECT_THAT(refused("json_move", arguments({{"from", "a"}, {"to", "/x"}})).message,
              HasSubstr("'from' is a"));
}

TEST_F(JsonContextTest, ALargeValueIsCutWhereItSaysAndTellsHowToGetTheRest) {
  json::Array rows;
  for (int i = 0; i < 3000; ++i)
    rows.emplace_back(json::Object{{"id", i}, {"text", std::string(40, 'x')}});
  put("a.json", json::write(json::Object{{"rows", rows}, {"n", 1}}));
  const auto cut = call("json_get_all", arguments({}));
  EXPECT_TRUE(is_true(cut, "truncated"));
  EXPECT_THAT(json::write(cut.at("leftOut")), HasSubstr("/rows"));
  EXPECT_THAT(text(cut, "hint"), HasSubstr("query"));
  EXPECT_EQ(cut.at("value").at("n"), 1);
  const auto small = call("json_get_all", arguments({{"maxBytes", 500}}));
  EXPECT_LT(json::write(small.at("value")).size(), 501U);
  EXPECT_TRUE(is_true(small, "truncated"));
  const auto part = call("json_get_all", arguments({}, "/rows/7"));
  EXPECT_FALSE(is_true(part, "truncated"));
  EXPECT_FALSE(part.contains("hint"));
}

TEST_F(JsonContextTest, AMoveBetweenFilesIsOneCommitOfBoth) {
  put_all({{"a.json", R"({"x": {"k": 1}, "y": 2})"}, {"b.json", R"({"list": []})"}});
  const auto before = root();
  const auto done =
      call("json_move", arguments({{"from", "/x"}, {"to", "/list/-"}, {"toPath", "b.json"}}));
  EXPECT_EQ(json::parse(content("a.json")).value(), json::parse(R"({"y": 2})").value());
  EXPECT_EQ(json::parse(content("b.json")).value(), json::parse(R"({"list": [{"k": 1}]})").value());
  EXPECT_EQ(text(done, "from"), "/x");
  const auto depot = call("get_depot", {{"depotId", depot_}});
  EXPECT_EQ(json::text(depot.at("history").at(0)), before);
}

TEST_F(JsonContextTest, AMoveThatDoesNotFitChangesNeitherFile) {
  put_all({{"a.json", R"({"x": 1})"}, {"b.json", R"({"x": 2})"}, {"c.json", "no"}});
  const auto moved = [&](std::string_view to, std::string_view file) {
    return refused("json_move", arguments({{"from", "/x"}, {"to", to}, {"toPath", file}}));
  };
  EXPECT_THAT(moved("/x", "b.json"), Says(Code::kKeyExists, "'/x' exists already"));
  EXPECT_EQ(moved("/x", "c.json").code, Code::kInvalidJson);
  EXPECT_EQ(moved("/x", "d.json").code, Code::kPathNotFound);
  EXPECT_EQ(moved("/no/x", "b.json").code, Code::kJsonPathNotFound);
}

TEST_F(JsonContextTest, TheValueItselfIsNeitherMovedNorReplacedFromInside) {
  put("a.json", R"({"in": {"x": 1}})");
  EXPECT_THAT(refused("json_move", arguments({{"from", ""}, {"to", "/y"}}, "/in")),
              Says(Code::kInvalidArgument, "'from' names the whole value"));
  EXPECT_THAT(refused("json_copy", arguments({{"from", "/x"}, {"to", ""}}, "/in")),
              Says(Code::kInvalidArgument, "'to' names the whole value"));
}

TEST_F(JsonContextTest, WhoOnlyReadsChangesNothing) {
  put("a.json", "[1]");
  const auto reader = delegate({});
  EXPECT_EQ(refused(reader, "json_create", arguments({{"items", json::Array{2}}})).code,
            Code::kUploadNotAllowed);
  EXPECT_EQ(json::write(call(reader, "json_get_all", arguments({})).at("value")), "[1]");
}

TEST_F(JsonContextTest, ADelegateMovesNothingToAFileItDoesNotSee) {
  put_all({{"docs/a.json", R"({"x": 1})"}, {"b.json", "{}"}});
  const auto writer = writer_in("docs");
  const auto away = arguments({{"from", "/x"}, {"to", "/x"}, {"toPath", "b.json"}});
  EXPECT_EQ(refused(writer, "json_move", away).code, Code::kPathNotFound);
  call(writer, "json_copy", arguments({{"from", "/x"}, {"to", "/y"}}));
  EXPECT_EQ(json::parse(content("docs/a.json")).value(),
            json::parse(R"({"x": 1, "y": 1})").value());
}

}  // namespace
}  // namespace cairn
