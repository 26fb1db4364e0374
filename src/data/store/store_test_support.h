// Shared by the tests of this folder: a store over either backend, and small nodes to put in it.
#pragma once

#include <atomic>
#include <filesystem>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/store/embedded_store.h"
#include "data/store/layout.h"
#include "data/store/memory_backend.h"
#include "data/store/rocks_backend.h"

namespace cairn {

class TempDir final {
 public:
  TempDir() {
    std::random_device random;
    path_ = std::filesystem::temp_directory_path() /
            fmt::format("cairn_store_{:08x}{:08x}", random(), random());
    std::filesystem::create_directories(path_);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

MATCHER(IsOk, "") {
  if (arg.has_value()) return true;
  *result_listener << arg.error().render();
  return false;
}

MATCHER_P(FailsWith, code, std::string(info(code).name)) {
  if (arg.has_value()) {
    *result_listener << "succeeded";
    return false;
  }
  *result_listener << arg.error().render();
  return arg.error().code == code;
}

// Counts syncs, and fails writes when told to.
class TestBackend final : public Backend {
 public:
  explicit TestBackend(std::unique_ptr<Backend> inner) : inner_(std::move(inner)) {}

  Result<bool> read(Table table, ByteView key, const Reader& reader) const override {
    return inner_->read(table, key, reader);
  }
  Result<void> scan(Table table, const KeyRange& range, Direction direction,
                    const KeyValueStore::Visitor& visit) const override {
    return inner_->scan(table, range, direction, visit);
  }
  Result<void> write(const Changes& changes, Durability durability) override {
    ++writes;
    if (durability == Durability::kSynced) ++syncs;
    if (broken) return fail(Code::kIoError, "the disk is full");
    if (before_write) before_write();
    return inner_->write(changes, durability);
  }
  Result<void> reclaim(Table table, const KeyRange& range) override {
    return inner_->reclaim(table, range);
  }
  Result<std::unique_ptr<Backend>> snapshot() const override { return inner_->snapshot(); }
  Result<void> checkpoint(const std::filesystem::path& target) override {
    return inner_->checkpoint(target);
  }

  std::atomic<int> writes = 0;
  std::atomic<int> syncs = 0;
  std::atomic<bool> broken = false;
  std::function<void()> before_write;

 private:
  std::unique_ptr<Backend> inner_;
};

enum class BackendKind { kMemory, kRocks };

inline std::string backend_name(const ::testing::TestParamInfo<BackendKind>& param) {
  return param.param == BackendKind::kMemory ? "Memory" : "Rocks";
}

inline auto both_backends() { return ::testing::Values(BackendKind::kMemory, BackendKind::kRocks); }

inline std::unique_ptr<Backend> make_backend(BackendKind kind, const std::filesystem::path& where) {
  if (kind == BackendKind::kMemory) return std::make_unique<MemoryBackend>();
  return RocksBackend::open(where, {}).value();
}

inline RealmId realm_number(char number) { return RealmId::from_bytes(Bytes(16, number)); }
inline NodePtr file(std::string_view content) { return make_file("text/plain", content); }
inline NodePtr dict_of(std::string_view name, const NodePtr& child) {
  const Entry entry = entry_for(name, *child);
  return make_dict({&entry, 1});
}

// A store over one of the backends with a clock that stands still.
class StoreTest : public ::testing::TestWithParam<BackendKind> {
 protected:
  StoreTest() { reopen({}); }

  void reopen(StoreOptions options) {
    auto made = std::make_unique<TestBackend>(make_backend(GetParam(), dir / "db"));
    backend = made.get();
    store = EmbeddedStore::open(std::move(made), clock, options).value();
  }

  KeyValueStore& kv() { return store->kv(); }
  NodeStore& nodes() { return store->nodes(realm); }

  std::optional<Bytes> value(ByteView key) { return kv().get(key).value(); }
  std::vector<std::string> keys(const KeyRange& range, Direction direction = Direction::kForward) {
    std::vector<std::string> found;
    EXPECT_THAT(kv().scan(range, direction,
                          [&](ByteView key, ByteView) {
                            found.emplace_back(key);
                            return Scan::kContinue;
                          }),
                IsOk());
    return found;
  }

  static Batch put_batch(Bytes key, Bytes value) {
    Batch batch;
    batch.puts.push_back({std::move(key), std::move(value)});
    return batch;
  }
  Batch node_batch(std::vector<NodePtr> added) const {
    Batch batch;
    batch.realm = realm;
    batch.nodes = std::move(added);
    return batch;
  }

  TempDir dir;
  ManualClock clock;
  const RealmId realm = realm_number(7);
  TestBackend* backend = nullptr;
  std::unique_ptr<Store> store;
};

}  // namespace cairn
