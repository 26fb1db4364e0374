#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::Says;
using tools_testing::text;

class DepotRevertTest : public tools_testing::ToolTest {
 protected:
  json::Object arguments(std::string_view root) { return {{"depotId", depot_}, {"root", root}}; }
};

TEST_F(DepotRevertTest, GoingBackIsACommitThatCanBeTakenBack) {
  put("a", "1");
  const auto first = root();
  put("a", "2");
  const auto second = root();
  call("depot_revert", arguments(first));
  EXPECT_EQ(content("a"), "1");
  const auto history = call("depot_history", {{"depotId", depot_}});
  EXPECT_EQ(text(history.at("entries").at(1).as_object(), "root"), second);
  call("depot_revert", arguments(second));
  EXPECT_EQ(content("a"), "2");
}

TEST_F(DepotRevertTest, ADryRunSaysWhetherItWouldChangeAnythingAndDoesNot) {
  put_all({{"a", "1"}, {"b", "1"}});
  const auto first = root();
  put_all({{"a", "2"}});
  const auto now = root();
  for (const json::Object& more : {json::Object(), json::Object{{"path", "a"}}}) {
    auto dry = arguments(first);
    for (const auto& member : more) dry[member.key()] = member.value();
    dry["dryRun"] = true;
    const auto would = call("depot_revert", dry);
    EXPECT_TRUE(tools_testing::is_true(would, "dryRun"));
    EXPECT_TRUE(tools_testing::is_true(would, "changed"));
    EXPECT_EQ(text(would, "root"), now);
    EXPECT_EQ(root(), now);
  }
  auto never = arguments(write("a", "3"));
  never["dryRun"] = true;
  EXPECT_EQ(refused("depot_revert", never).code, Code::kHistoryNotFound);
}

TEST_F(DepotRevertTest, OnlyWhatTheDepotOnceWasComesBack) {
  put("a", "1");
  const auto never_committed = write("a", "2");
  EXPECT_THAT(refused("depot_revert", arguments(never_committed)),
              Says(Code::kHistoryNotFound, "history"));
  EXPECT_EQ(refused("depot_revert", arguments(NodeKey::of("nothing").render())).code,
            Code::kNodeNotFound);
}

TEST_F(DepotRevertTest, ADelegateTakesBackItsPlaceAndNothingElse) {
  put_all({{"docs/a", "1"}, {"src/b", "1"}});
  const auto writer = writer_in("docs");
  const auto before = text(call(writer, "get_depot", {{"depotId", depot_}}), "root");
  put_all({{"docs/a", "2"}, {"src/b", "2"}});
  call(writer, "depot_revert", arguments(before));
  EXPECT_EQ(content("docs/a"), "1");
  EXPECT_EQ(content("src/b"), "2");
  EXPECT_THAT(refused(writer, "depot_revert", arguments(root())),
              Says(Code::kNodeNotAuthorized, root()));
  EXPECT_EQ(refused(delegate({}), "depot_revert", arguments(root())).code, Code::kUploadNotAllowed);
}

TEST_F(DepotRevertTest, AVersionIsNamedAsPeopleSayIt) {
  put("a", "1");
  clock_.advance(std::chrono::hours(3));
  put("a", "2");
  put("a", "3");
  for (const char* version : {"#1", "@#1", "2h"}) {
    call("depot_revert", arguments(version));
    EXPECT_EQ(content("a"), "1") << version;
    call("depot_revert", arguments("~1"));
    EXPECT_EQ(content("a"), "3") << version;
  }
  call("depot_revert", arguments(depot_ + "@~0"));
  EXPECT_THAT(refused("depot_revert", arguments(depot_)), Says(Code::kInvalidArgument, "version"));
  EXPECT_THAT(refused("depot_revert", arguments("v9")), Says(Code::kHistoryNotFound, "'v9'"));
}

TEST_F(DepotRevertTest, OnePathComesBackAndTheRestStays) {
  put_all({{"docs/a", "1"}, {"docs/b", "1"}, {"src", "1"}});
  put_all({{"docs/a", "2"}, {"docs/b", "2"}, {"src", "2"}});
  call("depot_revert", {{"depotId", depot_}, {"root", "~1"}, {"path", "docs/a"}});
  EXPECT_EQ(content("docs/a"), "1");
  EXPECT_EQ(content("docs/b"), "2");
  EXPECT_EQ(content("src"), "2");
  call("depot_revert", {{"depotId", depot_}, {"root", "#1"}, {"path", "docs"}});
  EXPECT_EQ(content("docs/b"), "1");
  EXPECT_EQ(content("src"), "2");
  const auto writer = writer_in("docs");
  call(writer, "depot_revert", {{"depotId", depot_}, {"root", "#2"}, {"path", "b"}});
  EXPECT_EQ(content("docs/b"), "2");
  EXPECT_THAT(refused("depot_revert", {{"depotId", depot_}, {"root", "~1"}, {"path", "nowhere"}}),
              Says(Code::kPathNotFound, "'nowhere'"));
}

}  // namespace
}  // namespace cairn
