#include "exposure/client/address.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace cairn::client {
namespace {

// Knows depots by their titles, two on a page.
class Shelf final : public Client {
 public:
  explicit Shelf(std::vector<std::string> titles) : titles_(std::move(titles)) {}

  Result<json::Value> call(std::string_view tool, const json::Object& arguments) override {
    EXPECT_EQ(tool, "list_depots");
    if (const auto* title = json::find(arguments, "title")) return titled(json::text(*title));
    listed += 1;
    std::size_t at = 0;
    if (const auto* cursor = json::find(arguments, "cursor")) {
      at = static_cast<std::size_t>(std::stoul(std::string(json::text(*cursor))));
    }
    json::Array depots;
    const auto end = std::min(at + 2, titles_.size());
    for (; at < end; ++at) {
      depots.emplace_back(
          json::Object{{"depotId", "dpt_" + std::to_string(at)}, {"title", titles_[at]}});
    }
    json::Object out{{"depots", std::move(depots)}};
    out["nextCursor"] =
        at < titles_.size() ? json::Value(std::to_string(at)) : json::Value(nullptr);
    return out;
  }
  Result<json::Object> stream(std::string_view, const json::Object&, const RowSink&) override {
    return fail(Code::kInternal, "no rows here");
  }
  Result<void> read_file(std::string_view, std::string_view, const Sink&) override { return {}; }
  Result<json::Value> write_file(std::string_view, std::string_view, const Source&) override {
    return json::Value();
  }

  int listed = 0;  // calls that did not name a title

 private:
  json::Value titled(std::string_view title) const {
    json::Array depots;
    for (std::size_t i = 0; i < titles_.size(); ++i) {
      if (titles_[i] != title) continue;
      depots.emplace_back(json::Object{{"depotId", "dpt_" + std::to_string(i)}, {"title", title}});
    }
    return json::Object{{"depots", std::move(depots)}, {"nextCursor", nullptr}};
  }

  std::vector<std::string> titles_;
};

TEST(Address, EndsItsTreeAtTheFirstColon) {
  struct Case {
    std::string_view text, tree, path;
  };
  for (const auto& c :
       {Case{"d", "d", ""}, Case{"d:", "d", ""}, Case{"d:a/b", "d", "a/b"}, Case{"d:/a", "d", "a"},
        Case{"d:a:b", "d", "a:b"}, Case{":a", "", "a"}, Case{"dpt_1/docs:a", "dpt_1/docs", "a"},
        Case{"d@~1:a", "d@~1", "a"}, Case{"d@v1:10:30", "d@v1", "10:30"},
        Case{"d@2026-11-17T14:30", "d@2026-11-17T14:30", ""},
        Case{"d@2026-11-17T14:30:a", "d@2026-11-17T14:30", "a"},
        Case{"d@2026-11-17 14:30:15:a:b", "d@2026-11-17 14:30:15", "a:b"},
        Case{"d@2026-11-17:14:30", "d@2026-11-17", "14:30"}}) {
    auto address = Address::parse(c.text);
    EXPECT_EQ(address.tree, c.tree) << c.text;
    EXPECT_EQ(address.path, c.path) << c.text;
  }
}

TEST(Resolve, TakesAVersionBehindATitleUnlessADepotHasThatTitle) {
  Shelf shelf({"p", "q", "q@~1"});
  const auto key = [&](std::string_view tree) { return resolve(shelf, tree).value().key; };
  EXPECT_EQ(key("p@~1"), "dpt_0@~1");
  EXPECT_EQ(key("p@#14"), "dpt_0@#14");
  EXPECT_EQ(key("q@~1"), "dpt_2");
  EXPECT_EQ(key("q@~2"), "dpt_1@~2");
  EXPECT_EQ(key("dpt_7@v1"), "dpt_7@v1");
  EXPECT_EQ(key("p@2026-11-17T14:30Z"), "dpt_0@2026-11-17T14:30Z");
  EXPECT_TRUE(key("p@2026-11-17T14:30").ends_with("Z")) << "of this machine's zone";
  EXPECT_EQ(resolve(shelf, "p@?").error().code, Code::kInvalidArgument);
  EXPECT_EQ(resolve(shelf, "r@~1").error().code, Code::kDepotNotFound);
}

TEST(Resolve, TakesIdsAndKeysAsTheyAre) {
  Shelf shelf({});
  auto depot = resolve(shelf, "dpt_7");
  ASSERT_TRUE(depot);
  EXPECT_EQ(depot->kind, TreeKind::kDepot);
  auto node = resolve(shelf, "nod_7");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->kind, TreeKind::kNode);
  EXPECT_FALSE(resolve_depot(shelf, "nod_7"));
}

TEST(Resolve, FindsATitleWithoutListingTheOthers) {
  Shelf shelf({"a", "b", "c", "d", "e"});
  auto depot = resolve(shelf, "e");
  ASSERT_TRUE(depot);
  EXPECT_EQ(depot->key, "dpt_4");
  EXPECT_EQ(shelf.listed, 0);
}

TEST(Resolve, NamesTheIdsWhenSeveralHaveTheTitle) {
  Shelf shelf({"same", "b", "same"});
  auto depot = resolve(shelf, "same");
  ASSERT_FALSE(depot);
  EXPECT_EQ(depot.error().code, Code::kAmbiguousKey);
  EXPECT_NE(depot.error().message.find("dpt_0, dpt_2"), std::string::npos);
}

TEST(Resolve, SuggestsATitleThatIsNear) {
  Shelf shelf({"my-project"});
  auto depot = resolve(shelf, "my-projct");
  ASSERT_FALSE(depot);
  EXPECT_EQ(depot.error().code, Code::kDepotNotFound);
  EXPECT_NE(depot.error().message.find("did you mean 'my-project'?"), std::string::npos);
  auto missing = find_tree(shelf, "other");
  ASSERT_TRUE(missing);
  EXPECT_FALSE(*missing);
}

TEST(ResolveFile, WantsAPath) {
  Shelf shelf({"d"});
  EXPECT_FALSE(resolve_file(shelf, "d"));
  EXPECT_FALSE(resolve_file(shelf, "d:/"));
  auto file = resolve_file(shelf, "d:a/b/");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->path, "a/b");
}

}  // namespace
}  // namespace cairn::client
