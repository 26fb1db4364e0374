#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::Each;
using testing::ElementsAre;
using tools_testing::all_pages;
using tools_testing::column;
using tools_testing::Says;
using tools_testing::text;

class GetAuditTest : public tools_testing::ToolTest {
 protected:
  json::Object log(const json::Object& query) { return call("get_audit", query); }
};

TEST_F(GetAuditTest, AnEntrySaysWhoDidWhatThroughWhatWithWhichOutcome) {
  const auto writer = delegate({{"canUpload", true}}).entering(Entrance::kRest);
  refused(writer, "fs_read", {{"nodeKey", depot_}, {"path", "nothing"}});
  const auto entry = log({{"tool", "fs_read"}}).at("entries").at(0).as_object();
  EXPECT_EQ(text(entry, "delegate"), id_of(writer));
  EXPECT_EQ(text(entry, "entrance"), "rest");
  EXPECT_EQ(text(entry, "context"), depot_ + " nothing");
  EXPECT_EQ(text(entry, "outcome"), "PATH_NOT_FOUND");
  EXPECT_EQ(entry.at("time"), clock_.now());
  EXPECT_THAT(text(entry, "message"), testing::HasSubstr("nothing"));
}

TEST_F(GetAuditTest, ARequestIsFoundByItsName) {
  const auto writer = delegate({{"canUpload", true}});
  for (const auto* name : {"r1", "r2", "r1"}) {
    call(writer.asking(name), "fs_ls", {{"nodeKey", depot_}});
  }
  EXPECT_THAT(column(log({{"request", "r1"}}), "entries", "request"), ElementsAre("r1", "r1"));
  EXPECT_THAT(column(log({{"request", "r3"}}), "entries", "request"), testing::IsEmpty());
}

TEST_F(GetAuditTest, AMessageIsOneLineThatIsNotLong) {
  const std::string path = std::string(2000, 'x') + "\n/y";
  refused("fs_read", {{"nodeKey", depot_}, {"path", path}});
  const auto entry = log({{"tool", "fs_read"}}).at("entries").at(0).as_object();
  EXPECT_LT(text(entry, "message").size(), 400U);
  EXPECT_FALSE(text(entry, "message").contains('\n'));
}

TEST_F(GetAuditTest, QuestionsNarrowWhatIsShown) {
  const auto writer = delegate({{"canUpload", true}});
  put("a", "1");
  const auto then = clock_.now();
  clock_.advance(std::chrono::seconds(10));
  call(writer, "fs_read", {{"nodeKey", depot_}, {"path", "a"}});
  refused(writer, "fs_read", {{"nodeKey", depot_}, {"path", "b"}});
  EXPECT_THAT(column(log({{"delegateId", id_of(writer)}}), "entries", "tool"),
              ElementsAre("fs_read", "fs_read"));
  EXPECT_THAT(column(log({{"outcome", "PATH_NOT_FOUND"}}), "entries", "context"),
              ElementsAre(depot_ + " b"));
  const auto early = log({{"until", then + 1}});
  EXPECT_THAT(column(early, "entries", "tool"), testing::Contains("fs_write"));
  EXPECT_THAT(column(early, "entries", "tool"), Each(testing::Ne("fs_read")));
  EXPECT_THAT(column(log({{"since", then + 1}, {"tool", "fs_write"}}), "entries", "tool"),
              testing::IsEmpty());
}

TEST_F(GetAuditTest, PagesTogetherAreTheWholeLogNewestFirst) {
  for (int i = 0; i < 9; ++i) write(fmt::format("f{}", i), "");
  std::vector<std::string> seen;
  for (const auto& page : all_pages({{"tool", "fs_write"}, {"limit", 4}},
                                    [&](const json::Object& query) { return log(query); })) {
    EXPECT_LE(page.at("entries").get_array().size(), 4U);
    for (auto& context : column(page, "entries", "context"))
      seen.push_back(context.substr(context.size() - 2));
  }
  EXPECT_THAT(seen, ElementsAre("f8", "f7", "f6", "f5", "f4", "f3", "f2", "f1", "f0"));
  EXPECT_EQ(refused("get_audit", {{"cursor", "made up"}}).code, Code::kInvalidCursor);
}

TEST_F(GetAuditTest, OnlyTheOwnerReadsItAndOnlyOfItsOwnRealm) {
  put("a", "1");
  const auto all = delegate({{"canUpload", true}, {"canManageDepot", true}});
  EXPECT_THAT(refused(all, "get_audit", {}), Says(Code::kForbidden, "owner of the realm"));
  const auto other = call(another_user("carol"), "get_audit", {});
  EXPECT_THAT(column(other, "entries", "tool"), Each(testing::Ne("fs_write")));
}

TEST_F(GetAuditTest, APageHasNoMoreThanAnAnswerHasRoomFor) {
  const std::string path(180, 'x');
  put(path, "1");
  for (int i = 0; i < 300; ++i) call("fs_read", {{"nodeKey", depot_}, {"path", path}});
  const auto pages = all_pages({{"tool", "fs_read"}, {"limit", 1000}},
                               [&](const json::Object& query) { return log(query); });
  std::size_t entries = 0;
  for (const auto& page : pages) {
    EXPECT_LE(json::write(json::Value(page)).size(), kMostBytes);
    entries += page.at("entries").get_array().size();
  }
  EXPECT_GT(pages.size(), 1U);
  EXPECT_EQ(entries, 300U);
}

}  // namespace
}  // namespace cairn
