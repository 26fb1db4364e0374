// claim_nodes and check_nodes: what a delegate may name by key, and how it comes to.
#include "base/base64.h"
#include "base/sha256.h"
#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using tools_testing::Says;
using tools_testing::text;

class ClaimNodesTest : public tools_testing::ToolTest {
 protected:
  ClaimNodesTest() {
    put_all({{"docs/a", "1"}, {"docs/deep/b", "2"}, {"src/secret", "3"}});
    token_ = text(
        call("create_delegate", {{"canUpload", true}, {"scope", json::Array{depot_ + "/docs"}}}),
        "accessToken");
    writer_.emplace(with_token(token_));
  }

  NodePtr node(std::string_view navigation) {
    return executor()
        .run(owner_, "get_node", json::Object{{"nodeKey", depot_}, {"navigation", navigation}})
        .value()
        .node;
  }
  std::string proof(ByteView bytes) const {
    const auto key = sha256(token_);
    const auto made = hmac_sha256({reinterpret_cast<const char*>(key.data()), key.size()}, bytes);
    return base64_encode({reinterpret_cast<const char*>(made.data()), made.size()});
  }
  static json::Object claims(const json::Array& list) { return {{"claims", list}}; }
  // Which of these it may use by key.
  std::vector<std::string> owned(const json::Array& keys) {
    const auto answer = call(*writer_, "check_nodes", {{"keys", keys}});
    std::vector<std::string> out;
    for (const auto& key : answer.at("owned").get_array()) out.emplace_back(json::text(key));
    return out;
  }

  std::string token_;
  std::optional<Caller> writer_;
};

TEST_F(ClaimNodesTest, WhoHasTheBytesMayNameTheNode) {
  const auto secret = node("~1/~0");
  const auto key = secret->key().render();
  EXPECT_THAT(owned({key}), IsEmpty());
  call(*writer_, "claim_nodes",
       claims({json::Object{{"key", key}, {"pop", proof(secret->bytes())}}}));
  EXPECT_THAT(owned({key}), ElementsAre(key));
  EXPECT_EQ(text(call(*writer_, "fs_read", {{"nodeKey", key}}), "content"), "3");
}

TEST_F(ClaimNodesTest, AWrongProofLooksLikeANodeThatIsNotThere) {
  const auto there = node("~1/~0")->key().render();
  const auto nowhere = NodeKey::of("nothing").render();
  std::vector<std::string> said;
  for (const auto& key : {there, nowhere}) {
    const auto error = refused(*writer_, "claim_nodes",
                               claims({json::Object{{"key", key}, {"pop", proof("a guess")}}}));
    EXPECT_EQ(error.code, Code::kNodeNotAuthorized);
    auto message = error.message;
    message.replace(message.find(key), key.size(), "KEY");
    said.push_back(message);
  }
  EXPECT_EQ(said[0], said[1]);
}

TEST_F(ClaimNodesTest, AProofIsMadeWithOnesOwnToken) {
  const auto secret = node("~1/~0");
  const auto claim =
      claims({json::Object{{"key", secret->key().render()}, {"pop", proof(secret->bytes())}}});
  const auto another = writer_in("docs");
  EXPECT_EQ(refused(another, "claim_nodes", claim).code, Code::kNodeNotAuthorized);
  // The owner acts without one here.
  EXPECT_THAT(refused(owner_, "claim_nodes", claim), Says(Code::kInvalidArgument, "needs a token"));
}

TEST_F(ClaimNodesTest, WhatIsBelowSomethingOneSeesMayBeNamed) {
  const auto deep = node("~0/~1/~0")->key().render();
  EXPECT_THAT(owned({deep}), IsEmpty());
  call(*writer_, "claim_nodes",
       claims({json::Object{{"key", deep}, {"from", depot_}, {"path", "~1/~0"}}}));
  EXPECT_THAT(owned({deep}), ElementsAre(deep));
}

TEST_F(ClaimNodesTest, APathThatLeadsElsewhereOrOutsideProvesNothing) {
  const auto secret = node("~1/~0")->key().render();
  for (const auto* path : {"~0", "~1/~0", "~9", "a"}) {
    EXPECT_EQ(refused(*writer_, "claim_nodes",
                      claims({json::Object{{"key", secret}, {"from", depot_}, {"path", path}}}))
                  .code,
              Code::kNodeNotAuthorized)
        << path;
  }
  EXPECT_THAT(refused(*writer_, "claim_nodes",
                      claims({json::Object{{"key", secret}, {"from", root()}, {"path", "~1/~0"}}})),
              Says(Code::kNodeNotAuthorized, root()));
  EXPECT_THAT(owned({secret}), IsEmpty());
}

TEST_F(ClaimNodesTest, AllAreClaimedOrNone) {
  const auto good = node("~0/~0");
  const auto bad = node("~1/~0")->key().render();
  refused(*writer_, "claim_nodes",
          claims({json::Object{{"key", good->key().render()}, {"pop", proof(good->bytes())}},
                  json::Object{{"key", bad}, {"pop", "no proof"}}}));
  EXPECT_THAT(owned({good->key().render()}), IsEmpty());
}

TEST_F(ClaimNodesTest, AClaimHasOneProof) {
  const auto key = node("~0/~0")->key().render();
  EXPECT_THAT(refused(*writer_, "claim_nodes", claims({json::Object{{"key", key}}})),
              Says(Code::kInvalidArgument, "either pop, or from and path"));
  EXPECT_EQ(refused(*writer_, "claim_nodes",
                    claims({json::Object{{"key", key}, {"pop", "x"}, {"from", depot_}}}))
                .code,
            Code::kInvalidArgument);
}

TEST_F(ClaimNodesTest, AKeyThatOneMayNotSeeCountsAsMissing) {
  const auto secret = node("~1/~0")->key().render();
  const auto nowhere = NodeKey::of("nothing").render();
  const auto seen = call(*writer_, "check_nodes", {{"keys", json::Array{secret, nowhere}}});
  EXPECT_EQ(seen.at("missing").get_array().size(), 2U);
  const auto all = call("check_nodes", {{"keys", json::Array{secret, nowhere}}});
  EXPECT_EQ(json::text(all.at("owned").at(0)), secret);
  EXPECT_EQ(json::text(all.at("missing").at(0)), nowhere);
  EXPECT_THAT(refused("check_nodes", {{"keys", json::Array{"nod_short"}}}).message,
              testing::HasSubstr("nod_short"));
}

}  // namespace
}  // namespace cairn
