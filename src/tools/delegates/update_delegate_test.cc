// A delegate that is given more or less: at once, and never more than its parent has.
#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

class UpdateDelegateTest : public tools_testing::ToolTest {
 protected:
  json::Object update(const Caller& who, json::Object change) {
    change["delegateId"] = id_of(who);
    return call("update_delegate", change);
  }
  Error refused_update(const Caller& by, const Caller& who, json::Object change) {
    change["delegateId"] = id_of(who);
    return refused(by, "update_delegate", change);
  }
  std::vector<std::string> sees(const Caller& who) {
    return tools_testing::column(call(who, "fs_ls", {{"nodeKey", depot_}}), "children", "name");
  }
};

TEST_F(UpdateDelegateTest, WhatIsLeftOutStaysAsItIs) {
  const auto one = delegate({{"name", "one"}, {"canUpload", true}, {"scope", json::Array{depot_}}});
  const auto changed = update(one, {{"name", "two"}});
  EXPECT_EQ(text(changed, "name"), "two");
  EXPECT_TRUE(is_true(changed, "canUpload"));
  EXPECT_EQ(changed.at("scope"), json::Value(json::Array{depot_}));
  auto before = call("get_delegate", {{"delegateId", id_of(one)}});
  EXPECT_EQ(before, changed);
}

TEST_F(UpdateDelegateTest, RightsAreThoseOfTheNextCallWithTheSameToken) {
  put_all({{"docs/a", "1"}, {"src/b", "2"}});
  const auto one = delegate({{"canUpload", true}});
  EXPECT_THAT(sees(one), ElementsAre("docs", "src"));
  update(one, {{"canUpload", false}, {"scope", json::Array{depot_ + "/docs"}}});
  EXPECT_THAT(sees(one), ElementsAre("a"));
  EXPECT_EQ(refused(one, "fs_rm", {{"nodeKey", depot_}, {"path", "a"}}).code,
            Code::kUploadNotAllowed);
  update(one, {{"canUpload", true}, {"scope", nullptr}});
  EXPECT_THAT(sees(one), ElementsAre("docs", "src"));
  call(one, "fs_write", {{"nodeKey", depot_}, {"path", "c"}, {"content", "3"}});
}

TEST_F(UpdateDelegateTest, NobodyGetsMoreThanTheirParentWhoeverAsks) {
  put_all({{"docs/in/a", "1"}, {"src/b", "2"}});
  const auto parent = delegate({{"scope", json::Array{depot_ + "/docs"}}, {"expiresIn", 100}});
  const auto child = delegate(parent, {});
  for (const Caller& by : {owner_, parent}) {
    EXPECT_THAT(refused_update(by, child, {{"canUpload", true}}),
                Says(Code::kPermissionExceeded, "canUpload"));
    EXPECT_THAT(refused_update(by, child, {{"canManageDepot", true}}),
                Says(Code::kPermissionExceeded, "canManageDepot"));
    EXPECT_EQ(refused_update(by, child, {{"scope", json::Array{depot_ + "/src"}}}).code,
              Code::kInvalidScope);
    EXPECT_EQ(refused_update(by, child, {{"expiresIn", 101}}).code, Code::kPermissionExceeded);
  }
  // What is named is of what the parent sees, though the owner sees more.
  update(child, {{"scope", json::Array{depot_ + "/in"}}});
  EXPECT_THAT(sees(child), ElementsAre("a"));
  update(child, {{"scope", json::Array{"."}}});
  EXPECT_THAT(sees(child), ElementsAre("in"));
  update(child, {{"expiresIn", 50}});
  EXPECT_EQ(update(child, {{"expiresIn", nullptr}}).at("expiresAt"), clock_.now() + 100'000);
}

TEST_F(UpdateDelegateTest, NobodyChangesThemselvesOrOneBesideThem) {
  const auto one = delegate({});
  const auto two = delegate({});
  EXPECT_EQ(refused_update(one, one, {{"name", "x"}}).code, Code::kForbidden);
  EXPECT_THAT(refused_update(one, two, {{"name", "x"}}), Says(Code::kDelegateNotFound, id_of(two)));
  EXPECT_EQ(refused_update(one, owner_, {{"name", "x"}}).code, Code::kDelegateNotFound);
  EXPECT_EQ(refused_update(owner_, owner_, {{"name", "x"}}).code, Code::kForbidden);
  EXPECT_EQ(refused_update(another_user("carol"), one, {{"name", "x"}}).code,
            Code::kDelegateNotFound);
  call("revoke_delegate", {{"delegateId", id_of(two)}});
  EXPECT_EQ(refused_update(owner_, two, {{"name", "x"}}).code, Code::kDelegateRevoked);
}

TEST_F(UpdateDelegateTest, WhatIsWrongIsNamedAndChangesNothing) {
  const auto one = delegate({{"name", "one"}});
  EXPECT_THAT(refused_update(owner_, one, {}), Says(Code::kInvalidArgument, "nothing is to be"));
  EXPECT_THAT(refused_update(owner_, one, {{"nmae", "x"}}), Says(Code::kInvalidArgument, "nmae"));
  EXPECT_THAT(refused_update(owner_, one, {{"expiresIn", 0}}),
              Says(Code::kInvalidArgument, "expiresIn"));
  EXPECT_THAT(refused_update(owner_, one, {{"scope", json::Array()}}),
              Says(Code::kInvalidScope, "leave it out"));
  EXPECT_EQ(refused_update(owner_, one, {{"name", "x\ny"}}).code, Code::kInvalidArgument);
  const std::string nowhere = "dpt_00000000000000000000000000";
  EXPECT_THAT(
      refused_update(owner_, one, {{"name", "two"}, {"delegatedDepots", json::Array{nowhere}}}),
      Says(Code::kDepotNotFound, nowhere));
  EXPECT_THAT(refused("update_delegate", {{"delegateId", "carol"}, {"name", "x"}}).message,
              HasSubstr("carol"));
  EXPECT_EQ(text(call("get_delegate", {{"delegateId", id_of(one)}}), "name"), "one");
}

TEST_F(UpdateDelegateTest, DepotsAreTakenAwayAndGivenBack) {
  const auto other = text(call("create_depot", {{"title", "other"}}), "depotId");
  const auto one = delegate({});
  const auto listed = [&] {
    return tools_testing::column(call(one, "list_depots", {}), "depots", "title");
  };
  update(one, {{"delegatedDepots", json::Array{other}}});
  EXPECT_THAT(listed(), ElementsAre("other"));
  update(one, {{"delegatedDepots", json::Array()}});
  EXPECT_TRUE(listed().empty());
  update(one, {{"delegatedDepots", nullptr}});
  EXPECT_THAT(listed(), testing::UnorderedElementsAre("d", "other"));
}

TEST_F(UpdateDelegateTest, RowsThatAreBeingSentEndWhenTheRightsAreOthers) {
  std::vector<std::pair<std::string, std::string>> files;
  for (int i = 0; i < 3000; ++i) files.emplace_back(fmt::format("docs/{:04}", i), "x");
  put_all(files);
  const auto one =
      executor()
          .authenticate(text(call("create_delegate", {}), "accessToken"), "me", Entrance::kRest)
          .value();
  auto rows = executor()
                  .stream(one, tool("fs_find"), json::Object{{"nodeKey", depot_}, {"pattern", "*"}})
                  .value();
  ASSERT_TRUE(rows->next());
  update(one, {{"scope", json::Array{depot_ + "/docs"}}});
  auto next = rows->next();
  ASSERT_FALSE(next);
  EXPECT_THAT(next.error(), Says(Code::kForbidden, "rights were changed"));
}

TEST_F(UpdateDelegateTest, TheLogSaysWhoWasChangedAndHow) {
  const auto one = delegate({});
  update(one, {{"scope", json::Array{depot_}}});
  const auto log = json::write(call("get_audit", {}));
  EXPECT_THAT(log, HasSubstr("\"update_delegate\""));
  EXPECT_THAT(log, HasSubstr(id_of(one) + " " + depot_));
}

}  // namespace
}  // namespace cairn
