#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::Says;

class JsonWriteTest : public tools_testing::ToolTest {
 protected:
  json::Object arguments(json::Object more, std::string_view pointer = "") {
    more["depotId"] = depot_;
    more["path"] = "a.json";
    if (!pointer.empty()) more["jsonPath"] = pointer;
    return more;
  }
  json::Object items(const json::Value& items, std::string_view pointer = "") {
    return arguments({{"items", items}}, pointer);
  }
  std::string now() { return json::write(json::parse(content("a.json")).value()); }
};

using O = json::Object;
using A = json::Array;

TEST_F(JsonWriteTest, CreatingNeverReplacesWhatIsThere) {
  put("a.json", R"({"a":1})");
  EXPECT_THAT(refused("json_create", items(O{{"b", 2}, {"a", 3}})),
              Says(Code::kKeyExists, "the key 'a' exists already"));
  const auto done = call("json_create", items(O{{"b", 2}, {"c", 3}}));
  EXPECT_EQ(json::write(done.at("created")), R"(["b","c"])");
  EXPECT_EQ(done.at("total"), 3);
  EXPECT_EQ(now(), R"({"a":1,"b":2,"c":3})");
}

TEST_F(JsonWriteTest, AValueThatOthersChangedSinceItWasReadStays) {
  put("a.json", R"({"a":1,"b":1,"c":{"x":1,"y":1},"l":[1,2]})");
  const auto ann = delegate({{"name", "ann"}, {"canUpload", true}});
  call(ann, "json_get_all", arguments({}));
  call("json_update", items(O{{"a", 2}}));
  call(ann, "json_update", items(O{{"b", 2}}));
  for (const bool dry_run : {true, false}) {
    auto wanted = items(O{{"a", 3}});
    wanted["dryRun"] = dry_run;
    EXPECT_THAT(refused(ann, "json_update", wanted), Says(Code::kConflict, "'/a' of 'a.json'"));
  }
  EXPECT_EQ(refused(ann, "json_delete", arguments({{"keys", A{"a"}}})).code, Code::kConflict);
  // Of a document that is read in parts it has seen what it was shown.
  call(ann, "json_query", arguments({{"expression", "length(@)"}}));
  EXPECT_EQ(refused(ann, "json_update", items(O{{"a", 3}})).code, Code::kConflict);
  call(ann, "json_query", arguments({{"expression", "a"}}));
  call(ann, "json_update", items(O{{"a", 3}}));
  call(ann, "json_update", items(O{{"a", 4}}));
  // Merging touches the members that it names.
  call("json_update", items(O{{"x", 20}}, "/c"));
  auto merge = items(O{{"c", O{{"y", 2}}}});
  merge["merge"] = true;
  call(ann, "json_update", merge);
  merge["items"] = O{{"c", O{{"x", nullptr}}}};
  EXPECT_THAT(refused(ann, "json_update", merge), Says(Code::kConflict, "'/c/x'"));
  // Whoever has read nothing is held against nothing.
  call(delegate({{"canUpload", true}}), "json_update", items(O{{"a", 5}}));
  EXPECT_EQ(now(), R"({"a":5,"b":2,"c":{"x":20,"y":2},"l":[1,2]})");
}

TEST_F(JsonWriteTest, ADryRunAnswersAndFailsAsTheChangeDoesAndMakesNone) {
  put("a.json", R"({"a":1,"b":{"c":2}})");
  const auto before = root();
  struct Case {
    std::string_view tool;
    json::Object arguments;
    std::string_view answer;
    std::string_view refused;
  };
  const Case cases[] = {
      {"json_create", items(O{{"x", 2}}), "created", ""},
      {"json_update", items(O{{"a", 2}}), "updated", ""},
      {"json_delete", arguments({{"keys", A{"a"}}}), "deleted", ""},
      {"json_move", arguments({{"from", "/a"}, {"to", "/b/a"}}), "to", ""},
      {"json_copy", arguments({{"from", "/a"}, {"to", "/z"}}), "to", ""},
      {"json_create", items(O{{"a", 2}}), "", "KEY_EXISTS"},
      {"json_delete", arguments({{"keys", A{"z"}}}), "", "KEY_NOT_FOUND"},
  };
  for (const auto& c : cases) {
    auto dry = c.arguments;
    dry["dryRun"] = true;
    if (!c.refused.empty()) {
      EXPECT_EQ(refused(c.tool, dry).name(), c.refused);
      continue;
    }
    const auto would = call(c.tool, dry);
    EXPECT_TRUE(would.contains(c.answer)) << c.tool;
    EXPECT_TRUE(tools_testing::is_true(would, "dryRun"));
    EXPECT_EQ(tools_testing::text(would, "root"), before);
    EXPECT_EQ(root(), before) << c.tool;
  }
  EXPECT_EQ(
      refused(delegate({}), "json_delete", arguments({{"keys", A{"a"}}, {"dryRun", true}})).code,
      Code::kUploadNotAllowed);
}

TEST_F(JsonWriteTest, WhatAnItemDoesNotKnowIsRefused) {
  put("a.json", "[1,2]");
  EXPECT_EQ(refused("json_update", items(A{O{{"index", 0}, {"value", 5}, {"merge", true}}})).code,
            Code::kWrongJsonType);
}

TEST_F(JsonWriteTest, ElementsGoToTheEndOfAListOrBeforeAnIndex) {
  put("a.json", "[1]");
  call("json_create", items(A{2}));
  auto first = items(A{0});
  first["index"] = 0;
  call("json_create", first);
  EXPECT_EQ(now(), "[0,1,2]");
  first["index"] = 9;
  EXPECT_THAT(refused("json_create", first).message, testing::HasSubstr("9"));
}

TEST_F(JsonWriteTest, UpdatingMakesNothingNew) {
  put("a.json", R"({"a":1,"b":{"x":1,"y":2}})");
  EXPECT_THAT(refused("json_update", items(O{{"a", 5}, {"c", 6}})),
              Says(Code::kKeyNotFound, "'c'"));
  auto merge = items(O{{"b", O{{"x", nullptr}, {"z", 3}}}});
  merge["merge"] = true;
  call("json_update", merge);
  EXPECT_EQ(now(), R"({"a":1,"b":{"y":2,"z":3}})");
  call("json_update", items(O{{"b", O{{"w", 1}}}}));
  EXPECT_EQ(now(), R"({"a":1,"b":{"w":1}})");
}

TEST_F(JsonWriteTest, ElementsOfAListAreUpdatedByIndexAllOrNone) {
  put("a.json", "[1,2,3]");
  const auto at = [](int index, int value) { return O{{"index", index}, {"value", value}}; };
  EXPECT_EQ(refused("json_update", items(A{at(0, 9), at(7, 9)})).code, Code::kKeyNotFound);
  call("json_update", items(A{at(0, 9), at(2, 8)}));
  EXPECT_EQ(now(), "[9,2,8]");
}

TEST_F(JsonWriteTest, DeletingNamesWhatWasThereBeforeTheCall) {
  put("a.json", "[0,1,2,3,4]");
  call("json_delete", arguments({{"keys", A{0, 2, -1}}}));
  EXPECT_EQ(now(), "[1,3]");
  EXPECT_EQ(refused("json_delete", arguments({{"keys", A{0, 5}}})).code, Code::kKeyNotFound);
  put("a.json", R"({"name":1,"b":2})");
  EXPECT_THAT(refused("json_delete", arguments({{"keys", A{"b", "nmae"}}})),
              Says(Code::kKeyNotFound, "name"));
  call("json_delete", arguments({{"keys", A{"b"}}}));
  EXPECT_EQ(now(), R"({"name":1})");
}

TEST_F(JsonWriteTest, ItemsOfTheWrongKindAreRefused) {
  put("a.json", R"({"list":[1],"n":5})");
  EXPECT_EQ(refused("json_create", items(A{1})).code, Code::kWrongJsonType);
  EXPECT_EQ(refused("json_create", items(O{{"k", 1}}, "/list")).code, Code::kWrongJsonType);
  EXPECT_EQ(refused("json_update", items(O{{"k", 1}}, "/n")).code, Code::kWrongJsonType);
  EXPECT_THAT(refused("json_create", items("text")), Says(Code::kInvalidArgument, "items"));
}

TEST_F(JsonWriteTest, AFileThatIsNoJsonIsLeftAsItIs) {
  put("a.json", "{oops");
  EXPECT_EQ(refused("json_create", items(O{{"a", 1}})).code, Code::kInvalidJson);
  EXPECT_EQ(content("a.json"), "{oops");
}

TEST_F(JsonWriteTest, MovingAndCopyingNeverReplaceWhatIsThere) {
  put("a.json", R"({"a":{"x":1},"b":2,"list":[0]})");
  for (const auto* how : {"json_move", "json_copy"}) {
    const auto refuses = [&](std::string_view from, std::string_view to) {
      return refused(how, arguments({{"from", from}, {"to", to}})).code;
    };
    EXPECT_EQ(refuses("/a", "/b"), Code::kKeyExists) << how;
    EXPECT_EQ(refuses("/a", "/a/in"), Code::kMoveIntoSelf) << how;
    EXPECT_EQ(refuses("/c", "/d"), Code::kJsonPathNotFound) << how;
    EXPECT_EQ(refuses("/a", "/list/7"), Code::kKeyNotFound) << how;
  }
  call("json_move", arguments({{"from", "/b"}, {"to", "/list/-"}}));
  call("json_copy", arguments({{"from", "/a"}, {"to", "/c"}}));
  EXPECT_EQ(now(), R"({"a":{"x":1},"list":[0,2],"c":{"x":1}})");
}

}  // namespace
}  // namespace cairn
