// What a call costs on its way: how often its arguments are held against a schema, and what it
// reads of the store. A figure that grows is a step taken twice; one that shrinks is to be written
// down here.
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/store/open.h"
#include "tools/engine/engine.h"

namespace cairn {
namespace {

struct Reads {
  int records = 0;
  int scans = 0;
  int nodes = 0;
  int commits = 0;

  bool operator==(const Reads&) const = default;
};

void PrintTo(const Reads& reads, std::ostream* out) {
  *out << fmt::format("{} records, {} scans, {} nodes, {} commits", reads.records, reads.scans,
                      reads.nodes, reads.commits);
}

class CountingRecords final : public KeyValueStore {
 public:
  CountingRecords(KeyValueStore& below, Reads& reads) : below_(below), reads_(reads) {}

  Result<std::optional<Bytes>> get(ByteView key) const override {
    ++reads_.records;
    return below_.get(key);
  }
  Result<void> scan(const KeyRange& range, Direction direction,
                    const Visitor& visit) const override {
    ++reads_.scans;
    return below_.scan(range, direction, visit);
  }
  Result<void> commit(Batch batch) override {
    ++reads_.commits;
    return below_.commit(std::move(batch));
  }
  std::unique_ptr<Subscription> watch(KeyRange range, Watcher watcher) override {
    return below_.watch(std::move(range), std::move(watcher));
  }

 private:
  KeyValueStore& below_;
  Reads& reads_;
};

// A node that the store has in memory counts as one that is read.
class CountingNodes final : public NodeStore {
 public:
  CountingNodes(NodeStore& below, Reads& reads) : below_(below), reads_(reads) {}

  Result<NodePtr> get(const NodeKey& key) const override {
    ++reads_.nodes;
    return below_.get(key);
  }
  const RealmId& realm() const override { return below_.realm(); }
  Result<bool> has(const NodeKey& key) const override {
    ++reads_.nodes;
    return below_.has(key);
  }
  Result<void> put(std::span<const NodePtr> nodes) override { return below_.put(nodes); }
  Result<std::vector<NodeKey>> find(const NodeKey& low, const NodeKey& high,
                                    std::size_t limit) const override {
    ++reads_.scans;
    return below_.find(low, high, limit);
  }
  Result<void> for_each(const std::function<bool(const NodeInfo&)>& visit) const override {
    ++reads_.scans;
    return below_.for_each(visit);
  }
  Result<NodePtr> get_uncached(const NodeKey& key) const override {
    ++reads_.nodes;
    return below_.get_uncached(key);
  }
  Result<std::unique_ptr<Sweep>> begin_sweep() override { return below_.begin_sweep(); }
  Result<Usage> usage() const override { return below_.usage(); }
  Result<void> set_quota(std::uint64_t bytes) override { return below_.set_quota(bytes); }

 private:
  NodeStore& below_;
  Reads& reads_;
};

class CountingStore final : public Store {
 public:
  CountingStore(const Clock& clock, Reads& reads)
      : below_(make_memory_store(clock)), records_(below_->kv(), reads), reads_(reads) {}

  KeyValueStore& kv() override { return records_; }
  NodeStore& nodes(const RealmId& realm) override {
    auto& mine = nodes_[realm];
    if (!mine) mine = std::make_unique<CountingNodes>(below_->nodes(realm), reads_);
    return *mine;
  }
  Result<std::vector<RealmId>> realms() const override { return below_->realms(); }
  Result<std::unique_ptr<Store>> snapshot() override { return below_->snapshot(); }
  Result<void> backup(const std::filesystem::path& target) override {
    return below_->backup(target);
  }

 private:
  std::unique_ptr<Store> below_;
  CountingRecords records_;
  Reads& reads_;
  std::map<RealmId, std::unique_ptr<CountingNodes>> nodes_;
};

class CostTest : public testing::Test {
 protected:
  CostTest() {
    engine_ = std::move(
        *Engine::over(std::make_unique<CountingStore>(clock_, reads_), clock_, random_, meter_));
    owner_.emplace(*engine_->executor().trusted(engine_->owner(), Entrance::kMcp));
    depot_ = json::text(must("create_depot", {{"title", "d"}})["depotId"]);
    const auto written =
        must("fs_write",
             {{"nodeKey", depot_}, {"path", "dir/a.json"}, {"content", R"({"orders": {"n": 1}})"}});
    must("depot_commit", {{"depotId", depot_}, {"root", written.at("newRoot")}});
  }

  json::Object must(std::string_view tool, const json::Object& arguments) {
    auto reply = engine_->executor().run(*owner_, tool, json::Value(arguments));
    EXPECT_TRUE(reply) << tool << ": " << (reply ? "" : reply.error().render());
    return reply ? reply->value.as_object() : json::Object();
  }
  // Schema checks of all tools that take part.
  std::uint64_t checks(std::initializer_list<const Tool*> tools) const {
    std::uint64_t sum = 0;
    for (const auto* tool : tools) sum += tool->compiled.checks();
    for (const auto& tool : engine_->executor().table().tools()) sum += tool.compiled.checks();
    return sum;
  }

  ManualClock clock_;
  SeededRandom random_{1};
  NoMeter meter_;
  Reads reads_;
  std::unique_ptr<Engine> engine_;
  std::optional<Caller> owner_;
  std::string depot_;
};

TEST_F(CostTest, AnEdit) {
  const auto checked = checks({});
  reads_ = {};
  must("fs_edit", {{"nodeKey", depot_},
                   {"path", "dir/a.json"},
                   {"edits", json::Array{json::Object{{"oldText", "1"}, {"newText", "2"}}}}});
  EXPECT_EQ(checks({}) - checked, 1U);
  // The records: what the new root grew from, and the caller's uncommitted root that it replaces,
  // told of or not.
  EXPECT_EQ(reads_, (Reads{.records = 3, .nodes = 4, .commits = 2}));
}

TEST_F(CostTest, ABoundUpdate) {
  const auto made =
      must("create_endpoint",
           {{"name", "e"},
            {"type", "rest"},
            {"bindings", json::Array{json::Object{{"tool", json::Object{{"operationType", "update"},
                                                                        {"depotId", depot_},
                                                                        {"path", "dir/a.json"},
                                                                        {"jsonPath", "/orders"}}},
                                                  {"toolName", "change"}}}}});
  const std::string key(json::text(made.at("apiKey")));
  ASSERT_TRUE(engine_->bound().open(key, Entrance::kRest));
  reads_ = {};
  auto box = engine_->bound().open(key, Entrance::kRest);
  ASSERT_TRUE(box);
  const auto* tool = (*box)->find("change").value();
  const auto checked = checks({tool});
  auto reply = (*box)->run(*tool, {{"items", json::Object{{"n", 2}}}}, {});
  ASSERT_TRUE(reply) << reply.error().render();
  EXPECT_EQ(checks({tool}) - checked, 1U);
  // Two of the nodes are for how deep the commit nests directories.
  EXPECT_EQ(reads_, (Reads{.records = 1, .nodes = 6, .commits = 2}));
}

TEST_F(CostTest, AnEditInAWorkspace) {
  auto box = engine_->workspaces().open(*owner_, depot_, "desk", {});
  ASSERT_TRUE(box) << box.error().render();
  const auto* read = (*box)->find("read_text_file").value();
  ASSERT_TRUE((*box)->run(*read, {{"path", "dir/a.json"}}, {}));
  const auto* tool = (*box)->find("edit_file").value();
  const auto checked = checks({tool});
  reads_ = {};
  auto reply =
      (*box)->run(*tool,
                  {{"path", "dir/a.json"},
                   {"edits", json::Array{json::Object{{"oldText", "1"}, {"newText", "2"}}}}},
                  {});
  ASSERT_TRUE(reply) << reply.error().render();
  EXPECT_EQ(checks({tool}) - checked, 1U);
  EXPECT_EQ(reads_, (Reads{.records = 1, .nodes = 9, .commits = 2}));
}

TEST_F(CostTest, AWorkspaceByItsTitleHoweverManyDepotsThereAre) {
  const auto opening = [&] {
    reads_ = {};
    auto box = engine_->workspaces().open(*owner_, "d", "desk", {});
    EXPECT_TRUE(box) << (box ? "" : box.error().render());
    return reads_;
  };
  const auto alone = opening();
  EXPECT_EQ(alone.scans, 0);
  for (int i = 0; i < 30; ++i) must("create_depot", {{"title", fmt::format("other {}", i)}});
  EXPECT_EQ(opening(), alone);
}

}  // namespace
}  // namespace cairn
