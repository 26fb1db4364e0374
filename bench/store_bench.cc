// What the store costs: durable commits, reads from disk, hits of the cache.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>

#include <benchmark/benchmark.h>

#include "data/store/open.h"

namespace cairn {
namespace {

constexpr int kNodes = 15'000;
constexpr std::size_t kNodeBytes = 3 * 1024;

const RealmId kRealm = RealmId::from_bytes(Bytes(16, 'r'));

// Text that compresses about as source code does.
NodePtr text_node(std::mt19937_64& random) {
  static const auto words = [] {
    std::mt19937_64 letters(1);
    std::vector<std::string> made(800);
    for (auto& word : made) {
      for (std::size_t i = 2 + letters() % 9; i > 0; --i) {
        word += static_cast<char>('a' + letters() % 26);
      }
    }
    return made;
  }();
  std::string text;
  while (text.size() < kNodeBytes) {
    text += words[random() % (1 + random() % words.size())];
    text += random() % 8 == 0 ? ";\n  " : " ";
  }
  return make_file("text/plain", text);
}

// A store in a temporary directory, gone with the benchmark.
class Disk {
 public:
  Disk() : path_(std::filesystem::temp_directory_path() / "cairn_store_bench") {
    std::filesystem::remove_all(path_);
    reopen();
  }
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;
  ~Disk() {
    store_.reset();
    std::filesystem::remove_all(path_);
  }

  // What was written goes from the log to the tables.
  void reopen() {
    store_.reset();
    store_ = open_rocks_store(path_, clock_).value();
  }
  Store& store() { return *store_; }
  NodeStore& nodes() { return store_->nodes(kRealm); }

  std::vector<NodeKey> fill() {
    std::mt19937_64 random(2);
    std::vector<NodeKey> keys;
    std::vector<NodePtr> batch;
    for (int i = 0; i < kNodes; ++i) {
      batch.push_back(text_node(random));
      keys.push_back(batch.back()->key());
      if (batch.size() == 500) {
        nodes().put(batch).value();
        batch.clear();
      }
    }
    reopen();
    std::ranges::shuffle(keys, random);
    return keys;
  }

 private:
  std::filesystem::path path_;
  SystemClock clock_;
  std::unique_ptr<Store> store_;
};

std::unique_ptr<Disk> shared_disk;
std::vector<NodeKey> shared_keys;

void open_empty(const benchmark::State&) { shared_disk = std::make_unique<Disk>(); }
void open_filled(const benchmark::State&) {
  shared_disk = std::make_unique<Disk>();
  shared_keys = shared_disk->fill();
}
void open_warm(const benchmark::State& state) {
  open_filled(state);
  for (const auto& key : shared_keys) shared_disk->nodes().get(key).value();
}
void close(const benchmark::State&) { shared_disk.reset(); }

void commit_one_node(benchmark::State& state) {
  std::int64_t number = 0;
  for (auto _ : state) {
    Batch batch;
    batch.realm = kRealm;
    batch.nodes = {make_file("text/plain", fmt::format("{}/{}", state.thread_index(), number++))};
    batch.puts = {{fmt::format("root/{}", state.thread_index()), "value"}};
    shared_disk->store().kv().commit(std::move(batch)).value();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(commit_one_node)
    ->Setup(open_empty)
    ->Teardown(close)
    ->UseRealTime()
    ->Threads(1)
    ->Threads(16);

void put_500_nodes(benchmark::State& state) {
  std::mt19937_64 random(3);
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<NodePtr> batch;
    for (int i = 0; i < 500; ++i) batch.push_back(text_node(random));
    state.ResumeTiming();
    shared_disk->nodes().put(batch).value();
  }
  state.SetItemsProcessed(state.iterations() * 500);
}
BENCHMARK(put_500_nodes)->Setup(open_empty)->Teardown(close)->UseRealTime();

void get_uncached(benchmark::State& state) {
  auto at = static_cast<std::size_t>(state.thread_index()) * 7919;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        shared_disk->nodes().get_uncached(shared_keys[at++ % shared_keys.size()]).value());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(get_uncached)->Setup(open_filled)->Teardown(close)->UseRealTime()->Threads(1)->Threads(2);

void get_cached(benchmark::State& state) {
  auto at = static_cast<std::size_t>(state.thread_index()) * 7919;
  NodeStore& nodes = shared_disk->nodes();
  for (auto _ : state) {
    benchmark::DoNotOptimize(nodes.get(shared_keys[at++ % shared_keys.size()]).value());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(get_cached)->Setup(open_warm)->Teardown(close)->UseRealTime()->Threads(1)->Threads(2);

void has_absent(benchmark::State& state) {
  std::uint64_t number = 0;
  for (auto _ : state) {
    Digest digest{};
    std::memcpy(digest.data(), &number, sizeof number);
    number += 0x9e3779b97f4a7c15U;
    benchmark::DoNotOptimize(shared_disk->nodes().has(NodeKey(digest)).value());
  }
}
BENCHMARK(has_absent)->Setup(open_filled)->Teardown(close);

}  // namespace
}  // namespace cairn

BENCHMARK_MAIN();
