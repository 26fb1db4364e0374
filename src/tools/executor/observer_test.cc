#include "tools/executor/observer.h"

#include "tools/tools_testing.h"

namespace cairn {
namespace {

using testing::ElementsAre;
using tools_testing::text;

class ObserverTest : public tools_testing::ToolTest {
 protected:
  Observer& observer() { return executor().observer(); }
  std::string depots(const Caller& caller) {
    return observer().depots_stamp(caller.session()).value();
  }
  std::string depot(const Caller& caller) {
    return observer().depot_stamp(caller.session(), depot_).value();
  }
};

TEST_F(ObserverTest, TheStampOfTheListChangesWithDepotsAndTitlesOnly) {
  const auto first = depots(owner_);
  put("a", "1");
  EXPECT_EQ(depots(owner_), first);
  call("update_depot", {{"depotId", depot_}, {"title", "other"}});
  const auto renamed = depots(owner_);
  EXPECT_NE(renamed, first);
  const auto made = text(call("create_depot", {{"title", "new"}}), "depotId");
  EXPECT_NE(depots(owner_), renamed);
  call("delete_depot", {{"depotId", made}});
  EXPECT_EQ(depots(owner_), renamed);
}

TEST_F(ObserverTest, ADelegatesStampsTellNothingOfWhatItMayNotSee) {
  put_all({{"docs/a", "1"}, {"src/b", "1"}});
  const auto docs = writer_in("docs");
  const auto list = depots(docs);
  const auto place = depot(docs);
  call("create_depot", {{"title", "hidden"}});
  put("src/b", "2");
  EXPECT_EQ(depots(docs), list);
  EXPECT_EQ(depot(docs), place);
  put("docs/a", "2");
  EXPECT_NE(depot(docs), place);
}

TEST_F(ObserverTest, APlaceThatIsGoneHasAStampOfItsOwn) {
  put("docs/a", "1");
  const auto docs = writer_in("docs");
  const auto before = depot(docs);
  commit(text(call("fs_rm", {{"nodeKey", depot_}, {"path", "docs"}}), "newRoot"));
  EXPECT_NE(depot(docs), before);
  put("docs/a", "1");
  EXPECT_EQ(depot(docs), before);
}

TEST_F(ObserverTest, TheStampOfAPathChangesWithWhatIsBelowIt) {
  put_all({{"d/a", "1"}, {"e/b", "1"}});
  const auto stamp = [&] {
    return observer().path_stamp(owner_.session(), depot_, Path::parse("d").value()).value();
  };
  const auto before = stamp();
  put("e/b", "2");
  EXPECT_EQ(stamp(), before);
  put("d/a", "2");
  EXPECT_NE(stamp(), before);
}

TEST_F(ObserverTest, WhatMayNotBeSeenHasNoStamp) {
  put_all({{"docs/a", "1"}, {"src/b", "1"}});
  const auto other = another_user("carol");
  EXPECT_EQ(observer().depot_stamp(other.session(), depot_).error().code, Code::kDepotNotFound);
  const auto docs = writer_in("docs");
  EXPECT_EQ(observer().path_stamp(docs.session(), depot_, Path::parse("src").value()).error().code,
            Code::kPathNotFound);
}

TEST_F(ObserverTest, WatchersAreToldOfTheirRealmOnceTheChangeCanBeRead) {
  std::vector<std::string> told;
  auto watching = observer().watch_depots(engine_->owner(), [&](const DepotId& depot) {
    told.push_back(depot.render() + " " +
                   observer().title_of(engine_->owner(), depot).value_or("gone"));
  });
  call("update_depot", {{"depotId", depot_}, {"title", "new"}});
  EXPECT_THAT(told, ElementsAre(depot_ + " new"));
  told.clear();
  call(another_user("carol"), "create_depot", {{"title", "hers"}});
  EXPECT_THAT(told, testing::IsEmpty());
  call("delete_depot", {{"depotId", depot_}});
  EXPECT_THAT(told, ElementsAre(depot_ + " gone"));
  told.clear();
  watching.reset();
  call("create_depot", {{"title", "unseen"}});
  EXPECT_THAT(told, testing::IsEmpty());
}

}  // namespace
}  // namespace cairn
