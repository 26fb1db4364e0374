// Tokens: secrets by their looks, and the records that lie under them.

#include "data/access/token.h"

#include <set>

#include "base/base64.h"
#include "data/access/access_testing.h"

namespace cairn::access_testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Token, IsReadBackAsItWasWritten) {
  SeededRandom random(1);
  std::set<std::string> all;
  for (int i = 0; i < 100; ++i) {
    const auto token = Token::make(random);
    EXPECT_EQ(token.text().size(), Token::kTextBytes);
    const auto again = must(Token::parse(token.text()));
    EXPECT_EQ(again.text(), token.text());
    EXPECT_EQ(again.hash(), token.hash());
    EXPECT_EQ(token.hash(), sha256(token.text()));
    all.insert(token.text());
  }
  EXPECT_EQ(all.size(), 100U);
}

TEST(Token, IsRefusedByItsLooksWithoutBeingRepeated) {
  const std::string good(44, 'A');
  ASSERT_THAT(Token::parse(good), IsOk());
  const std::vector<std::string> bad = {
      "",
      "short",
      good.substr(1),
      good + "A",
      good.substr(1) + "-",
      good.substr(1) + " ",
      " " + good,
      good + "\n",
      good.substr(1) + "=",  // padding: fewer bytes than a token has
      good.substr(2) + "==",
      good.substr(1) + std::string(1, '\0'),
      std::string(43, 'A') + "\xc3",
      std::string(100'000, 'A'),
  };
  for (const auto& text : bad) {
    auto parsed = Token::parse(text);
    ASSERT_THAT(parsed, FailsWith(Code::kInvalidToken)) << text.substr(0, 60);
    if (text.size() >= 20) {
      EXPECT_THAT(parsed.error().message, Not(HasSubstr(text.substr(0, 20))));
    }
  }
}

TEST(Token, AKeyIsReadBackAsItWasWritten) {
  SeededRandom random(1);
  std::set<std::string> all;
  for (int i = 0; i < 100; ++i) {
    const auto key = Token::make_key(random);
    EXPECT_TRUE(key.is_key());
    EXPECT_EQ(key.text().size(), Token::kKeyTextBytes);
    EXPECT_EQ(must(Token::parse(key.text())).hash(), key.hash());
    all.insert(key.text());
  }
  EXPECT_EQ(all.size(), 100U);
  EXPECT_FALSE(Token::make(random).is_key());
}

// The example of token.h: programs that look for lost secrets know a key by it.
TEST(Token, AKeyIsMadeOfItsBytesAsItIsWrittenDown) {
  Bytes bytes;
  for (char byte = 0; byte < 25; ++byte) bytes.push_back(byte);
  EXPECT_EQ(Token::key_of(bytes).text(), "cairn_000G40R40M30E209185GR38E1W8124GK2GAHC5RRC9M623");
}

TEST(Token, AKeyIsRefusedAtOnceWhenOneCharacterIsAnother) {
  SeededRandom random(2);
  const auto good = Token::make_key(random).text();
  for (std::size_t at = 0; at < good.size(); ++at) {
    auto bad = good;
    bad[at] = bad[at] == 'Z' ? 'Y' : 'Z';
    const auto parsed = Token::parse(bad);
    ASSERT_THAT(parsed, FailsWith(Code::kInvalidToken)) << at;
    EXPECT_THAT(parsed.error().message, Not(HasSubstr(bad.substr(6, 20))));
    if (at >= Token::kKeyPrefix.size()) {
      EXPECT_THAT(parsed.error().message, HasSubstr("mistyped")) << at;
    }
  }
  for (std::size_t size = Token::kKeyPrefix.size(); size < good.size(); ++size) {
    const auto parsed = Token::parse(good.substr(0, size));
    ASSERT_THAT(parsed, FailsWith(Code::kInvalidToken)) << size;
    EXPECT_THAT(parsed.error().message, HasSubstr(fmt::format("{} characters", size)));
  }
  for (const auto& bad : {good + "0", good + "\n", " " + good, "CAIRN" + good.substr(5)}) {
    EXPECT_THAT(Token::parse(bad), FailsWith(Code::kInvalidToken));
  }
}

// ---- Records ------------------------------------------------------------------------------------

Delegate a_delegate() {
  Delegate delegate;
  delegate.id = DelegateId::from_bytes(Bytes(16, 'd'));
  delegate.realm = realm_number(7);
  delegate.name = "doc-writer";
  return delegate;
}

TEST(AccessRecords, ADelegateIsReadBackAsItWasWritten) {
  auto plain = a_delegate();
  auto full = a_delegate();
  full.parent = DelegateId::from_bytes(Bytes(16, 'p'));
  full.depth = 15;
  full.can_upload = full.can_manage_depot = true;
  full.depots = {DepotId::from_bytes(Bytes(16, 'x')), DepotId::from_bytes(Bytes(16, 'y'))};
  full.scope = {FrozenRoot{NodeKey::from_bytes(Bytes(32, 'n'))},
                Place{DepotId::from_bytes(Bytes(16, 'x'))},
                Place{DepotId::from_bytes(Bytes(16, 'y')), path("docs/für alle")}};
  full.directories = {{"notes", true}, {"logs", false}};
  full.expires_at = 1'700'000'000'000;
  full.created_at = 1;
  full.revoked_at = 0;
  full.epoch = 1'000'000;
  full.kind = DelegateKind::kGrant;
  full.key_made_at = 0;
  full.old_key_until = 1'700'000'000'001;
  full.narrowed_at = 5;
  full.scope_at = 1'700'000'000'002;
  auto nothing = a_delegate();
  nothing.depots.emplace();
  nothing.scope.emplace();
  for (const auto& delegate : {plain, full, nothing}) {
    const auto key = access_records::delegate_key(delegate.realm, delegate.id);
    const auto value = access_records::encode(delegate);
    EXPECT_EQ(access_records::decode_delegate(key, value), delegate);
    for (std::size_t size = 0; size < value.size(); ++size) {
      EXPECT_THAT(access_records::decode_delegate(key, value.substr(0, size)),
                  FailsWith(Code::kIoError))
          << size;
    }
    EXPECT_THAT(access_records::decode_delegate(key, value + 'x'), FailsWith(Code::kIoError));
    EXPECT_THAT(access_records::decode_delegate(key + 'x', value), FailsWith(Code::kIoError));
  }
}

TEST(AccessRecords, ADelegateOfTheFirstVersionHasNoDirectories) {
  auto delegate = a_delegate();
  delegate.parent = DelegateId::from_bytes(Bytes(16, 'p'));
  delegate.epoch = 3;
  const auto key = access_records::delegate_key(delegate.realm, delegate.id);
  auto old = access_records::encode(delegate);
  ASSERT_EQ(old.front(), 3);
  // The kind, what is known of the key and of narrowings, and that it sees history.
  const auto since = Bytes(5, '\0') + '\1';
  ASSERT_TRUE(old.ends_with(since));
  old.front() = 2;
  old.resize(old.size() - since.size());
  EXPECT_EQ(access_records::decode_delegate(key, old), delegate);
  ASSERT_EQ(old.back(), 0) << "the number of directories";
  old.front() = 1;
  old.pop_back();
  EXPECT_EQ(access_records::decode_delegate(key, old), delegate);
  old.front() = 4;
  EXPECT_THAT(access_records::decode_delegate(key, old), FailsWith(Code::kIoError));
}

// A delegate that may see nothing must never be read as one that may see everything.
TEST(AccessRecords, DamageNeverWidensADelegate) {
  auto delegate = a_delegate();
  delegate.depots.emplace();
  delegate.scope = {Place{DepotId::from_bytes(Bytes(16, 'x')), path("docs")}};
  const auto key = access_records::delegate_key(delegate.realm, delegate.id);
  auto value = access_records::encode(delegate);
  const auto kind = value.find("d" + std::string(16, 'x'));
  ASSERT_NE(kind, std::string::npos);
  value[kind] = 'e';
  EXPECT_THAT(access_records::decode_delegate(key, value), FailsWith(Code::kIoError));
}

TEST(AccessRecords, ATokenIsReadBackAsItWasWritten) {
  const TokenRecord access{.realm = realm_number(7),
                           .delegate = DelegateId::from_bytes(Bytes(16, 'd')),
                           .kind = TokenKind::kAccess,
                           .expires_at = std::nullopt,
                           .epoch = 3};
  auto refresh = access;
  refresh.kind = TokenKind::kRefresh;
  refresh.expires_at = 1'700'000'000'000;
  refresh.used_at = 1'234;
  refresh.client = "client";
  refresh.audience = "/mcp";
  for (const auto& token : {access, refresh}) {
    const auto value = access_records::encode(token);
    EXPECT_EQ(access_records::decode_token(value), token);
    for (std::size_t size = 0; size < value.size(); ++size) {
      EXPECT_THAT(access_records::decode_token(value.substr(0, size)), FailsWith(Code::kIoError));
    }
    EXPECT_THAT(access_records::decode_token(value + '\0'), FailsWith(Code::kIoError));
  }
}

TEST(AccessRecords, ATokenOfTheFirstVersionIsReadAsUsedOrNot) {
  TokenRecord token{.realm = realm_number(7),
                    .delegate = DelegateId::from_bytes(Bytes(16, 'd')),
                    .kind = TokenKind::kRefresh,
                    .expires_at = 1'700'000'000'000,
                    .epoch = 3};
  auto old = access_records::encode(token);
  old.front() = 1;
  old.resize(old.size() - 3);  // time of use, client, audience
  EXPECT_EQ(access_records::decode_token(old + '\0'), token);
  token.used_at = 0;
  EXPECT_EQ(access_records::decode_token(old + '\1'), token);
}

}  // namespace
}  // namespace cairn::access_testing
