// The tools purge and collect_garbage: who may, what they say, that it is gone.
#include "data/realm/purge.h"

#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using tools_testing::column;
using tools_testing::is_true;
using tools_testing::Says;
using tools_testing::text;

class PurgeToolTest : public tools_testing::ToolTest {
 protected:
  json::Object secret(json::Object more = {}) {
    more["depotId"] = depot_;
    more["path"] = "docs/secret";
    return more;
  }
  std::string key_of(std::string_view path) {
    return text(
        call(owner_.entering(Entrance::kRest), "fs_stat", {{"nodeKey", depot_}, {"path", path}}),
        "key");
  }
  static std::int64_t number(const json::Object& answer, std::string_view name) {
    return answer.at(name).to_number<std::int64_t>();
  }
};

TEST_F(PurgeToolTest, WhatIsPurgedIsGoneFromTheDepotAndItsHistory) {
  put("docs/secret", "SSN 123-45-6789");
  put("docs/a", "1");
  const auto key = key_of("docs/secret");
  const auto planned = call("purge", secret({{"dryRun", true}}));
  EXPECT_TRUE(is_true(planned, "dryRun"));
  EXPECT_EQ(content("docs/secret"), "SSN 123-45-6789");
  const auto done = call("purge", secret());
  EXPECT_TRUE(is_true(done, "gone")) << json::write(done);
  for (const auto* name : {"versions", "removed", "freedBytes", "kept"}) {
    EXPECT_EQ(number(planned, name), number(done, name)) << name;
  }
  EXPECT_THAT(text(done, "note"), HasSubstr("backups"));
  EXPECT_EQ(refused("fs_read", {{"nodeKey", key}}).code, Code::kNodeNotFound);
  const auto history = call("depot_history", {{"depotId", depot_}});
  const auto& entries = history.at("entries").get_array();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_TRUE(is_true(entries[0].get_object(), "purged"));
  EXPECT_FALSE(entries[2].get_object().contains("purged"));
  EXPECT_FALSE(exists(json::text(entries[1].at("root")), "docs/secret"));
  EXPECT_EQ(content("docs/a"), "1");
}

TEST_F(PurgeToolTest, AScopeThatHoldsItIsNamedWithItsDelegate) {
  put("docs/secret", "s");
  const auto reader = delegate({{"name", "reader"}, {"scope", json::Array{key_of("docs")}}});
  const auto done = call("purge", secret());
  EXPECT_FALSE(is_true(done, "gone"));
  EXPECT_THAT(column(done, "holders", "kind"), testing::ElementsAre("scope"));
  EXPECT_THAT(column(done, "holders", "delegateId"), testing::ElementsAre(id_of(reader)));
  call("revoke_delegate", {{"delegateId", id_of(reader)}});
  EXPECT_EQ(number(call("collect_garbage", {{"grace", 0}}), "spared"), 0);
}

TEST_F(PurgeToolTest, ItIsNamedInOneOfTwoWays) {
  put("docs/secret", "s");
  EXPECT_EQ(refused("purge", {}).code, Code::kInvalidArgument);
  EXPECT_EQ(refused("purge", secret({{"nodeKey", root()}})).code, Code::kInvalidArgument);
  EXPECT_EQ(refused("purge", {{"nodeKey", root()}, {"path", "a"}}).code, Code::kInvalidArgument);
  EXPECT_EQ(refused("purge", {{"depotId", depot_}}).code, Code::kInvalidArgument);
  EXPECT_THAT(refused("purge", {{"depotId", depot_}, {"path", "none"}}),
              Says(Code::kPathNotFound, "'none'"));
  const auto node = call("purge", {{"nodeKey", key_of("docs/secret")}});
  EXPECT_TRUE(is_true(node, "gone"));
}

TEST_F(PurgeToolTest, OnlyTheRealmsOwnerPurges) {
  put("docs/secret", "s");
  const auto all = delegate({{"canUpload", true}, {"canManageDepot", true}});
  EXPECT_EQ(refused(all, "purge", secret()).code, Code::kForbidden);
  EXPECT_EQ(refused(all, "purge", secret({{"dryRun", true}})).code, Code::kForbidden);
  EXPECT_EQ(refused(another_user("carol"), "purge", secret()).code, Code::kDepotNotFound);
  EXPECT_EQ(content("docs/secret"), "s");
}

TEST_F(PurgeToolTest, OnlyTheMachinesOwnerSetsTheGraceTime) {
  const auto carol = another_user("carol");
  EXPECT_THAT(refused(carol, "collect_garbage", {{"grace", 0}}), Says(Code::kForbidden, "owner"));
  call(carol, "collect_garbage", {{"dryRun", true}});
  write("a", "a draft");
  const auto kept = call("collect_garbage", {});
  EXPECT_GT(number(kept, "spared"), 0);
  EXPECT_TRUE(kept.at("sparedUntil").is_number());
  const auto counted = call("collect_garbage", {{"grace", 0}, {"dryRun", true}});
  const auto taken = call("collect_garbage", {{"grace", 0}});
  EXPECT_EQ(number(counted, "removed"), number(taken, "removed"));
  EXPECT_GT(number(taken, "removed"), 0);
  EXPECT_EQ(number(taken, "spared"), 0);
}

}  // namespace
}  // namespace cairn
