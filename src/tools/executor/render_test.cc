#include "tools/executor/render.h"

#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::text;

class RenderTest : public tools_testing::ToolTest {
 protected:
  Call call_by(Entrance entrance) {
    return {engine_->services(), executor().table(), owner_.entering(entrance), {}};
  }
  static void expect_fits(const json::Value& shape, const json::Value& value) {
    const auto fits = json::Schema::compile(shape).value().check(value);
    EXPECT_TRUE(fits) << (fits ? "" : fits.error().render());
  }
};

TEST_F(RenderTest, ADelegateWithoutLimitsHasNullsAndFitsItsShape) {
  const auto shown = render_delegate(owner_.session().who());
  for (const auto* name : {"parentId", "delegatedDepots", "scope", "expiresAt", "revokedAt"}) {
    EXPECT_TRUE(shown.at(name).is_null()) << name;
  }
  expect_fits(delegate_shape(), shown);
}

TEST_F(RenderTest, ADelegatesLimitsAreShownAsTheyAreWritten) {
  put("docs/a", "1");
  const auto child = delegate({{"delegatedDepots", json::Array{depot_}},
                               {"scope", json::Array{depot_ + "/docs"}},
                               {"expiresIn", 60}});
  const auto shown = render_delegate(child.session().who());
  EXPECT_EQ(json::text(shown.at("delegatedDepots").at(0)), depot_);
  EXPECT_EQ(json::text(shown.at("scope").at(0)), depot_ + "/docs");
  EXPECT_EQ(shown.at("expiresAt"), clock_.now() + 60'000);
  expect_fits(delegate_shape(), shown);
}

TEST_F(RenderTest, AUserIsShownWithoutThePassword) {
  const User user{.id = engine_->owner(),
                  .name = "carol",
                  .role = Role::kAuthorized,
                  .password = "a hash",
                  .created_at = 5};
  const auto shown = render_user(user);
  EXPECT_EQ(shown.at("hasPassword"), true);
  EXPECT_THAT(json::write(shown), testing::Not(testing::HasSubstr("a hash")));
  expect_fits(user_shape(), shown);
}

TEST_F(RenderTest, ADepotWhosePlaceIsGoneHasNoRoot) {
  const auto call = call_by(Entrance::kMcp);
  const auto id = DepotId::parse(depot_).value();
  const auto shown = render_depot(call, realm().get_depot(id).value(), Place(id), std::nullopt);
  EXPECT_TRUE(shown.at("root").is_null());
  EXPECT_EQ(text(shown, "depotId"), depot_);
  expect_fits(depot_shape(false), shown);
}

TEST_F(RenderTest, RowsFitAnAnswerAndOneAlwaysDoes) {
  const auto agent = call_by(Entrance::kMcp);
  EXPECT_EQ(fitting(agent, {}), 0U);
  EXPECT_EQ(fitting(agent, json::Array(10, json::Value("x"))), 10U);
  EXPECT_EQ(fitting(agent, json::Array{std::string(100'000, 'x'), "y"}), 1U);
  const json::Array many(1000, json::Value(std::string(997, 'x')));  // a thousand bytes each
  EXPECT_EQ(fitting(agent, many), static_cast<std::size_t>(Call::kAnswerBytes / 1000));
  EXPECT_EQ(fitting(call_by(Entrance::kCli), many), 1000U);
}

TEST_F(RenderTest, TextsThatAreNotThereAreNull) {
  EXPECT_TRUE(or_null(std::nullopt).is_null());
  EXPECT_EQ(or_null(""), "");
}

}  // namespace
}  // namespace cairn
