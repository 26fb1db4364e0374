#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

class DepotTagTest : public tools_testing::ToolTest {
 protected:
  json::Object arguments(json::Object more) {
    more["depotId"] = depot_;
    return more;
  }
  std::string at(std::string_view version) { return fmt::format("{}@{}", depot_, version); }
};

TEST_F(DepotTagTest, ANamedVersionIsReadByItsName) {
  put("a", "1");
  const auto set = call("depot_tag", arguments({{"name", "v1"}}));
  EXPECT_EQ(text(set, "root"), root());
  put("a", "2");
  EXPECT_EQ(content_at(at("v1"), "a"), "1");
  const auto depot = call("get_depot", {{"depotId", depot_}});
  EXPECT_EQ(json::write(depot.at("tags")), R"([{"name":"v1","change":1}])");
  const auto page = call("depot_history", {{"depotId", depot_}});
  EXPECT_EQ(json::write(page.at("entries").at(1).at("tags")), R"(["v1"])");
  call("depot_tag", arguments({{"name", "v1"}, {"version", "~0"}}));
  EXPECT_EQ(content_at(at("v1"), "a"), "2");
  EXPECT_TRUE(is_true(call("depot_tag", arguments({{"name", "v1"}, {"remove", true}})), "removed"));
  EXPECT_THAT(refused("fs_read", {{"nodeKey", at("v1")}, {"path", "a"}}),
              Says(Code::kHistoryNotFound, "'v1'"));
}

TEST_F(DepotTagTest, NeedsTheWholeDepotAndTheRightToWrite) {
  put("docs/a", "1");
  EXPECT_EQ(refused(writer_in("docs"), "depot_tag", arguments({{"name", "v1"}})).code,
            Code::kForbidden);
  EXPECT_EQ(refused(delegate({}), "depot_tag", arguments({{"name", "v1"}})).code,
            Code::kUploadNotAllowed);
  EXPECT_THAT(refused("depot_tag", arguments({{"name", "2h"}})),
              Says(Code::kInvalidArgument, "'2h'"));
  EXPECT_THAT(refused("depot_tag", arguments({{"name", "v1"}, {"version", "~9"}})),
              Says(Code::kHistoryNotFound, "~9"));
}

TEST_F(DepotTagTest, VersionsAreReadEverywhereAndWrittenNowhere) {
  put("a", "1");
  clock_.advance(std::chrono::hours(3));
  put("a", "2");
  put("b.json", R"({"n":1})");
  for (const char* version : {"~2", "#1", "1", "2h"}) {
    EXPECT_EQ(content_at(at(version), "a"), "1") << version;
  }
  EXPECT_FALSE(exists(at("~1"), "b.json"));
  EXPECT_EQ(call("json_get_all", {{"depotId", at("~0")}, {"path", "b.json"}}).empty(), false);
  const auto compared = call("fs_diff", {{"from", at("#1")}, {"to", depot_}});
  EXPECT_EQ(compared.at("changes").get_array().size(), 2U);
  const json::Object write{{"nodeKey", at("~1")}, {"path", "a"}, {"content", "3"}};
  EXPECT_THAT(refused("fs_write", write), Says(Code::kInvalidArgument, "does not change"));
  EXPECT_THAT(refused("fs_rm", {{"nodeKey", at("~1")}, {"path", "a"}}),
              Says(Code::kInvalidArgument, "does not change"));
  EXPECT_THAT(refused("depot_commit", {{"depotId", at("~1")}, {"root", root()}}),
              Says(Code::kInvalidArgument, "does not change"));
  EXPECT_THAT(
      refused("json_update",
              {{"depotId", at("~0")}, {"path", "b.json"}, {"items", json::Object{{"n", 2}}}}),
      Says(Code::kInvalidArgument, "does not change"));
  EXPECT_THAT(refused("fs_read", {{"nodeKey", at("?")}, {"path", "a"}}),
              Says(Code::kInvalidArgument, "~1"));
}

TEST_F(DepotTagTest, AVersionIsSeenFromTheCallersPlace) {
  put("src/b", "1");
  put("docs/a", "1");
  put("src/b", "2");
  put("docs/a", "2");
  const auto reader = writer_in("docs");
  const auto read = [&](std::string_view version) {
    return text(call(reader, "fs_read", {{"nodeKey", at(version)}, {"path", "a"}}), "content");
  };
  EXPECT_EQ(read("~1"), "1");
  EXPECT_EQ(read("#3"), "1");
  EXPECT_EQ(refused(reader, "fs_read", {{"nodeKey", at("#1")}, {"path", "b"}}).code,
            Code::kHistoryNotFound);
  const auto stranger = delegate({{"delegatedDepots", json::Array()}});
  for (const char* version : {"~1", "?"}) {
    EXPECT_EQ(refused(stranger, "fs_read", {{"nodeKey", at(version)}, {"path", "a"}}).code,
              Code::kDepotNotFound)
        << version;
  }
}

}  // namespace
}  // namespace cairn
