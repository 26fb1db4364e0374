// Keys that last: made with create_delegate, replaced with rotate_key.
#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::HasSubstr;
using testing::Not;
using tools_testing::Says;
using tools_testing::text;

constexpr std::int64_t kDay = 24 * 3600;

class RotateKeyTest : public tools_testing::ToolTest {
 protected:
  json::Object made(json::Object wanted = {}) {
    wanted["lasting"] = true;
    return call("create_delegate", wanted);
  }
  static std::string id_in(const json::Object& issued) {
    return text(issued.at("delegate").as_object(), "delegateId");
  }
  bool lets_in(const json::Object& issued) {
    return executor().authenticate(text(issued, "accessToken"), "me", Entrance::kMcp).has_value();
  }
  void wait(std::int64_t seconds) { clock_.advance(std::chrono::seconds(seconds)); }
};

TEST_F(RotateKeyTest, ALastingOneIsAKeyThatNothingRenews) {
  const auto issued = made({{"name", "ci"}});
  EXPECT_THAT(text(issued, "accessToken"), testing::StartsWith("cairn_"));
  EXPECT_FALSE(issued.contains("refreshToken"));
  const auto delegate = issued.at("delegate").as_object();
  EXPECT_EQ(text(delegate, "kind"), "key");
  EXPECT_EQ(delegate.at("expiresAt"), clock_.now() + 90 * kDay * 1000);
  EXPECT_EQ(issued.at("accessTokenExpiresAt"), delegate.at("expiresAt"));
  wait(89 * kDay);
  EXPECT_TRUE(lets_in(issued));
  wait(kDay);
  EXPECT_FALSE(lets_in(issued));
}

TEST_F(RotateKeyTest, ItLivesAsLongAsItIsAskedToButNoLongerThanAYear) {
  EXPECT_EQ(made({{"expiresIn", 366 * kDay}}).at("accessTokenExpiresAt"),
            clock_.now() + 366 * kDay * 1000);
  EXPECT_THAT(refused("create_delegate", {{"lasting", true}, {"expiresIn", 366 * kDay + 1}}),
              Says(Code::kInvalidArgument, "366 days"));
  // Others may live as long as they are told.
  call("create_delegate", {{"expiresIn", 366 * kDay + 1}});
  const auto issued = made();
  EXPECT_THAT(
      refused("update_delegate", {{"delegateId", id_in(issued)}, {"expiresIn", 366 * kDay + 1}}),
      Says(Code::kInvalidArgument, "366 days"));
  EXPECT_THAT(refused("rotate_key", {{"delegateId", id_in(issued)}, {"expiresIn", 366 * kDay + 1}}),
              Says(Code::kInvalidArgument, "366 days"));
}

TEST_F(RotateKeyTest, TheOldOneIsGoodForADayAndNotLonger) {
  const auto first = made();
  const auto second = call("rotate_key", {{"delegateId", id_in(first)}});
  EXPECT_NE(text(first, "accessToken"), text(second, "accessToken"));
  EXPECT_EQ(id_in(first), id_in(second));
  EXPECT_EQ(second.at("delegate").at("oldKeyUntil"), clock_.now() + kDay * 1000);
  EXPECT_TRUE(lets_in(first) && lets_in(second));
  wait(kDay);
  EXPECT_FALSE(lets_in(first));
  EXPECT_TRUE(lets_in(second));
  EXPECT_THAT(refused("rotate_key", {{"delegateId", id_in(first)}, {"overlap", kDay + 1}}),
              Says(Code::kInvalidArgument, "overlap"));
}

TEST_F(RotateKeyTest, WithoutAnOverlapTheOldOneEndsAtOnce) {
  const auto first = made();
  const auto second = call("rotate_key", {{"delegateId", id_in(first)}, {"overlap", 0}});
  EXPECT_FALSE(lets_in(first));
  EXPECT_TRUE(lets_in(second));
  EXPECT_FALSE(second.at("delegate").as_object().contains("oldKeyUntil"));
}

TEST_F(RotateKeyTest, ItsHolderReplacesItAndOthersBesideItDoNot) {
  const auto first = made();
  const auto self = with_token(text(first, "accessToken"));
  const auto second = call(self, "rotate_key", {});
  EXPECT_TRUE(lets_in(second));
  EXPECT_THAT(refused(with_token(text(second, "accessToken")), "rotate_key", {{"expiresIn", 1}}),
              Says(Code::kForbidden, "ask whoever made you"));
  EXPECT_THAT(refused(self, "rotate_key", {}), Says(Code::kForbidden, "replaced already"));
  EXPECT_THAT(refused(delegate({}), "rotate_key", {{"delegateId", id_in(first)}}),
              Says(Code::kDelegateNotFound, id_in(first)));
  EXPECT_THAT(refused(delegate({}), "rotate_key", {}), Says(Code::kInvalidArgument, "has no key"));
}

TEST_F(RotateKeyTest, ListsShowWhatIsAKeyAndWhenItWasUsed) {
  const auto issued = made({{"name", "ci"}});
  const auto seen = [&] { return call("get_delegate", {{"delegateId", id_in(issued)}}); };
  EXPECT_TRUE(seen().at("lastUsedAt").is_null());
  lets_in(issued);
  EXPECT_EQ(seen().at("lastUsedAt"), clock_.now() - clock_.now() % 60'000);
  const auto listed = call("list_delegates", {}).at("delegates").as_array();
  EXPECT_EQ(listed.at(0), json::Value(seen()));
  EXPECT_EQ(text(seen(), "kind"), "key");
  EXPECT_EQ(seen().at("keyMadeAt"), clock_.now());
}

TEST_F(RotateKeyTest, AKeyIsShownOnceAndTheLogNeverHasIt) {
  const auto first = made();
  const auto second = call("rotate_key", {{"delegateId", id_in(first)}});
  const auto seen = json::write(call("get_delegate", {{"delegateId", id_in(first)}})) +
                    json::write(call("list_delegates", {})) + json::write(call("get_audit", {}));
  for (const auto* issued : {&first, &second}) {
    EXPECT_THAT(seen, Not(HasSubstr(text(*issued, "accessToken"))));
  }
  EXPECT_THAT(seen, HasSubstr("\"rotate_key\""));
}

TEST_F(RotateKeyTest, OneThatIsTriedOutIsNoKeyAndEndsNone) {
  const auto first = made();
  const auto planned = call("rotate_key", {{"delegateId", id_in(first)}, {"dryRun", true}});
  EXPECT_EQ(text(planned, "accessToken"), "(dryRun)");
  EXPECT_EQ(text(call("create_delegate", {{"lasting", true}, {"dryRun", true}}), "accessToken"),
            "(dryRun)");
  wait(2 * kDay);
  EXPECT_TRUE(lets_in(first));
}

}  // namespace
}  // namespace cairn
