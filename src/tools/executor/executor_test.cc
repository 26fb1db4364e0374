// The executor in memory: who is let in, what is checked once, what the audit log says.
#include "tools/executor/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/executor/engine.h"
#include "tools/executor/table_toolbox.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using testing::Not;

class ExecutorTest : public testing::Test {
 protected:
  ExecutorTest() {
    engine_ = std::move(*Engine::in_memory(clock_, random_, meter_));
    owner_.emplace(*executor().trusted(engine_->owner(), Entrance::kMcp));
    depot_ = json::text(must(*owner_, "create_depot", {{"title", "d"}})["depotId"]);
  }

  Executor& executor() { return engine_->executor(); }
  json::Object must(const Caller& caller, std::string_view tool, const json::Object& arguments) {
    auto reply = executor().run(caller, tool, json::Value(arguments));
    EXPECT_TRUE(reply) << tool << ": " << (reply ? "" : reply.error().render());
    return reply ? reply->value.as_object() : json::Object();
  }
  Caller with(const std::string& token) {
    return executor().authenticate(token, "me", Entrance::kMcp).value();
  }
  json::Object make_delegate(json::Object wanted) {
    return must(*owner_, "create_delegate", std::move(wanted));
  }

  ManualClock clock_;
  SeededRandom random_{1};
  NoMeter meter_;
  std::unique_ptr<Engine> engine_;
  std::optional<Caller> owner_;
  std::string depot_;
};

TEST_F(ExecutorTest, ACallerIsValidUntilItsDelegateIsRevoked) {
  const auto made = make_delegate({{"name", "a"}});
  const auto caller = with(std::string(json::text(made.at("accessToken"))));
  EXPECT_TRUE(executor().still_valid(caller));
  // A change of somebody else changes nothing for it.
  make_delegate({{"name", "b"}});
  EXPECT_TRUE(executor().still_valid(caller));
  must(*owner_, "revoke_delegate", {{"delegateId", made.at("delegate").at("delegateId")}});
  EXPECT_FALSE(executor().still_valid(caller));
  auto refused = executor().run(caller, "list_depots", json::Object());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kDelegateRevoked);
}

TEST_F(ExecutorTest, ACallerIsValidUntilItsTokenExpires) {
  const auto made = make_delegate({{"name", "a"}});
  const auto caller = with(std::string(json::text(made.at("accessToken"))));
  clock_.advance(std::chrono::hours(2));
  EXPECT_FALSE(executor().still_valid(caller));
}

TEST_F(ExecutorTest, ASuspendedUserIsNotLetInOnAnyWay) {
  const auto user = must(*owner_, "add_user", {{"name", "carol"}, {"role", "authorized"}});
  const auto realm = RealmId::parse(json::text(user.at("userId"))).value();
  const auto caller = executor().trusted(realm, Entrance::kMcp).value();
  const TableToolbox box(executor(), caller, Selection::parse({}, executor().table()).value());
  EXPECT_TRUE(box.still_valid());
  must(*owner_, "update_user", {{"userId", user.at("userId")}, {"role", "unauthorized"}});
  EXPECT_FALSE(box.still_valid());
  auto refused = box.run(*box.find("list_depots").value(), {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kForbidden);
}

TEST_F(ExecutorTest, WhatACallerMayNotUseIsNotOfferedAndNotRun) {
  const auto made = make_delegate({{"name", "reader"}});
  const auto caller = with(std::string(json::text(made.at("accessToken"))));
  const TableToolbox box(executor(), caller, Selection::parse({}, executor().table()).value());
  for (const auto* tool : box.offered()) EXPECT_NE(tool->right, Right::kUpload) << tool->name;
  auto refused = box.run(*box.find("fs_mkdir").value(), {{"nodeKey", depot_}, {"path", "x"}}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUploadNotAllowed);
}

TEST_F(ExecutorTest, TheAuditLogShowsWhatACallWasAboutAndNeverItsContent) {
  must(*owner_, "fs_write", {{"nodeKey", depot_}, {"path", "a.txt"}, {"content", "a secret"}});
  const auto log = json::write(must(*owner_, "get_audit", {{"tool", "fs_write"}}));
  EXPECT_THAT(log, HasSubstr(depot_ + " a.txt"));
  EXPECT_THAT(log, Not(HasSubstr("secret")));
}

TEST_F(ExecutorTest, RefusedCallsAreInTheLogToo) {
  EXPECT_FALSE(executor().run(*owner_, "fs_read", json::Object{{"nodeKey", depot_}, {"pth", "x"}}));
  const auto log = json::write(must(*owner_, "get_audit", {{"tool", "fs_read"}}));
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

}  // namespace
}  // namespace cairn
