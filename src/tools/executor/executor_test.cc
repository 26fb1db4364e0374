// The executor in memory: who is let in, what is checked once, what the audit log says.
#include "tools/executor/executor.h"

#include <functional>
#include <stdexcept>

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

// A tool that does what a test wants.
Tool made(std::function<Result<Reply>(Call&, Arguments&)> run) {
  Tool out{.name = "made",
           .title = {},
           .description = {},
           .input = json::Object{{"type", "object"}},
           .output = json::Object{{"type", "object"}}};
  out.audited = {"path"};
  out.run = std::move(run);
  return out;
}

TEST_F(ExecutorTest, ArgumentsAreMovedToTheToolAndStillInTheLog) {
  json::Object given{{"path", "a.txt"}, {"content", std::string(1000, 'x')}};
  const auto* here = json::text(given.at("content")).data();
  const char* there = nullptr;
  json::Object taken;
  const auto tool = made([&](Call&, Arguments& arguments) -> Result<Reply> {
    there = arguments.text("content").data();
    taken = arguments.take();
    EXPECT_TRUE(arguments.object().empty());
    return Reply(json::Object());
  });
  ASSERT_TRUE(executor().run(owner_, tool, json::Value(std::move(given))));
  EXPECT_EQ(there, here);
  EXPECT_EQ(json::text(taken.at("content")).data(), here);
  const auto log = call("get_audit", {{"tool", "made"}});
  EXPECT_EQ(tools_testing::column(log, "entries", "context"), std::vector<std::string>{"a.txt"});
  EXPECT_GE(log.at("entries").at(0).at("bytesIn").to_number<int>(), 1000);
}

TEST_F(ExecutorTest, ADefectOfAToolIsAnAnswerAndInTheLogOnce) {
  const auto tool =
      made([](Call&, Arguments&) -> Result<Reply> { throw std::runtime_error("a defect"); });
  const auto reply = executor().run(owner_, tool, json::Object());
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error(), tools_testing::Says(Code::kInternal, "made failed: a defect"));
  EXPECT_EQ(tools_testing::column(call("get_audit", {{"tool", "made"}}), "entries", "outcome"),
            std::vector<std::string>{"INTERNAL"});
}

TEST_F(ExecutorTest, EveryFormOfAnswerIsInTheLogOnceWithItsFirstOutcome) {
  put("a.txt", "1");
  const auto outcomes = [&](std::string_view name) {
    return tools_testing::column(call("get_audit", {{"tool", name}}), "entries", "outcome");
  };
  const json::Object file{{"nodeKey", depot_}, {"path", "b.txt"}};
  {
    auto dropped = executor().take(owner_, "write_file", file);
    ASSERT_TRUE(dropped);
    ASSERT_TRUE((*dropped)->append("12"));
  }
  {
    auto finished = executor().take(owner_, "write_file", file);
    ASSERT_TRUE(finished);
    ASSERT_TRUE((*finished)->append("12"));
    ASSERT_TRUE((*finished)->finish());
  }
  EXPECT_FALSE(executor().take(owner_, "write_file", json::Object()));
  EXPECT_FALSE(executor().take(owner_, "fs_rm", file));
  EXPECT_THAT(outcomes("write_file"), testing::ElementsAre("INVALID_ARGUMENT", "ok", "ABANDONED"));
  EXPECT_THAT(outcomes("fs_rm"), testing::ElementsAre("BAD_REQUEST"));
  const json::Object tree{{"nodeKey", depot_}, {"pattern", "*"}};
  ASSERT_TRUE(executor().stream(owner_, tool("fs_find"), tree));  // and dropped
  rows(owner_, "fs_find", tree);
  EXPECT_FALSE(executor().stream(owner_, tool("fs_stat"), file));
  EXPECT_THAT(outcomes("fs_find"), testing::ElementsAre("ok", "ABANDONED"));
  EXPECT_THAT(outcomes("fs_stat"), testing::ElementsAre("BAD_REQUEST"));
}

// Whoever is shown a tool may use it, and nobody else may: of tools that need no more than a right.
TEST_F(ExecutorTest, WhatIsOfferedIsWhatIsAllowed) {
  const std::vector<Caller> callers = {
      owner_,
      delegate({}),
      delegate({{"canUpload", true}}),
      delegate({{"canManageDepot", true}}),
      delegate({{"canManageDepot", true}, {"scope", json::Array{depot_}}}),
      another_user("bob")};
  for (const auto& caller : callers) {
    for (const auto& tool : executor().table().tools()) {
      if (!tool.run) continue;
      // Refused by its schema, if the caller gets that far.
      const auto reply = executor().run(caller, tool, json::Array());
      ASSERT_FALSE(reply) << tool.name;
      EXPECT_EQ(reply.error().code == Code::kInvalidArgument, executor().may_use(caller, tool))
          << tool.name << ": " << reply.error().render();
    }
  }
}

}  // namespace
}  // namespace cairn
