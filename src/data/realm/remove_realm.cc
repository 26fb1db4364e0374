#include "data/realm/remove_realm.h"

#include <algorithm>

namespace cairn {
namespace {

constexpr std::size_t kAtATime = 5000;
constexpr std::size_t kSlice = 32;  // as in gc.cc

// In slices: commits of all realms wait while one is removed.
Result<void> remove_nodes(NodeStore& nodes) {
  auto sweep = TRY(nodes.begin_sweep());
  const auto last = NodeKey::from_bytes(Bytes(NodeKey::kSize, '\xff'));
  for (;;) {
    const auto some = TRY(nodes.find(NodeKey(), last, kAtATime));
    if (some.empty()) break;
    for (std::size_t begin = 0; begin < some.size(); begin += kSlice) {
      const auto slice = std::span(some).subspan(begin, std::min(kSlice, some.size() - begin));
      TRY(sweep->run([&](auto) { return std::vector(slice.begin(), slice.end()); }));
    }
  }
  return sweep->reclaim();
}

}  // namespace

Result<std::uint64_t> delete_ranges(KeyValueStore& kv, std::span<const KeyRange> ranges) {
  std::uint64_t count = 0;
  for (const auto& range : ranges) {
    for (;;) {
      Batch batch;
      TRY(kv.scan(range, Direction::kForward, [&](ByteView key, ByteView) {
        batch.deletes.emplace_back(key);
        return batch.deletes.size() < kAtATime ? Scan::kContinue : Scan::kStop;
      }));
      if (batch.deletes.empty()) break;
      count += batch.deletes.size();
      TRY(kv.commit(std::move(batch)));
    }
  }
  return count;
}

Result<RealmContent> content_of(Realm& realm) {
  RealmContent out;
  const auto count = [&](const KeyRange& range) {
    return realm.store().kv().scan(range, Direction::kForward, [&](ByteView, ByteView) {
      out.depots += 1;
      return Scan::kContinue;
    });
  };
  TRY(count(records::depots(realm.id())));
  TRY(count(records::deleted(realm.id())));
  const auto usage = TRY(realm.usage());
  out.nodes = usage.node_count;
  out.physical_bytes = usage.physical_bytes;
  return out;
}

Result<RealmContent> remove_realm(Realm& realm) {
  const auto content = TRY(content_of(realm));
  // The depots first: without them nothing refers to the nodes.
  TRY(delete_ranges(realm.store().kv(), records::all(realm.id())));
  TRY(remove_nodes(realm.nodes()));
  TRY(realm.set_quota(0));
  return content;
}

}  // namespace cairn
