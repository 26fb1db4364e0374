// list_delegates and get_delegate: everybody sees those below, and nobody else.
#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using tools_testing::all_pages;
using tools_testing::column;
using tools_testing::Says;
using tools_testing::text;

class ListDelegatesTest : public tools_testing::ToolTest {};

TEST_F(ListDelegatesTest, ADelegateSeesItsOwnAndThoseBelowThem) {
  const auto one = delegate({{"name", "one"}});
  clock_.advance(std::chrono::milliseconds(1));
  const auto two = delegate({{"name", "two"}});
  const auto below = delegate(one, {{"name", "below"}});
  EXPECT_THAT(column(call("list_delegates", {}), "delegates", "name"), ElementsAre("one", "two"));
  EXPECT_THAT(column(call("list_delegates", {{"parentId", id_of(one)}}), "delegates", "name"),
              ElementsAre("below"));
  EXPECT_THAT(column(call(one, "list_delegates", {}), "delegates", "name"), ElementsAre("below"));
  EXPECT_THAT(refused(one, "list_delegates", {{"parentId", id_of(two)}}),
              Says(Code::kDelegateNotFound, id_of(two)));
  EXPECT_EQ(refused(two, "get_delegate", {{"delegateId", id_of(below)}}).code,
            Code::kDelegateNotFound);
  EXPECT_EQ(refused(one, "get_delegate", {{"delegateId", id_of(owner_)}}).code,
            Code::kDelegateNotFound);
}

TEST_F(ListDelegatesTest, WhoAsksForNobodyGetsItself) {
  const auto one = delegate({{"name", "one"}});
  EXPECT_EQ(text(call(one, "get_delegate", {}), "delegateId"), id_of(one));
}

TEST_F(ListDelegatesTest, TheRevokedAreListedAsSuch) {
  const auto one = delegate({{"name", "one"}});
  call("revoke_delegate", {{"delegateId", id_of(one)}});
  const auto listed = call("list_delegates", {}).at("delegates").as_array();
  EXPECT_EQ(listed.at(0).at("revokedAt"), clock_.now());
}

TEST_F(ListDelegatesTest, PagesTogetherAreAllOfThemAndEachFitsAnAnswer) {
  std::vector<std::string> names;
  for (int i = 0; i < 250; ++i) {
    clock_.advance(std::chrono::milliseconds(1));  // ids sort by age
    names.push_back(fmt::format("{:03}{}", i, std::string(90, 'n')));
    call("create_delegate", {{"name", names.back()}});
  }
  for (const std::int64_t limit : {7, 1000}) {
    std::vector<std::string> shown;
    const auto pages = all_pages({{"limit", limit}}, [&](const json::Object& arguments) {
      return call("list_delegates", arguments);
    });
    EXPECT_GT(pages.size(), 1U);
    for (const auto& page : pages) {
      for (auto& name : column(page, "delegates", "name")) shown.push_back(std::move(name));
    }
    EXPECT_EQ(shown, names);
  }
  EXPECT_EQ(refused("list_delegates", {{"cursor", "made up"}}).code, Code::kInvalidCursor);
}

}  // namespace
}  // namespace cairn
