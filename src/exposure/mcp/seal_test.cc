#include "exposure/mcp/seal.h"

#include <gtest/gtest.h>

namespace cairn::mcp {
namespace {

struct SealTest : testing::Test {
  ManualClock clock;
  SeededRandom random{1};
  Seal seal{clock, random};
};

TEST_F(SealTest, GivesBackWhatItClosed) {
  const json::Value state = json::Object{{"step", 2}, {"name", "Ünal"}};
  const auto opened = seal.open(seal.close(state, "me"), "me");
  ASSERT_TRUE(opened);
  EXPECT_EQ(*opened, state);
}

TEST_F(SealTest, RefusesEveryChangedCharacter) {
  const auto sealed = seal.close(json::Value("state"), "me");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    auto changed = sealed;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    const auto opened = seal.open(changed, "me");
    ASSERT_FALSE(opened) << i;
    EXPECT_EQ(opened.error().code, rpc_code::kInvalidParams);
  }
}

TEST_F(SealTest, IsGoodForWhatItWasBoundToOnly) {
  EXPECT_FALSE(seal.open(seal.close("s", "me"), "you"));
  // Nor can a part of one pass for a part of the other.
  EXPECT_FALSE(seal.open(seal.close("s", "ab"), "b"));
}

TEST_F(SealTest, EndsAfterItsTime) {
  const auto sealed = seal.close("s", "me");
  clock.advance(Seal::kLifetime);
  EXPECT_TRUE(seal.open(sealed, "me"));
  clock.advance(std::chrono::milliseconds(1));
  EXPECT_FALSE(seal.open(sealed, "me"));
}

TEST_F(SealTest, OfAnotherServerIsRefused) {
  const Seal other(clock, random);
  EXPECT_FALSE(seal.open(other.close("s", "me"), "me"));
}

TEST_F(SealTest, RefusesWhatIsNoneAtAll) {
  for (const auto* text : {"", ".", "a.b", "no dot", "eyJ9.", "....."}) {
    EXPECT_FALSE(seal.open(text, "me")) << text;
  }
}

}  // namespace
}  // namespace cairn::mcp
