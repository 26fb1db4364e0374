// The executor in memory: who is let in, what is checked once, what the audit log says.
#include "tools/executor/executor.h"

#include "tools/executor/table_toolbox.h"
#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using testing::Not;

class ExecutorTest : public tools_testing::ToolTest {};

TEST_F(ExecutorTest, ACallerIsValidUntilItsDelegateIsRevoked) {
  const auto caller = delegate({{"name", "a"}});
  EXPECT_TRUE(executor().still_valid(caller));
  // A change of somebody else changes nothing for it.
  delegate({{"name", "b"}});
  EXPECT_TRUE(executor().still_valid(caller));
  call("revoke_delegate", {{"delegateId", id_of(caller)}});
  EXPECT_FALSE(executor().still_valid(caller));
  EXPECT_EQ(refused(caller, "list_depots", {}).code, Code::kDelegateRevoked);
}

TEST_F(ExecutorTest, ACallerIsValidUntilItsTokenExpires) {
  const auto caller = delegate({{"name", "a"}});
  clock_.advance(std::chrono::hours(2));
  EXPECT_FALSE(executor().still_valid(caller));
}

TEST_F(ExecutorTest, ASuspendedUserIsNotLetInOnAnyWay) {
  const auto user = call("add_user", {{"name", "carol"}, {"role", "authorized"}});
  const auto realm = RealmId::parse(json::text(user.at("userId"))).value();
  const auto caller = executor().trusted(realm, Entrance::kMcp).value();
  const TableToolbox box(executor(), caller, Selection::parse({}, executor().table()).value());
  EXPECT_TRUE(box.still_valid());
  call("update_user", {{"userId", user.at("userId")}, {"role", "unauthorized"}});
  EXPECT_FALSE(box.still_valid());
  auto refused = box.run(*box.find("list_depots").value(), {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kForbidden);
}

TEST_F(ExecutorTest, WhatACallerMayNotUseIsNotOfferedAndNotRun) {
  const auto caller = delegate({{"name", "reader"}});
  const TableToolbox box(executor(), caller, Selection::parse({}, executor().table()).value());
  for (const auto* tool : box.offered()) EXPECT_NE(tool->right, Right::kUpload) << tool->name;
  auto refused = box.run(*box.find("fs_mkdir").value(), {{"nodeKey", depot_}, {"path", "x"}}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUploadNotAllowed);
}

TEST_F(ExecutorTest, TheAuditLogShowsWhatACallWasAboutAndNeverItsContent) {
  call("fs_write", {{"nodeKey", depot_}, {"path", "a.txt"}, {"content", "a secret"}});
  const auto log = json::write(call("get_audit", {{"tool", "fs_write"}}));
  EXPECT_THAT(log, HasSubstr(depot_ + " a.txt"));
  EXPECT_THAT(log, Not(HasSubstr("secret")));
}

TEST_F(ExecutorTest, RefusedCallsAreInTheLogToo) {
  refused("fs_read", {{"nodeKey", depot_}, {"pth", "x"}});
  const auto log = json::write(call("get_audit", {{"tool", "fs_read"}}));
  EXPECT_THAT(log, HasSubstr("INVALID_ARGUMENT"));
}

// Everything that the surfaces go by stands in the tool itself.
TEST_F(ExecutorTest, EveryToolSaysWhatItTakesAndGives) {
  for (const auto& tool : executor().table().tools()) {
    SCOPED_TRACE(tool.name);
    EXPECT_EQ(tool.body == Body::kStream, static_cast<bool>(tool.take));
    EXPECT_EQ(tool.body != Body::kStream, static_cast<bool>(tool.run));
    EXPECT_LE(tool.max_body, kMaxBodyBytes);
    const auto& properties = tool.input.at("properties").get_object();
    for (const auto& name : tool.audited) EXPECT_TRUE(properties.contains(name)) << name;
    for (const std::string_view content : {"content", "items", "edits", "password", "config"}) {
      EXPECT_THAT(tool.audited, Not(testing::Contains(content)));
    }
    // Ids and paths that a caller names are in the log.
    for (const std::string_view id : {"nodeKey", "depotId", "delegateId", "endpointId", "toolId"}) {
      if (!properties.contains(id)) continue;
      EXPECT_THAT(tool.audited, testing::Contains(id));
    }
  }
}

// The places in a schema where an object takes what it does not name.
void open_places(const json::Value& schema, const std::string& place,
                 std::vector<std::string>& out) {
  const auto* object = schema.if_object();
  if (object == nullptr) return;
  const auto* properties = json::find(*object, "properties");
  if (properties != nullptr) {
    const auto* more = json::find(*object, "additionalProperties");
    if (more == nullptr || (more->is_bool() && more->get_bool())) out.push_back(place);
    for (const auto& member : properties->get_object()) {
      open_places(member.value(), place + "/" + std::string(member.key()), out);
    }
  }
  for (const auto* name : {"items", "additionalProperties"}) {
    const auto* below = json::find(*object, name);
    if (below != nullptr) open_places(*below, place + "[]", out);
  }
}

TEST_F(ExecutorTest, AToolThatChangesSomethingTakesNothingItDoesNotKnowAtAnyDepth) {
  std::size_t looked_at = 0;
  for (const auto& tool : executor().table().tools()) {
    if (!tool.changes()) continue;
    ++looked_at;
    std::vector<std::string> open;
    open_places(tool.input, "", open);
    EXPECT_THAT(open, testing::IsEmpty()) << tool.name;
  }
  EXPECT_GT(looked_at, 30U);
}

}  // namespace
}  // namespace cairn
