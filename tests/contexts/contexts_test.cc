// JSON tools on a store: every acknowledged element is there, once; a document is parsed once; a
// small change of a large document stores little.

#include <algorithm>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "data/cas/chunker.h"
#include "data/realm/realm.h"
#include "tools/engine/engine.h"
#include "tools/json/documents.h"

namespace cairn {
namespace {

class Contexts : public ::testing::Test {
 protected:
  Contexts() {
    engine_ = std::move(*Engine::in_memory(clock_, random_, meter_));
    caller_.emplace(*engine_->executor().trusted(engine_->owner(), Entrance::kRest));
    depot_ = must("create_depot", {{"title", "d"}})["depotId"].as_string().c_str();
  }

  Result<Reply> call(std::string_view tool, const json::Object& arguments) {
    return engine_->executor().run(*caller_, tool, json::Value(arguments));
  }
  json::Object must(std::string_view tool, const json::Object& arguments) {
    auto reply = call(tool, arguments);
    EXPECT_TRUE(reply) << tool << ": " << (reply ? "" : reply.error().render());
    return reply ? reply->value.as_object() : json::Object();
  }
  // Larger than a tool takes: through the realm itself.
  void put(const std::string& path, const std::string& content) {
    auto& realm = this->realm();
    const auto depot = *DepotId::parse(depot_);
    const auto root = realm.get_depot(depot)->root;
    Stage stage(realm.nodes());
    auto written = write(stage, view_tree(realm.nodes(), root)->root, *Path::parse(path), content);
    ASSERT_TRUE(written);
    CommitRequest request{.depot = depot,
                          .root = written->root->key(),
                          .made_on = root,
                          .message = "put",
                          .force = false,
                          .author = std::nullopt};
    ASSERT_TRUE(realm.commit(request, stage, written->linked));
  }
  std::string text(const std::string& path) {
    auto& realm = this->realm();
    const auto tree = *view_tree(realm.nodes(), realm.get_depot(*DepotId::parse(depot_))->root);
    Budget budget(clock_, {});
    return read(tree, *Path::parse(path), ByteRange{}, budget)->content;
  }
  Realm& realm() { return engine_->services().realms.get(engine_->owner()); }
  json::Object at(const std::string& path, json::Object more = {}) {
    more["depotId"] = depot_;
    more["path"] = path;
    return more;
  }
  std::uint64_t stored() { return realm().usage()->logical_bytes; }

  ManualClock clock_;
  SeededRandom random_{1};
  NoMeter meter_;
  std::unique_ptr<Engine> engine_;
  std::optional<Caller> caller_;
  std::string depot_;
};

// About `mebibytes` of records in a list.
std::string large_list(std::size_t mebibytes) {
  std::string out = "[\n";
  for (int i = 0; out.size() < mebibytes << 20; ++i) {
    out += fmt::format(
        "  {{\"id\": {}, \"name\": \"record {}\", \"price\": {}.50, \"tags\": [\"a\", "
        "\"b{}\"]}},\n",
        i, i * 7919, i % 1000, i % 13);
  }
  out += "  null\n]\n";
  return out;
}

TEST_F(Contexts, ThirtyTwoWritersLoseNothing) {
  put("list.json", "[]\n");
  put("dict.json", "{}\n");
  put("other.json", "0\n");
  std::vector<std::jthread> threads;
  std::atomic<int> acknowledged = 0;
  for (int writer = 0; writer < 32; ++writer) {
    threads.emplace_back([&, writer] {
      for (int i = 0; i < 8; ++i) {
        const auto name = fmt::format("{}.{}", writer, i);
        const bool list = i % 2 == 0;
        auto done =
            list ? call("json_create", at("list.json", {{"items", json::Array{name}}}))
                 : call("json_create", at("dict.json", {{"items", json::Object{{name, writer}}}}));
        EXPECT_TRUE(done) << (done ? "" : done.error().render());
        acknowledged += done.has_value();
      }
    });
  }
  threads.clear();
  EXPECT_EQ(acknowledged, 32 * 8);
  const auto list = json::parse(text("list.json"))->as_array();
  std::set<std::string> names;
  for (const auto& name : list) names.insert(std::string(json::text(name)));
  EXPECT_EQ(list.size(), 32 * 4U);
  EXPECT_EQ(names.size(), 32 * 4U);
  EXPECT_EQ(json::parse(text("dict.json"))->as_object().size(), 32 * 4U);
}

// Others that commit to the depot by other ways are in nobody's way either.
TEST_F(Contexts, WritersOfOtherFilesAreNotInTheWay) {
  put("list.json", "[]\n");
  std::jthread other([&] {
    for (int i = 0; i < 40; ++i) {
      auto written = must(
          "fs_write", {{"nodeKey", depot_}, {"path", fmt::format("f{}.txt", i)}, {"content", "x"}});
      must("depot_commit", {{"depotId", depot_}, {"root", written["newRoot"]}});
    }
  });
  for (int i = 0; i < 40; ++i) must("json_create", at("list.json", {{"items", json::Array{i}}}));
  other.join();
  EXPECT_EQ(json::parse(text("list.json"))->as_array().size(), 40U);
  EXPECT_EQ(must("fs_ls", {{"nodeKey", depot_}})["total"].to_number<int>(), 41);
}

TEST_F(Contexts, ADocumentIsParsedOnce) {
  put("large.json", large_list(10));
  auto& documents = engine_->services().documents;
  const auto before = documents.parsed();
  for (int i = 0; i < 5; ++i) {
    const auto answer = must("json_query", at("large.json", {{"expression", "[-2].id"}}));
    EXPECT_TRUE(answer.at("result").is_int64());
    must("json_get_schema", at("large.json"));
    must("json_preview", at("large.json"));
  }
  EXPECT_EQ(documents.parsed() - before, 1U);
  // Another file with the same content is the same document.
  must("depot_commit",
       {{"depotId", depot_},
        {"root", must("fs_cp", {{"nodeKey", depot_}, {"from", "large.json"}, {"to", "copy.json"}})
                     .at("newRoot")}});
  must("json_query", at("copy.json", {{"expression", "length(@)"}}));
  EXPECT_EQ(documents.parsed() - before, 1U);
}

TEST_F(Contexts, ASmallChangeOfALargeDocumentStoresLittle) {
  const auto before = large_list(10);
  put("large.json", before);
  for (int index : {0, 50'000, -2}) {
    const auto had = stored();
    const auto was = text("large.json");
    must("json_update",
         at("large.json",
            {{"items", json::Array{json::Object{{"index", index}, {"value", "changed"}}}}}));
    const auto grew = stored() - had;
    // Two chunks, and the small nodes above them.
    EXPECT_LE(grew, 2 * kMaxChunk + 64 * 1024) << "of element " << index;
    // Nothing around the element has changed.
    const auto now = text("large.json");
    const auto begin = std::ranges::mismatch(was, now).in2 - now.begin();
    const auto end =
        std::mismatch(was.rbegin(), was.rend(), now.rbegin(), now.rend()).second - now.rbegin();
    EXPECT_EQ(now.substr(begin, now.size() - begin - end), "\"changed\"");
  }
}

TEST_F(Contexts, LargeAnswersAreCut) {
  put("large.json", large_list(2));
  for (const auto* tool : {"json_get_all", "json_query", "json_preview", "json_select"}) {
    auto arguments = at("large.json", {{"expression", "@"}});
    if (tool != std::string_view("json_query")) arguments.erase("expression");
    if (tool == std::string_view("json_preview")) arguments["limit"] = 1000;
    if (tool == std::string_view("json_select")) {
      arguments["field"] = "price";
      arguments["keys"] = json::Array{1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5};
      arguments["limit"] = 1000;
    }
    const auto answer = must(tool, arguments);
    EXPECT_LE(json::write(json::Value(answer)).size(), 60'000U) << tool;
    if (tool != std::string_view("json_select")) {
      EXPECT_TRUE(answer.at("truncated").as_bool()) << tool;
      EXPECT_TRUE(answer.contains("hint")) << tool;
    }
  }
}

TEST_F(Contexts, BadDocumentsAreSaidToBeBad) {
  put("broken.json", "{\"a\": }");
  put("dir/x.json", "1");
  auto broken = call("json_get_all", at("broken.json"));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Code::kInvalidJson);
  EXPECT_NE(broken.error().message.find("broken.json"), std::string::npos);
  auto dir = call("json_get_all", at("dir"));
  ASSERT_FALSE(dir);
  EXPECT_EQ(dir.error().code, Code::kNotAFile);
  auto node =
      call("json_create", {{"depotId", realm().get_depot(*DepotId::parse(depot_))->root.render()},
                           {"path", "dir/x.json"},
                           {"items", json::Array{1}}});
  ASSERT_FALSE(node);
  EXPECT_EQ(node.error().code, Code::kInvalidArgument);
}

}  // namespace
}  // namespace cairn
