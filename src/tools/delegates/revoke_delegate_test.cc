#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::Says;
using tools_testing::text;

class RevokeDelegateTest : public tools_testing::ToolTest {};

TEST_F(RevokeDelegateTest, WithADelegateGoAllBelowIt) {
  const auto parent = delegate({{"canUpload", true}});
  const auto child = delegate(parent, {});
  const auto other = delegate({});
  call("revoke_delegate", {{"delegateId", id_of(parent)}});
  EXPECT_THAT(refused(parent, "list_depots", {}),
              Says(Code::kDelegateRevoked, "this delegate was revoked"));
  EXPECT_THAT(refused(child, "list_depots", {}),
              Says(Code::kDelegateRevoked, "a delegate above this one"));
  call(other, "list_depots", {});
}

TEST_F(RevokeDelegateTest, WhatItCommittedStays) {
  const auto writer = delegate({{"canUpload", true}});
  const auto made =
      call(writer, "fs_write", {{"nodeKey", depot_}, {"path", "a"}, {"content", "1"}});
  call(writer, "depot_commit", {{"depotId", depot_}, {"root", made.at("newRoot")}});
  call("revoke_delegate", {{"delegateId", id_of(writer)}});
  EXPECT_EQ(content("a"), "1");
}

TEST_F(RevokeDelegateTest, RevokingAgainChangesNothing) {
  const auto child = delegate({});
  const auto first = call("revoke_delegate", {{"delegateId", id_of(child)}});
  clock_.advance(std::chrono::seconds(5));
  EXPECT_EQ(call("revoke_delegate", {{"delegateId", id_of(child)}}), first);
}

TEST_F(RevokeDelegateTest, OnlyWhoIsAboveRevokesAndOthersDoNotExist) {
  const auto one = delegate({});
  const auto two = delegate({});
  for (const auto& id : {id_of(two), id_of(owner_)}) {
    EXPECT_THAT(refused(one, "revoke_delegate", {{"delegateId", id}}),
                Says(Code::kDelegateNotFound, id));
  }
  EXPECT_EQ(refused(another_user("carol"), "revoke_delegate", {{"delegateId", id_of(one)}}).code,
            Code::kDelegateNotFound);
  call(two, "list_depots", {});
}

TEST_F(RevokeDelegateTest, TheRootDelegateIsNotRevoked) {
  EXPECT_THAT(refused("revoke_delegate", {{"delegateId", id_of(owner_)}}),
              Says(Code::kForbidden, "rotate its token"));
}

TEST_F(RevokeDelegateTest, WhatIsNoIdIsNamed) {
  EXPECT_THAT(refused("revoke_delegate", {{"delegateId", "carol"}}).message,
              testing::HasSubstr("carol"));
}

}  // namespace
}  // namespace cairn
