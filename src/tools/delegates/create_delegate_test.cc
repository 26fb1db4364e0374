// A delegate never gets more than whoever makes it has.
#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

class CreateDelegateTest : public tools_testing::ToolTest {
 protected:
  json::Object made(const Caller& parent, const json::Object& wanted) {
    return call(parent, "create_delegate", wanted).at("delegate").as_object();
  }
};

TEST_F(CreateDelegateTest, WhatIsNotAskedForIsNotGiven) {
  const auto child = made(owner_, {});
  EXPECT_FALSE(is_true(child, "canUpload"));
  EXPECT_FALSE(is_true(child, "canManageDepot"));
  EXPECT_EQ(text(child, "parentId"), id_of(owner_));
}

TEST_F(CreateDelegateTest, ARightIsGivenOnlyByWhoHasIt) {
  const auto reader = delegate({});
  EXPECT_THAT(refused(reader, "create_delegate", {{"canUpload", true}}),
              Says(Code::kPermissionExceeded, "canUpload"));
  const auto writer = delegate({{"canUpload", true}});
  EXPECT_THAT(refused(writer, "create_delegate", {{"canManageDepot", true}}),
              Says(Code::kPermissionExceeded, "canManageDepot"));
  EXPECT_TRUE(is_true(made(writer, {{"canUpload", true}}), "canUpload"));
}

TEST_F(CreateDelegateTest, ARefusalMakesNobody) {
  const auto reader = delegate({});
  refused(reader, "create_delegate", {{"canUpload", true}});
  EXPECT_TRUE(call(reader, "list_delegates", {}).at("delegates").get_array().empty());
}

TEST_F(CreateDelegateTest, ADepotThatTheParentMayNotUseDoesNotExistForTheChild) {
  const auto other = text(call("create_depot", {{"title", "other"}}), "depotId");
  const auto parent = delegate({{"delegatedDepots", json::Array{depot_}}});
  EXPECT_THAT(refused(parent, "create_delegate", {{"delegatedDepots", json::Array{other}}}),
              Says(Code::kDepotNotFound, other));
  EXPECT_EQ(refused(parent, "create_delegate", {{"scope", json::Array{other}}}).code,
            Code::kDepotNotFound);
  // Nothing said: as the parent.
  const auto child = delegate(parent, {});
  EXPECT_EQ(refused(child, "get_depot", {{"depotId", other}}).code, Code::kDepotNotFound);
  EXPECT_EQ(text(call(child, "get_depot", {{"depotId", depot_}}), "title"), "d");
}

TEST_F(CreateDelegateTest, AScopeIsReadFromWhatTheParentSees) {
  put_all({{"docs/in/a", "1"}, {"src/b", "2"}});
  const auto parent = writer_in("docs");
  EXPECT_THAT(refused(parent, "create_delegate", {{"scope", json::Array{depot_ + "/src"}}}),
              Says(Code::kInvalidScope, "src"));
  EXPECT_THAT(refused(parent, "create_delegate", {{"scope", json::Array{root()}}}),
              Says(Code::kNodeNotAuthorized, root()));
  EXPECT_EQ(refused(parent, "create_delegate", {{"scope", json::Array{"1"}}}).code,
            Code::kInvalidScope);
  for (const auto& scope : {depot_ + "/in", std::string("0:0")}) {
    const auto child = delegate(parent, {{"scope", json::Array{scope}}});
    EXPECT_EQ(text(call(child, "fs_read", {{"nodeKey", depot_}, {"path", "a"}}), "content"), "1");
  }
}

TEST_F(CreateDelegateTest, AChildWithoutAScopeHasItsParents) {
  put_all({{"docs/a", "1"}, {"src/b", "2"}});
  const auto parent = writer_in("docs");
  for (const json::Object& wanted : {json::Object(), json::Object{{"scope", json::Array{"."}}}}) {
    const auto child = delegate(parent, wanted);
    EXPECT_EQ(text(call(child, "fs_read", {{"nodeKey", depot_}, {"path", "a"}}), "content"), "1");
    EXPECT_EQ(refused(child, "fs_read", {{"nodeKey", depot_}, {"path", "src/b"}}).code,
              Code::kPathNotFound);
  }
}

TEST_F(CreateDelegateTest, AFrozenScopeStaysAsItWasMade) {
  put("a", "then");
  const auto child = delegate({{"canUpload", true}, {"scope", json::Array{root()}}});
  const auto then = root();
  put("a", "now");
  EXPECT_EQ(text(call(child, "fs_read", {{"nodeKey", then}, {"path", "a"}}), "content"), "then");
  EXPECT_EQ(refused(child, "fs_read", {{"nodeKey", depot_}, {"path", "a"}}).code,
            Code::kDepotNotFound);
}

TEST_F(CreateDelegateTest, NobodyOutlivesWhoMadeThem) {
  const auto parent = delegate({{"expiresIn", 100}});
  EXPECT_THAT(refused(parent, "create_delegate", {{"expiresIn", 101}}),
              Says(Code::kPermissionExceeded, "101 seconds, but you expire in 100"));
  const auto child = made(parent, {});
  EXPECT_EQ(child.at("expiresAt"), clock_.now() + 100'000);
  EXPECT_EQ(made(parent, {{"expiresIn", 50}}).at("expiresAt"), clock_.now() + 50'000);
}

TEST_F(CreateDelegateTest, ALifetimeThatIsNoneIsRefused) {
  for (const std::int64_t seconds : {std::int64_t{0}, std::int64_t{-1}, INT64_MAX}) {
    EXPECT_THAT(refused("create_delegate", {{"expiresIn", seconds}}),
                Says(Code::kInvalidArgument, "expiresIn"));
  }
}

TEST_F(CreateDelegateTest, AnEmptyScopeIsNoWayToSeeEverything) {
  EXPECT_THAT(refused("create_delegate", {{"scope", json::Array()}}),
              Says(Code::kInvalidScope, "leave it out"));
  const auto none = delegate({{"delegatedDepots", json::Array()}});
  EXPECT_TRUE(call(none, "list_depots", {}).at("depots").get_array().empty());
}

TEST_F(CreateDelegateTest, AnswersShowATokenOnceAndTheLogNever) {
  const auto issued = call("create_delegate", {{"name", "x"}});
  const auto token = text(issued, "accessToken");
  const auto id = text(issued.at("delegate").as_object(), "delegateId");
  const auto seen = json::write(call("get_delegate", {{"delegateId", id}})) +
                    json::write(call("list_delegates", {})) + json::write(call("get_audit", {}));
  EXPECT_THAT(seen, testing::Not(HasSubstr(token)));
}

}  // namespace
}  // namespace cairn
