// What the parts cost: hashing, cutting, encoding, and the operations on trees, all in memory.

#include <random>

#include <benchmark/benchmark.h>

#include "base/random.h"
#include "data/cas/chunker.h"
#include "data/cas/file.h"
#include "data/store/open.h"
#include "data/tree/change.h"
#include "data/tree/diff.h"
#include "data/tree/editor.h"
#include "data/tree/merge.h"
#include "data/tree/outline.h"
#include "data/tree/walk.h"

namespace cairn {
namespace {

// A benchmark that failed has nothing to measure.
template <typename T>
T must(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "{}\n", result.error().render());
    std::abort();
  }
  return std::move(*result);
}
void must(Result<void> result) {
  if (result) return;
  fmt::print(stderr, "{}\n", result.error().render());
  std::abort();
}

Bytes random_bytes(std::size_t count) { return SeededRandom(1).bytes(count); }

// Nodes in a map: what trees cost without a store.
class MemoryNodes final : public NodeReader {
 public:
  Result<NodePtr> get(const NodeKey& key) const override {
    auto found = nodes_.find(key);
    if (found == nodes_.end()) return fail(Code::kNodeNotFound, "{} is not there", key.render());
    return found->second;
  }
  void add(const std::vector<NodePtr>& nodes) {
    for (const auto& node : nodes) nodes_.emplace(node->key(), node);
  }

 private:
  std::unordered_map<NodeKey, NodePtr> nodes_;
};

std::vector<DictEdit> names(std::size_t count) {
  auto value = EntryValue::of(entry_for("", *make_file("text/plain", "an entry\n")));
  std::mt19937_64 engine(count);
  std::vector<DictEdit> edits;
  for (std::size_t i = 0; i < count; ++i) {
    edits.push_back({fmt::format("{:012x}_{}.txt", engine() >> 16, i), value});
  }
  std::ranges::sort(edits, {}, &DictEdit::name);
  return edits;
}

NodePtr directory_of(MemoryNodes& nodes, std::size_t count) {
  Stage stage(nodes);
  auto empty = empty_dict();
  must(stage.add(empty));
  auto dict = must(dict_apply(stage, empty, names(count)));
  nodes.add(stage.reachable(dict->key()));
  return dict;
}

// 12 files in each of `count` directories, two levels deep.
NodePtr tree_of(MemoryNodes& nodes, std::size_t count) {
  constexpr std::size_t kFiles = 12;
  Stage stage(nodes);
  auto empty = empty_dict();
  must(stage.add(empty));
  TreeEditor editor(stage, empty);
  for (std::size_t i = 0; i < count * kFiles; ++i) {
    auto file = must(write_file(stage, "text/plain", fmt::format("line\nfile {}\nline\n", i)));
    auto dir = i / kFiles;
    auto path = fmt::format("group{}/dir{}/file{}.txt", dir % 30, dir, i);
    must(editor.put(must(Path::parse(path)), EntryValue::of(entry_for("", *file))));
  }
  auto root = must(editor.finish());
  nodes.add(stage.reachable(root->key()));
  return root;
}
constexpr std::size_t kTreeDirs = 1250;

NodePtr changed(MemoryNodes& nodes, const NodePtr& root, int from, std::string_view content) {
  Stage stage(nodes);
  TreeEditor editor(stage, root);
  for (int i = from; i < from + 10; ++i) {
    auto file = must(write_file(stage, "text/plain", content));
    auto path = fmt::format("group{}/dir{}/file{}.txt", i % 30, i, i * 12);
    must(editor.put(must(Path::parse(path)), EntryValue::of(entry_for("", *file))));
  }
  auto result = must(editor.finish());
  nodes.add(stage.reachable(result->key()));
  return result;
}

void Sha256(benchmark::State& state) {
  const auto bytes = random_bytes(static_cast<std::size_t>(state.range()));
  for (auto _ : state) benchmark::DoNotOptimize(sha256(bytes));
  state.SetBytesProcessed(state.iterations() * state.range());
}
BENCHMARK(Sha256)->Arg(100)->Arg(4096)->Arg(65536)->Arg(4 << 20);

void Chunker(benchmark::State& state) {
  const auto bytes = random_bytes(8 << 20);
  for (auto _ : state) {
    for (ByteView rest = bytes; !rest.empty(); rest.remove_prefix(next_chunk(rest))) {
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(Chunker);

// Cut, encoded and hashed, as an import does it.
void WriteFile(benchmark::State& state) {
  const auto bytes = random_bytes(static_cast<std::size_t>(state.range()));
  const MemoryNodes nodes;
  for (auto _ : state) {
    Stage stage(nodes);
    benchmark::DoNotOptimize(must(write_file(stage, "text/plain", bytes)));
  }
  state.SetBytesProcessed(state.iterations() * state.range());
}
BENCHMARK(WriteFile)->Arg(4096)->Arg(10 << 20);

void EncodeDict(benchmark::State& state) {
  const auto edits = names(static_cast<std::size_t>(state.range()));
  std::vector<Entry> entries;
  for (const auto& edit : edits) entries.push_back(edit.value->named(edit.name));
  for (auto _ : state) benchmark::DoNotOptimize(make_dict(entries));
  state.SetItemsProcessed(state.iterations() * state.range());
}
BENCHMARK(EncodeDict)->Arg(12)->Arg(30);

void DecodeDict(benchmark::State& state) {
  const auto edits = names(static_cast<std::size_t>(state.range()));
  std::vector<Entry> entries;
  for (const auto& edit : edits) entries.push_back(edit.value->named(edit.name));
  const auto node = make_dict(entries);
  for (auto _ : state) {
    benchmark::DoNotOptimize(must(Node::decode(Bytes(node->bytes()), node->key())));
  }
  state.SetItemsProcessed(state.iterations() * state.range());
}
BENCHMARK(DecodeDict)->Arg(12)->Arg(30);

void DecodeFile(benchmark::State& state) {
  const auto node = make_file("text/plain", random_bytes(static_cast<std::size_t>(state.range())));
  for (auto _ : state) {
    benchmark::DoNotOptimize(must(Node::decode(Bytes(node->bytes()), node->key())));
  }
  state.SetBytesProcessed(state.iterations() * state.range());
}
BENCHMARK(DecodeFile)->Arg(4096)->Arg(65536);

void InsertOneName(benchmark::State& state) {
  MemoryNodes nodes;
  const auto dict = directory_of(nodes, static_cast<std::size_t>(state.range()));
  const auto value = EntryValue::of(entry_for("", *make_file("text/plain", "new\n")));
  std::mt19937_64 engine(1);
  for (auto _ : state) {
    const std::vector<DictEdit> edit{{fmt::format("{:012x}_new", engine() >> 16), value}};
    Stage stage(nodes);
    benchmark::DoNotOptimize(must(dict_apply(stage, dict, edit)));
  }
}
BENCHMARK(InsertOneName)->Arg(1'000)->Arg(1'000'000);

void WriteOneFileInTree(benchmark::State& state) {
  MemoryNodes nodes;
  const auto root = tree_of(nodes, kTreeDirs);
  int i = 0;
  for (auto _ : state) {
    auto path = must(Path::parse(fmt::format("group{0}/dir{0}/new{1}.txt", i % 30, i)));
    Stage stage(nodes);
    benchmark::DoNotOptimize(must(write(stage, root, path, "a small file\n")));
    ++i;
  }
}
BENCHMARK(WriteOneFileInTree);

void WalkTree(benchmark::State& state) {
  MemoryNodes nodes;
  const auto root = tree_of(nodes, kTreeDirs);
  const SystemClock clock;
  for (auto _ : state) {
    Budget budget(clock, {});
    std::uint64_t bytes = 0;
    must(walk(nodes, root, budget, [&](std::string_view, const Entry& entry) -> Result<Walk> {
      bytes += entry.bytes;
      return Walk::kContinue;
    }));
    benchmark::DoNotOptimize(bytes);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(root->totals().files));
}
BENCHMARK(WalkTree)->Unit(benchmark::kMillisecond);

void OutlineTree(benchmark::State& state) {
  MemoryNodes nodes;
  const TreeView tree{nodes, tree_of(nodes, kTreeDirs)};
  const SystemClock clock;
  for (auto _ : state) {
    Budget budget(clock, {});
    benchmark::DoNotOptimize(must(outline(tree, Path(), {}, budget)));
  }
}
BENCHMARK(OutlineTree)->Unit(benchmark::kMicrosecond);

void DiffTenOf15000(benchmark::State& state) {
  MemoryNodes nodes;
  const auto before = tree_of(nodes, kTreeDirs);
  const auto after = changed(nodes, before, 100, "changed\n");
  const SystemClock clock;
  for (auto _ : state) {
    Budget budget(clock, {});
    benchmark::DoNotOptimize(must(diff(nodes, before, after, Directories::kExpanded, budget)));
  }
}
BENCHMARK(DiffTenOf15000)->Unit(benchmark::kMicrosecond);

// Ten files changed on each side: others, or the same ones in different lines.
void Merge(benchmark::State& state) {
  MemoryNodes nodes;
  const auto base = tree_of(nodes, kTreeDirs);
  const auto start = changed(nodes, base, 100, "one\ntwo\nthree\nfour\nfive\n");
  const auto ours = changed(nodes, start, 100, "ONE\ntwo\nthree\nfour\nfive\n");
  const auto theirs =
      changed(nodes, start, state.range() == 0 ? 200 : 100, "one\ntwo\nthree\nfour\nFIVE\n");
  for (auto _ : state) {
    Stage stage(nodes);
    ManualClock clock;
    Budget budget(clock, {});
    auto merged = must(merge(stage, start, ours, theirs, budget));
    if (merged.root == nullptr) std::abort();
  }
}
BENCHMARK(Merge)->Arg(0)->Arg(1)->ArgName("same_files")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cairn
