#include "data/store/overlay.h"

namespace cairn {

Result<std::optional<Bytes>> Overlay::get(Table table, ByteView key) const {
  for (const Overlay* overlay = this; overlay != nullptr; overlay = overlay->below_) {
    const auto& changes = overlay->changes_[table];
    if (auto change = changes.find(key); change != changes.end()) return change->second;
  }
  return backend_.get(table, key);
}

void Overlay::put(Table table, Bytes key, Bytes value) {
  changes_[table].insert_or_assign(std::move(key), std::move(value));
}

void Overlay::erase(Table table, Bytes key) {
  // Noted, not removed: it hides what lies below.
  changes_[table].insert_or_assign(std::move(key), std::nullopt);
}

void Overlay::absorb(Overlay&& above) {
  for (Table table : kTables) {
    auto& mine = changes_[table];
    auto& theirs = above.changes_[table];
    // The usual case: one commit in the group.
    if (mine.empty()) mine.swap(theirs);
    while (!theirs.empty()) {
      auto placed = mine.insert(theirs.extract(theirs.begin()));
      if (!placed.inserted) placed.position->second = std::move(placed.node.mapped());
    }
  }
}

}  // namespace cairn
