// The life of tokens against a model: random stories of issuing, renewing, replaying inside the
// window and after it, giving back, revoking, expiring, and a clock that goes on by leaps.
#include <algorithm>

#include <gtest/gtest.h>

#include "data/oauth/oauth_testing.h"

namespace cairn::oauth {
namespace {

using namespace std::chrono_literals;

constexpr auto kWindow = 60s;
constexpr auto kAccess = 8h;
constexpr auto kRefresh = 24h * 30;

// What is known of a pair of tokens, written down as simply as can be.
struct Pair {
  GivenTokens tokens;
  Millis made_at = 0;
  Millis dies_at = 0;  // of the grant, when the pair was made
  std::optional<Millis> traded_at = std::nullopt;
  int grant = 0;  // the how many-th
  bool access_revoked = false;
  bool is_void = false;
};

struct Model {
  std::vector<Pair> pairs;
  std::string code;  // the last one, which was used
  Millis code_made_at = 0;
  int grant = 0;
  std::optional<Millis> expires_at;
  bool revoked = false;

  bool ended(Millis now) const { return revoked || (expires_at && *expires_at <= now); }
  bool access_works(const Pair& pair, Millis now) const {
    return !ended(now) && !pair.is_void && !pair.access_revoked &&
           now < std::min(pair.made_at + Millis{std::chrono::milliseconds(kAccess).count()},
                          pair.dies_at);
  }
  void void_all() {
    for (auto& pair : pairs) pair.is_void = true;
  }
};

class Story final {
 public:
  explicit Story(Dice& dice) : dice_(dice) {}

  void play(int steps) {
    for (int i = 0; i < steps; ++i) {
      step();
      check();
      if (testing::Test::HasFailure()) return;
    }
  }

 private:
  Millis now() { return scene_.clock().now(); }
  Pair& any() { return model_.pairs[dice_.below(model_.pairs.size())]; }

  void step() {
    // Nobody is to be held up for asking too often.
    scene_.clock().advance(1s);
    if (model_.pairs.empty() || dice_.one_in(12)) return connect();
    switch (dice_.below(9)) {
      case 0:
      case 1:
      case 2:
        return refresh(any());
      case 3:
        return refresh(model_.pairs.back());
      case 4:
        return give_back(any());
      case 5:
        return replay_code();
      case 6:
        if (dice_.one_in(6)) return revoke(any());
        [[fallthrough]];
      default:
        return pass();
    }
  }

  // The clock goes on: within a window, over it, over a night, over weeks.
  void pass() {
    constexpr Millis kLeaps[] = {1, 1000, 59'000, 61'000, 3'600'000, 30'000'000, 20 * 86'400'000LL};
    scene_.clock().advance(std::chrono::milliseconds(dice_.pick(kLeaps)));
  }

  void connect() {
    Choice choice{.write = true};
    if (dice_.one_in(3)) choice.lasts = std::chrono::hours(1 + dice_.below(100));
    scene_.clock().advance(70s);
    // One that has ended is another one now.
    if (model_.ended(now())) {
      model_.void_all();
      model_.revoked = false;
      ++model_.grant;
    }
    const auto code = scene_.code_for(scene_.client, choice);
    model_.expires_at.reset();
    if (choice.lasts) model_.expires_at = now() + std::chrono::milliseconds(*choice.lasts).count();
    keep(granted(scene_.trade_code(scene_.client, code)));
    model_.code = code;
    model_.code_made_at = now();
  }

  void keep(GivenTokens tokens) {
    model_.pairs.push_back({.tokens = std::move(tokens),
                            .made_at = now(),
                            .dies_at = model_.expires_at.value_or(INT64_MAX),
                            .grant = model_.grant});
  }

  void refresh(Pair& pair) {
    const auto at = now();
    const bool in_window =
        pair.traded_at && at - *pair.traded_at <= std::chrono::milliseconds(kWindow).count();
    const bool replay = pair.traded_at && !in_window && !pair.is_void;
    const bool expired =
        at >=
        std::min(pair.made_at + Millis{std::chrono::milliseconds(kRefresh).count()}, pair.dies_at);
    const auto done = scene_.refresh(scene_.client, pair.tokens.refresh);
    if (replay) {
      EXPECT_EQ(error_of(done), "invalid_grant") << "a replay";
      model_.void_all();
      return;
    }
    const bool good = !pair.is_void && !expired && !model_.ended(at);
    ASSERT_EQ(done.has_value(), good) << error_of(done);
    if (!good) return;
    if (!pair.traded_at) pair.traded_at = at;
    keep(*done);
  }

  void replay_code() {
    const auto done = scene_.trade_code(scene_.client, model_.code);
    EXPECT_FALSE(done) << "a code is good once";
    // It is known for ten minutes that it was used.
    const bool known = now() - model_.code_made_at < std::chrono::milliseconds(10min).count();
    if (known && error_of(done) != "slow_down") model_.void_all();
  }

  void give_back(Pair& pair) {
    ASSERT_TRUE(scene_.revoke(scene_.client, pair.tokens.access));
    pair.access_revoked = true;
  }

  void revoke(Pair& pair) {
    ASSERT_TRUE(scene_.revoke(scene_.client, pair.tokens.refresh));
    // One that is void ends nothing: whoever connected again has others.
    if (pair.grant == model_.grant && !pair.is_void) model_.revoked = true;
  }

  void check() {
    const auto at = now();
    for (std::size_t i = 0; i < model_.pairs.size(); ++i) {
      const auto& pair = model_.pairs[i];
      EXPECT_EQ(scene_.works(pair.tokens.access), model_.access_works(pair, at)) << "pair " << i;
    }
  }

  Dice& dice_;
  Scene scene_;
  Model model_;
};

TEST(TokenMachine, DoesWhatTheModelDoes) {
  for_seeds(40, [](Dice& dice) { Story(dice).play(120); });
}

}  // namespace
}  // namespace cairn::oauth
