#include "data/realm/leaves.h"

#include <algorithm>

namespace cairn {
namespace {

// What was told of is not told of again. But what it grew from is still asked for: another program
// with the same token may be about to commit it.
Bytes told_key(Bytes leaf_key) {
  leaf_key.front() = 'L';
  return leaf_key;
}

}  // namespace

Result<std::optional<Leaf>> Leaves::find(const DelegateId& author, const Place& place,
                                         const NodeKey& root) const {
  auto key = records::leaf_key(realm_, author, place.depot, root);
  auto value = TRY(kv_.get(key));
  if (!value) {
    key = told_key(std::move(key));
    value = TRY(kv_.get(key));
  }
  if (!value) return std::nullopt;
  auto leaf = TRY(records::decode_leaf(key, *value));
  if (leaf.place != place) return std::nullopt;
  return leaf;
}

Result<std::vector<Leaf>> Leaves::of(const DelegateId& author, const Place& place) const {
  std::vector<Leaf> out;
  std::optional<Error> error;
  std::size_t looked = 0;
  TRY(kv_.scan(records::leaves(realm_, author, place.depot), Direction::kForward,
               [&](ByteView key, ByteView value) {
                 auto leaf = records::decode_leaf(key, value);
                 if (!leaf) {
                   error = std::move(leaf).error();
                   return Scan::kStop;
                 }
                 if (leaf->place == place) out.push_back(std::move(*leaf));
                 return ++looked < kMostLooked ? Scan::kContinue : Scan::kStop;
               }));
  if (error) return Failure(std::move(*error));
  std::ranges::sort(out, [](const Leaf& a, const Leaf& b) {
    return a.time != b.time ? a.time > b.time : b.root < a.root;
  });
  return out;
}

void Leaves::grow(Batch& batch, const Leaf& leaf, const NodeKey& from) const {
  if (leaf.root == from) return;
  drop(batch, leaf.author, leaf.place.depot, from);
  auto key = records::leaf_key(realm_, leaf.author, leaf.place.depot, leaf.root);
  batch.deletes.push_back(told_key(key));
  batch.puts.push_back({std::move(key), records::encode(leaf)});
}

void Leaves::drop(Batch& batch, const DelegateId& author, const DepotId& depot,
                  const NodeKey& root) const {
  auto key = records::leaf_key(realm_, author, depot, root);
  batch.deletes.push_back(told_key(key));
  batch.deletes.push_back(std::move(key));
}

Result<void> Leaves::forget(std::span<const Leaf> leaves) const {
  if (leaves.empty()) return {};
  Batch batch;
  batch.durability = Durability::kBuffered;
  for (const auto& leaf : leaves) {
    auto key = records::leaf_key(realm_, leaf.author, leaf.place.depot, leaf.root);
    batch.puts.push_back({told_key(key), records::encode(leaf)});
    batch.deletes.push_back(std::move(key));
  }
  return kv_.commit(std::move(batch));
}

}  // namespace cairn
