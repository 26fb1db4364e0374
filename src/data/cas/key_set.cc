#include "data/cas/key_set.h"

#include <utility>

namespace cairn {
namespace {

constexpr std::size_t kFirstPlaces = 16;

std::size_t table_of(const NodeKey& key) { return key.word() & 0xf; }

// Which place a key wants, of so many: by bits that do not choose the table.
std::size_t wanted_place(const NodeKey& key, std::size_t places) {
  return static_cast<std::size_t>(((key.word() >> 32) * places) >> 32);
}

// Where the key is, or the free place where it belongs. REQUIRES: one is free.
std::size_t find_place(const std::vector<NodeKey>& places, const NodeKey& key) {
  auto at = wanted_place(key, places.size());
  while (places[at] != NodeKey() && places[at] != key) at = at + 1 < places.size() ? at + 1 : 0;
  return at;
}

// Seven in eight may be taken: then a look still ends after a few places.
bool is_full(std::size_t used, std::size_t places) { return (used + 1) * 8 > places * 7; }

}  // namespace

bool KeySet::insert(const NodeKey& key) {
  if (key == NodeKey()) {
    size_ += has_zero_ ? 0 : 1;
    return !std::exchange(has_zero_, true);
  }
  auto& table = tables_[table_of(key)];
  if (is_full(table.used, table.places.size())) grow(table);
  auto& place = table.places[find_place(table.places, key)];
  if (place == key) return false;
  place = key;
  table.used += 1;
  size_ += 1;
  return true;
}

bool KeySet::contains(const NodeKey& key) const {
  if (key == NodeKey()) return has_zero_;
  const auto& places = tables_[table_of(key)].places;
  return !places.empty() && places[find_place(places, key)] == key;
}

void KeySet::clear() { *this = KeySet(); }

std::size_t KeySet::memory() const {
  std::size_t bytes = sizeof(KeySet);
  for (const auto& table : tables_) bytes += table.places.capacity() * sizeof(NodeKey);
  return bytes;
}

// By a quarter, not to twice its size: places that are free are paid for, too.
void KeySet::grow(Table& table) {
  std::vector<NodeKey> larger(table.places.size() + table.places.size() / 4 + kFirstPlaces);
  for (const auto& key : table.places) {
    if (key != NodeKey()) larger[find_place(larger, key)] = key;
  }
  table.places = std::move(larger);
}

}  // namespace cairn
