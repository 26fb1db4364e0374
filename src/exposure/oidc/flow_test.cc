// A sign-in from the browser's leaving to its coming back, and what may go wrong on the way.
#include "exposure/oidc/flow.h"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/oauth/pkce.h"
#include "exposure/oidc/oidc_testing.h"

namespace cairn::oidc {
namespace {

using namespace std::chrono_literals;
using oidc::testing::FakeProvider;
using oidc::testing::Town;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kOrigin = "https://cairn.example";

struct FlowTest : ::testing::Test {
  struct Left {
    std::string state;
    std::string browser;
  };
  // A browser that goes to the provider, which will answer for this sign-in.
  Left leave(std::string_view browser = "", std::string_view request = "req-1") {
    const auto begun = flow.begin(kOrigin, browser, request);
    EXPECT_TRUE(begun) << begun.error().render();
    const auto query =
        http::Query::parse(std::string_view(begun->location).substr(begun->location.find('?') + 1));
    fake.nonce = *query->get("nonce");
    challenge = *query->get("code_challenge");
    return {std::string(*query->get("state")), begun->browser};
  }
  Result<Flow::Done> come_back(const Left& left, std::string_view more = "code=c1") {
    return flow.finish(
        *http::Query::parse(fmt::format("state={}{}{}", left.state, more.empty() ? "" : "&", more)),
        left.browser);
  }
  std::string refusal(const Left& left, std::string_view more = "code=c1") {
    const auto done = come_back(left, more);
    return done ? "" : done.error().message;
  }

  Town town;
  FakeProvider fake{town.clock};
  Provider provider{{.issuer = std::string(FakeProvider::kIssuer), .client_id = "cairn"},
                    fake.fetch(),
                    town.clock};
  People people{{.new_people = NewPeople::kAuthorized}, town.users, town.identities, town.clock};
  Flow flow{provider, people, town.store->kv(), town.clock, town.random};
  std::string challenge;
};

TEST_F(FlowTest, EndsInTheUserAndWhatWasToGoOn) {
  const auto left = leave();
  const auto done = come_back(left);
  ASSERT_TRUE(done) << done.error().render();
  EXPECT_EQ(done->user.name, "ada@example.com");
  EXPECT_EQ(done->request, "req-1");
  EXPECT_EQ(come_back(leave(left.browser))->user.id, done->user.id);
}

TEST_F(FlowTest, AnAnswerCountsOnce) {
  const auto left = leave();
  ASSERT_TRUE(come_back(left));
  const auto asked = fake.requests.size();
  EXPECT_THAT(refusal(left), HasSubstr("finished already"));
  EXPECT_EQ(fake.requests.size(), asked) << "the provider is not asked for it again";
}

TEST_F(FlowTest, OfManyAnswersAtOnceOneCounts) {
  const auto left = leave();
  std::atomic<int> done = 0;
  {
    std::vector<std::jthread> crowd;
    for (int i = 0; i < 6; ++i) {
      crowd.emplace_back([&] {
        done += come_back(left, "error=access_denied").error().message.contains("access_denied")
                    ? 1
                    : 0;
      });
    }
  }
  EXPECT_EQ(done, 1);
}

TEST_F(FlowTest, AnAnswerThatFailedIsUsedAllTheSame) {
  const auto left = leave();
  EXPECT_THAT(refusal(left, "error=access_denied"), HasSubstr("access_denied"));
  EXPECT_THAT(refusal(left), HasSubstr("finished already"));
}

TEST_F(FlowTest, IsBoundToItsBrowser) {
  auto stolen = leave();
  const auto own = stolen;
  stolen.browser = leave().browser;  // somebody else's
  EXPECT_THAT(refusal(stolen), HasSubstr("another browser"));
  for (const auto* none : {"", "x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}) {
    stolen.browser = none;
    EXPECT_THAT(refusal(stolen), HasSubstr("another browser")) << none;
  }
  fake.bend = nullptr;
  const auto again = leave(own.browser);
  EXPECT_TRUE(come_back(again)) << "who was not fooled can still sign in";
}

TEST_F(FlowTest, TwoTabsOfOneBrowserDoNotDisturbEachOther) {
  const auto first = leave();
  const auto nonce = fake.nonce;
  const auto second = leave(first.browser);
  EXPECT_EQ(second.browser, first.browser);
  EXPECT_NE(second.state, first.state);
  EXPECT_TRUE(come_back(second));
  fake.nonce = nonce;
  EXPECT_TRUE(come_back(first));
}

TEST_F(FlowTest, ACodeOfAnotherSignInIsOfNoUse) {
  // Somebody slips their own code into another's answer: nonce and verifier are not theirs.
  const auto victim = leave();
  const auto attacker = leave();
  (void)attacker;
  EXPECT_THAT(refusal(victim), HasSubstr("(nonce)"));
}

TEST_F(FlowTest, TheVerifierFitsTheChallengeAndIsNowhereElse) {
  const auto left = leave();
  ASSERT_TRUE(come_back(left));
  std::string verifier;
  for (const auto& request : fake.requests) {
    for (const auto& [name, value] : request.form) {
      if (name == "code_verifier") verifier = value;
    }
  }
  EXPECT_EQ(oauth::challenge_of(verifier), challenge);
  ASSERT_TRUE(town.store->kv().scan({}, Direction::kForward, [&](ByteView, ByteView value) {
    EXPECT_THAT(std::string(value),
                AllOf(Not(HasSubstr(verifier)), Not(HasSubstr(fake.nonce)),
                      Not(HasSubstr(left.browser)), Not(HasSubstr(left.state))));
    return Scan::kContinue;
  }));
}

TEST_F(FlowTest, IsOverAfterTenMinutes) {
  const auto left = leave();
  town.clock.advance(10min);
  EXPECT_THAT(refusal(left), HasSubstr("more than ten minutes ago"));
  Left unknown = leave();
  unknown.state.back() = unknown.state.back() == 'A' ? 'B' : 'A';
  EXPECT_THAT(refusal(unknown), HasSubstr("not known here"));
  unknown.state = "x";
  EXPECT_THAT(refusal(unknown), HasSubstr("not known here"));
  const auto none = flow.finish(*http::Query::parse("code=c1"), left.browser);
  EXPECT_THAT(none.error().message, HasSubstr("(state)"));
}

TEST_F(FlowTest, WhatTheProviderSaysIsNotRepeated) {
  EXPECT_THAT(refusal(leave(), "error=login_required&error_description=%3Cb%3Ecall%20me"),
              AllOf(HasSubstr("login_required"), Not(HasSubstr("call me"))));
  EXPECT_THAT(refusal(leave(), "error=%3Cscript%3E"), Not(HasSubstr("script")));
  EXPECT_THAT(refusal(leave(), ""), HasSubstr("no code"));
  EXPECT_THAT(refusal(leave(), "code=" + std::string(5000, 'x')), HasSubstr("over 4096 bytes"));
  EXPECT_THAT(refusal(leave(), "code=c1&iss=https%3A%2F%2Fevil.example"),
              HasSubstr("another provider"));
  EXPECT_THAT(refusal(leave(), "error=access_denied&iss=https%3A%2F%2Fevil.example"),
              HasSubstr("another provider"));
}

TEST_F(FlowTest, NothingIsStoredWhileTheProviderIsGone) {
  fake.down = true;
  EXPECT_EQ(flow.begin(kOrigin, "", "").error().code, Code::kUnavailable);
  std::size_t records = 0;
  ASSERT_TRUE(
      town.store->kv().scan(KeyRange::prefix("O"), Direction::kForward, [&](ByteView, ByteView) {
        ++records;
        return Scan::kContinue;
      }));
  EXPECT_EQ(records, 0U);
  EXPECT_EQ(flow.begin(kOrigin, "", std::string(201, 'x')).error().code, Code::kBadRequest);
}

}  // namespace
}  // namespace cairn::oidc
