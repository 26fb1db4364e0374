// What tokens are good for, held against a model: delegates of every kind, their tokens issued,
// traded in, traded in again inside and after the window, replaced, voided, revoked and expired in
// any order, while time goes on. After every step each token there ever was is asked for.

#include <algorithm>

#include "data/access/access_testing.h"

namespace cairn::access_testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kWindow = 60s;
const TokenTerms kTerms{.client = "client", .access_lifetime = 8h};

// The rules, as plain as they can be said.
struct ModelDelegate {
  DelegateId id;
  DelegateKind kind = DelegateKind::kPlain;
  std::optional<std::size_t> parent;  // nothing: the root delegate
  std::optional<Millis> expires_at;
  bool revoked = false;
  std::uint64_t epoch = 0;
  std::optional<Millis> old_key_until;
};

struct ModelToken {
  Token token;
  TokenKind kind;
  std::size_t of;
  std::uint64_t epoch = 0;
  std::optional<Millis> expires_at;
  std::optional<Millis> used_at;
  bool forgotten = false;
};

class Model final {
 public:
  explicit Model(Dice& dice) : dice_(dice) {}

  void step() {
    switch (dice_.below(12)) {
      case 0:
      case 1:
        return create();
      case 2:
        return refresh();
      case 3:
      case 4:
        return refresh_granted();
      case 5:
        return rotate();
      case 6:
        return move_end();
      case 7:
        return revoke();
      case 8:
        return void_all();
      case 9:
        return forget();
      default:
        return wait();
    }
  }

  void check() {
    for (const auto& token : tokens_) {
      const auto found = access_.delegates.authenticate(token.token.text());
      const auto wanted = outcome(token);
      EXPECT_EQ(found ? std::nullopt : std::optional(found.error().code), wanted);
      // What is said to be good for so long is asked again then.
      if (found) {
        EXPECT_GT((*found)->valid_until.value_or(now() + 1), now());
      }
    }
  }

 private:
  using Outcome = std::optional<Code>;  // nothing: good

  Millis now() { return access_.world.clock.now(); }

  Outcome usable(std::size_t of) {
    for (std::optional<std::size_t> at = of; at; at = all_[*at].parent) {
      if (all_[*at].revoked) return Code::kDelegateRevoked;
      if (all_[*at].expires_at && *all_[*at].expires_at <= now()) return Code::kDelegateExpired;
    }
    return std::nullopt;
  }
  bool stands(const ModelToken& token) {
    const auto& of = all_[token.of];
    if (token.epoch == of.epoch) return true;
    return token.kind == TokenKind::kKey && token.epoch + 1 == of.epoch && of.old_key_until &&
           *of.old_key_until > now();
  }
  bool expired(const ModelToken& token) { return token.expires_at && *token.expires_at <= now(); }

  Outcome outcome(const ModelToken& token) {
    if (token.forgotten || token.kind == TokenKind::kRefresh) return Code::kInvalidToken;
    if (expired(token)) return Code::kTokenExpired;
    if (const auto not_usable = usable(token.of)) return not_usable;
    return stands(token) ? Outcome() : Code::kInvalidToken;
  }

  Outcome traded(ModelToken& token, bool granted) {
    if (token.forgotten || token.kind != TokenKind::kRefresh) return Code::kInvalidToken;
    auto& of = all_[token.of];
    if (granted != (of.kind == DelegateKind::kGrant)) return Code::kInvalidToken;
    if (token.epoch != of.epoch) return Code::kInvalidToken;
    const auto window = std::chrono::milliseconds(kWindow).count();
    if (token.used_at && (!granted || now() - *token.used_at > window)) {
      of.epoch += 1;
      of.old_key_until.reset();
      return Code::kTokenReplayed;
    }
    if (expired(token)) return Code::kTokenExpired;
    if (const auto not_usable = usable(token.of)) return not_usable;
    if (!token.used_at) token.used_at = now();
    return std::nullopt;
  }

  SessionPtr root() { return access_.root(); }

  void add(const IssuedTokens& issued, std::size_t of, Millis access, Millis refresh) {
    const auto end = [&](Millis lifetime) {
      const auto at = now() + lifetime;
      return all_[of].expires_at ? std::min(at, *all_[of].expires_at) : at;
    };
    const auto epoch = all_[of].epoch;
    tokens_.push_back({issued.access, TokenKind::kAccess, of, epoch, end(access), {}, false});
    tokens_.push_back({issued.refresh, TokenKind::kRefresh, of, epoch, end(refresh), {}, false});
  }
  void add_pair(const IssuedTokens& issued, std::size_t of) {
    const bool granted = all_[of].kind == DelegateKind::kGrant;
    add(issued, of, std::chrono::milliseconds(granted ? 8h : 1h).count(),
        std::chrono::milliseconds(24h * 30).count());
  }
  void add_key(const Token& key, std::size_t of) {
    tokens_.push_back({key, TokenKind::kKey, of, all_[of].epoch, std::nullopt, {}, false});
  }

  void create() {
    if (all_.size() == 8) return;
    ModelDelegate made;
    auto parent = root();
    if (!all_.empty() && dice_.one_in(3)) {
      const auto above = dice_.below(all_.size());
      if (usable(above)) return;
      made.parent = above;
      parent = must(access_.delegates.act_as(parent->realm, all_[above].id));
    }
    NewDelegate wanted;
    wanted.expires_in = std::chrono::seconds(30 + dice_.below(200'000));
    if (parent->valid_until) {
      const auto left = (*parent->valid_until - now()) / 1000;
      if (left < 1) return;
      wanted.expires_in = std::min(*wanted.expires_in, std::chrono::seconds(left));
    }
    made.expires_at = now() + std::chrono::milliseconds(*wanted.expires_in).count();
    made.kind =
        dice_.pick(std::vector{DelegateKind::kPlain, DelegateKind::kKey, DelegateKind::kGrant});
    wanted.kind = made.kind;
    if (made.kind == DelegateKind::kKey) {
      auto issued = must(access_.delegates.create_key(*parent, wanted));
      made.id = issued.delegate.id;
      all_.push_back(made);
      add_key(issued.key, all_.size() - 1);
      return;
    }
    if (made.kind == DelegateKind::kPlain) {
      auto issued = must(access_.delegates.create(*parent, wanted));
      made.id = issued.delegate.id;
      all_.push_back(made);
      add_pair(issued.tokens, all_.size() - 1);
      return;
    }
    Batch batch;
    const auto delegate = must(access_.delegates.add(batch, *parent, wanted));
    const auto issued = access_.delegates.add_tokens(batch, delegate, kTerms);
    must(access_.kv().commit(std::move(batch)));
    made.id = delegate.id;
    all_.push_back(made);
    add_pair(issued, all_.size() - 1);
  }

  void trade(bool granted) {
    if (tokens_.empty()) return;
    // The newest more often: old ones are mostly void.
    const auto most = std::min<std::size_t>(tokens_.size(), dice_.one_in(3) ? 1000 : 4);
    const auto at = tokens_.size() - 1 - dice_.below(most);
    const auto wanted = traded(tokens_[at], granted);
    const auto& text = tokens_[at].token.text();
    const auto found = granted ? access_.delegates.refresh_granted(text, kTerms, kWindow)
                               : access_.delegates.refresh(text);
    EXPECT_EQ(found ? std::nullopt : std::optional(found.error().code), wanted);
    if (found) add_pair(found->tokens, tokens_[at].of);
  }
  void refresh() { trade(false); }
  void refresh_granted() { trade(true); }

  void rotate() {
    if (all_.empty()) return;
    const auto of = dice_.below(all_.size());
    auto& delegate = all_[of];
    const std::chrono::seconds overlap(dice_.one_in(3) ? 0 : dice_.below(200));
    const auto found = access_.delegates.rotate_key(*root(), delegate.id, overlap);
    Outcome wanted;
    if (delegate.kind != DelegateKind::kKey) {
      wanted = Code::kInvalidArgument;
    } else if (delegate.revoked) {
      wanted = Code::kDelegateRevoked;
    } else if (*delegate.expires_at <= now()) {
      wanted = Code::kDelegateExpired;
    }
    EXPECT_EQ(found ? std::nullopt : std::optional(found.error().code), wanted);
    if (!found) return;
    delegate.epoch += 1;
    delegate.old_key_until.reset();
    if (overlap.count() > 0) {
      delegate.old_key_until = now() + std::chrono::milliseconds(overlap).count();
    }
    add_key(found->key, of);
  }

  void move_end() {
    if (all_.empty()) return;
    auto& delegate = all_[dice_.below(all_.size())];
    const std::chrono::seconds lives(1 + dice_.below(100'000));
    const auto found =
        access_.delegates.change(*root(), delegate.id, {.expires_in = {std::optional(lives)}});
    // Refused where its parent ends sooner, or is over: what it has stays then.
    if (found) delegate.expires_at = now() + std::chrono::milliseconds(lives).count();
    EXPECT_FALSE(found && delegate.revoked);
  }

  void revoke() {
    if (all_.empty() || !dice_.one_in(3)) return;
    auto& delegate = all_[dice_.below(all_.size())];
    must(access_.delegates.revoke(*root(), delegate.id));
    delegate.revoked = true;
  }

  void void_all() {
    if (all_.empty() || !dice_.one_in(2)) return;
    auto& delegate = all_[dice_.below(all_.size())];
    must(access_.delegates.void_all(access_.world.realm.id(), delegate.id));
    delegate.epoch += 1;
    delegate.old_key_until.reset();
  }

  void forget() {
    must(access_.delegates.forget_expired());
    for (auto& token : tokens_) {
      const bool key = token.kind == TokenKind::kKey;
      if (expired(token) || (key && (all_[token.of].revoked || !stands(token)))) {
        token.forgotten = true;
      }
    }
  }

  void wait() {
    const std::vector<std::chrono::milliseconds> times{1ms, 1s, 59s, 60s, 61s, 10min, 2h, 24h};
    access_.world.clock.advance(dice_.pick(times));
  }

  Dice& dice_;
  Access access_;
  std::vector<ModelDelegate> all_;
  std::vector<ModelToken> tokens_;
};

TEST(TokenModel, TokensAreGoodForWhatTheRulesSay) {
  for_seeds(150, [](Dice& dice) {
    Model model(dice);
    for (int step = 0; step < 60 && !::testing::Test::HasFailure(); ++step) {
      model.step();
      model.check();
    }
  });
}

}  // namespace
}  // namespace cairn::access_testing
