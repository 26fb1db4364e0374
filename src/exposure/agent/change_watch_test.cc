#include "exposure/agent/change_watch.h"

#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exposure/agent/agent_world.h"

namespace cairn::agent {
namespace {

using agent_testing::need;
using agent_testing::text_of;
using agent_testing::uri_of;
using agent_testing::World;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

class Recorder final : public mcp::Changes {
 public:
  void changed(std::string topic) override {
    if (on_change) on_change();
    topics_.lock()->push_back(std::move(topic));
  }
  std::vector<std::string> take() { return std::exchange(*topics_.lock(), {}); }

  std::function<void()> on_change;

 private:
  Guarded<std::vector<std::string>> topics_;
};

struct WatchTest : testing::Test {
  World world;
  std::string depot = world.depot("project", {{"docs/a.md", "a"}, {"src/b.ts", "b"}});
  std::string uri = uri_of(depot);
  Recorder heard;
  std::string realm = world.engine().owner().render();
  std::string depot_topic = "depot:" + realm + ":" + depot;
  std::string depots_topic = "depots:" + realm;

  WatchTest() { world.service().announce_to(&heard); }
  ~WatchTest() override { world.service().announce_to(nullptr); }

  mcp::Watched watch(const mcp::Subject& subject, const mcp::PrincipalPtr& who = nullptr) {
    return need(world.service().watch(who ? *who : *world.owner, subject));
  }
  int refusal(const std::string& which, const mcp::PrincipalPtr& who = nullptr) {
    const auto refused = world.service().watch(who ? *who : *world.owner, which);
    return refused ? 0 : refused.error().code;
  }
  // A tool for programs, which MCP does not offer.
  json::Object run(std::string_view tool, const json::Object& arguments) {
    const auto owner = need(world.executor().trusted(world.engine().owner(), Entrance::kRest));
    return need(world.executor().run(owner, tool, arguments)).value.get_object();
  }
};

TEST_F(WatchTest, ACommitFromAnySurfaceIsAnnouncedAndChangesTheStamp) {
  const auto before = watch(uri);
  EXPECT_EQ(before.topic, depot_topic);
  world.commit(depot, {{"docs/a.md", "a2"}});
  EXPECT_THAT(heard.take(), Contains(depot_topic));
  const auto after = watch(uri);
  EXPECT_EQ(after.topic, before.topic);
  EXPECT_NE(after.stamp, before.stamp);

  auto written = run("fs_write", {{"nodeKey", depot}, {"path", "x"}, {"content", "x"}});
  EXPECT_THAT(heard.take(), IsEmpty());  // nothing is committed yet
  run("depot_commit", {{"depotId", depot}, {"root", written.at("newRoot")}});
  EXPECT_THAT(heard.take(), Contains(depot_topic));
  EXPECT_NE(watch(uri).stamp, after.stamp);
}

TEST_F(WatchTest, ARenamedDepotHasAnotherStampAndAnotherList) {
  const auto depot_before = watch(uri);
  const auto list_before = watch(mcp::ListKind::kResources);
  EXPECT_EQ(list_before.topic, depots_topic);
  run("update_depot", {{"depotId", depot}, {"title", "renamed"}});
  EXPECT_THAT(heard.take(), ElementsAre(depot_topic, depots_topic));
  EXPECT_NE(watch(uri).stamp, depot_before.stamp);
  EXPECT_NE(watch(mcp::ListKind::kResources).stamp, list_before.stamp);
}

TEST_F(WatchTest, ACommitIsNoChangeOfTheList) {
  const auto before = watch(mcp::ListKind::kResources);
  world.commit(depot, {{"a", "1"}});
  heard.take();
  world.commit(depot, {{"a", "2"}});
  EXPECT_THAT(heard.take(), ElementsAre(depot_topic));
  EXPECT_EQ(watch(mcp::ListKind::kResources).stamp, before.stamp);
}

TEST_F(WatchTest, TheListChangesWhenDepotsComeAndGo) {
  const auto before = watch(mcp::ListKind::kResources);
  const auto other = world.depot("other", {});
  EXPECT_THAT(heard.take(), Contains(depots_topic));
  EXPECT_NE(watch(mcp::ListKind::kResources).stamp, before.stamp);
  run("delete_depot", {{"depotId", other}});
  EXPECT_THAT(heard.take(), Contains(depots_topic));
  EXPECT_EQ(watch(mcp::ListKind::kResources).stamp, before.stamp);
  EXPECT_EQ(refusal(uri_of(other)), mcp::rpc_code::kResourceNotFound);
}

TEST_F(WatchTest, APathHasAnotherStampOnlyWhenWhatStandsThereChanges) {
  const auto file = watch(uri + "/docs/a.md");
  const auto directory = watch(uri + "/docs");
  EXPECT_EQ(file.topic, depot_topic);
  world.commit(depot, {{"src/b.ts", "b2"}});
  EXPECT_EQ(watch(uri + "/docs/a.md").stamp, file.stamp);
  EXPECT_EQ(watch(uri + "/docs").stamp, directory.stamp);
  world.commit(depot, {{"docs/c.md", "c"}});
  EXPECT_EQ(watch(uri + "/docs/a.md").stamp, file.stamp);
  EXPECT_NE(watch(uri + "/docs").stamp, directory.stamp);
  EXPECT_EQ(refusal(uri + "/none"), mcp::rpc_code::kResourceNotFound);
}

TEST_F(WatchTest, AScopedDelegateSeesNothingOfWhatHappensOutsideItsPlace) {
  const auto reader = world.as(world.delegate({{"scope", json::Array{depot + "/docs"}}}));
  const auto before = watch(uri, reader);
  world.commit(depot, {{"src/b.ts", "b2"}});
  EXPECT_EQ(watch(uri, reader).stamp, before.stamp);
  world.commit(depot, {{"docs/a.md", "a2"}});
  EXPECT_NE(watch(uri, reader).stamp, before.stamp);
  EXPECT_EQ(refusal(uri + "/src", reader), mcp::rpc_code::kResourceNotFound);

  const auto list = watch(mcp::ListKind::kResources, reader);
  const auto other = world.depot("other", {});
  EXPECT_EQ(watch(mcp::ListKind::kResources, reader).stamp, list.stamp);
  EXPECT_EQ(refusal(uri_of(other), reader), mcp::rpc_code::kResourceNotFound);
}

TEST_F(WatchTest, EachOfSeveralPlacesIsWatchedByItself) {
  const auto reader =
      world.as(world.delegate({{"scope", json::Array{depot + "/docs", depot + "/src"}}}));
  const auto docs = watch(uri + "%2Fdocs", reader);
  const auto src = watch(uri + "%2Fsrc", reader);
  EXPECT_EQ(docs.topic, depot_topic);
  world.commit(depot, {{"src/b.ts", "b2"}});
  EXPECT_EQ(watch(uri + "%2Fdocs", reader).stamp, docs.stamp);
  EXPECT_NE(watch(uri + "%2Fsrc", reader).stamp, src.stamp);
}

TEST_F(WatchTest, NodesAndListsThatNeverChangeAreAccepted) {
  const auto root = text_of(world.must("get_depot", {{"depotId", depot}}), "root");
  const auto node = watch("cas://node:" + root.substr(4));
  const auto tools = watch(mcp::ListKind::kTools);
  const auto prompts = watch(mcp::ListKind::kPrompts);
  world.commit(depot, {{"a", "1"}});
  EXPECT_THAT(heard.take(), Not(Contains(node.topic)));
  EXPECT_EQ(watch("cas://node:" + root.substr(4)).stamp, node.stamp);
  EXPECT_EQ(watch(mcp::ListKind::kTools).stamp, tools.stamp);
  EXPECT_EQ(watch(mcp::ListKind::kPrompts).stamp, prompts.stamp);
  EXPECT_EQ(refusal("cas://node:" + std::string(52, '0')), mcp::rpc_code::kResourceNotFound);
  EXPECT_EQ(refusal("test://watched-resource"), mcp::rpc_code::kInvalidParams);
}

TEST_F(WatchTest, WhoeverIsGivenMoreOrLessHasOtherToolsAndDepots) {
  const auto token = world.delegate({{"canUpload", true}});
  const auto writer = world.as(token);
  // Made by the writer: its rights hang on the writer's.
  const auto below = world.as(
      text_of(world.must(writer, "create_delegate", {{"canUpload", true}}), "accessToken"));
  const auto tools = watch(mcp::ListKind::kTools, writer);
  const auto tools_below = watch(mcp::ListKind::kTools, below);
  const auto depots = watch(mcp::ListKind::kResources, writer);
  EXPECT_EQ(tools.topic, "tools:" + realm);
  const auto change = [&](json::Object wanted) {
    heard.take();
    wanted["delegateId"] = writer->id();
    run("update_delegate", wanted);
    return heard.take();
  };
  EXPECT_THAT(change({{"canUpload", false}}), ElementsAre(tools.topic, depots_topic));
  EXPECT_NE(watch(mcp::ListKind::kTools, writer).stamp, tools.stamp);
  EXPECT_NE(watch(mcp::ListKind::kTools, below).stamp, tools_below.stamp);
  EXPECT_EQ(watch(mcp::ListKind::kResources, writer).stamp, depots.stamp);
  EXPECT_THAT(change({{"canUpload", true}, {"delegatedDepots", json::Array()}}),
              ElementsAre(tools.topic, depots_topic));
  EXPECT_EQ(watch(mcp::ListKind::kTools, writer).stamp, tools.stamp);
  EXPECT_NE(watch(mcp::ListKind::kResources, writer).stamp, depots.stamp);
  EXPECT_EQ(refusal(uri, writer), mcp::rpc_code::kResourceNotFound);
  // The same principal, let in before: its next call has the rights of now.
  EXPECT_TRUE(world.call(writer, "fs_ls", {{"nodeKey", depot}}).is_error);
}

TEST_F(WatchTest, OfOthersItHearsNothingThatChangesWhatItSees) {
  const auto one = world.as(world.delegate({{"canUpload", true}}));
  const auto tools = watch(mcp::ListKind::kTools, one).stamp;
  const auto depots = watch(mcp::ListKind::kResources, one).stamp;
  const auto other = world.as(world.delegate({}));
  run("update_delegate", {{"delegateId", other->id()}, {"canUpload", true}});
  run("revoke_delegate", {{"delegateId", other->id()}});
  EXPECT_EQ(watch(mcp::ListKind::kTools, one).stamp, tools);
  EXPECT_EQ(watch(mcp::ListKind::kResources, one).stamp, depots);
}

TEST_F(WatchTest, RealmsHearNothingOfEachOther) {
  run("add_user", {{"name", "other"}, {"password", "correct horse battery staple"}});
  const auto users = run("list_users", {});
  std::optional<RealmId> other;
  for (const auto& user : users.at("users").get_array()) {
    const auto id = text_of(user.get_object(), "userId");
    if (id != realm) other = need(RealmId::parse(id));
  }
  ASSERT_TRUE(other);
  const auto theirs = need(world.service().trusted(*other, {.toolsets = "all"}));
  watch(uri);
  watch(mcp::ListKind::kResources, theirs);
  EXPECT_EQ(refusal(uri, theirs), mcp::rpc_code::kResourceNotFound);
  heard.take();
  const auto made = text_of(world.must(theirs, "create_depot", {{"title", "t"}}), "depotId");
  EXPECT_THAT(heard.take(),
              ElementsAre("depot:" + other->render() + ":" + made, "depots:" + other->render()));
}

// Whoever reads on being told must not read what was before.
TEST_F(WatchTest, WhatIsAnnouncedCanBeRead) {
  watch(uri);
  std::string seen;
  heard.on_change = [&] { seen = text_of(run("get_depot", {{"depotId", depot}}), "root"); };
  for (int i = 0; i < 3; ++i) {
    const auto root = world.commit(depot, {{"a", std::to_string(i)}});
    EXPECT_EQ(seen, root);
  }
}

TEST_F(WatchTest, NobodyIsToldOnceTheAnnouncementsGoElsewhere) {
  watch(uri);
  world.service().announce_to(nullptr);
  world.commit(depot, {{"a", "1"}});
  EXPECT_THAT(heard.take(), IsEmpty());
  Recorder next;
  world.service().announce_to(&next);
  world.commit(depot, {{"a", "2"}});
  EXPECT_THAT(next.take(), Contains(depot_topic));
  EXPECT_THAT(heard.take(), IsEmpty());
  world.service().announce_to(nullptr);
}

TEST_F(WatchTest, AnnouncementsMayGoElsewhereWhileOthersCommit) {
  watch(uri);
  std::jthread commits([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) world.commit(depot, {{"a", std::to_string(i)}});
  });
  std::size_t told = 0;
  for (int i = 0; i < 200 || (told == 0 && i < 100'000); ++i) {
    auto brief = std::make_unique<Recorder>();
    world.service().announce_to(brief.get());
    std::this_thread::yield();
    world.service().announce_to(nullptr);
    told += brief->take().size();
    brief.reset();  // a use after this would be seen by the sanitizers
  }
  EXPECT_GT(told, 0U);
}

}  // namespace
}  // namespace cairn::agent
