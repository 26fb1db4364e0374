// The seam below an embedded store: three ordered tables of bytes that change together.
//
// Invariants  a write is atomic across the tables; a scan sees one state of its table.
// Threads     reads from any thread, at any time; one write at a time.
// Fails with  IO_ERROR with the place and the reason; CORRUPT_NODE when the bytes of a node are
//             known to be damaged.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "base/result.h"
#include "data/store/key_value.h"

namespace cairn {

enum class Table : std::uint8_t { kPointers, kNodeInfo, kNodeData };
inline constexpr std::array kTables{Table::kPointers, Table::kNodeInfo, Table::kNodeData};

// Puts and deletes (no value) of one write, at most one for each key.
class Changes final {
 public:
  using Of = std::map<Bytes, std::optional<Bytes>, std::less<>>;

  Of& operator[](Table table) { return of_[static_cast<std::size_t>(table)]; }
  const Of& operator[](Table table) const { return of_[static_cast<std::size_t>(table)]; }
  bool empty() const {
    for (const auto& of : of_) {
      if (!of.empty()) return false;
    }
    return true;
  }

 private:
  std::array<Of, kTables.size()> of_;
};

class Backend {
 public:
  using Reader = std::function<void(ByteView value)>;

  virtual ~Backend() = default;

  // Hands the value to `reader` where it lies, without copying it; false when the key is absent.
  // The view ends with the call, and `reader` calls nothing of the backend.
  virtual Result<bool> read(Table table, ByteView key, const Reader& reader) const = 0;
  virtual Result<void> scan(Table table, const KeyRange& range, Direction direction,
                            const KeyValueStore::Visitor& visit) const = 0;
  // kSynced: this and all earlier writes are on disk when it returns, even with nothing to write.
  // After an error nothing of it is visible.
  virtual Result<void> write(const Changes& changes, Durability durability) = 0;
  // Gives back the space of what was deleted in a range. Slow: copies what is left of it.
  virtual Result<void> reclaim(Table table, const KeyRange& range) = 0;
  // Nothing when changes that need room can be written now; otherwise STORAGE_FULL or
  // STORE_READ_ONLY. When there was no room, looks whether there is some again. Called by whoever
  // writes.
  virtual Result<void> room() { return {}; }
  // Nothing while it can be read and written; otherwise what is in the way. From any thread.
  virtual Result<void> ready() { return {}; }
  // Everything as it is now, to be read for as long as it lives; it must not outlive this. A write
  // to it is STORE_READ_ONLY.
  virtual Result<std::unique_ptr<Backend>> snapshot() const = 0;
  // A consistent copy of all tables into a directory that does not exist yet.
  virtual Result<void> checkpoint(const std::filesystem::path& target) = 0;

  Result<std::optional<Bytes>> get(Table table, ByteView key) const {
    std::optional<Bytes> value;
    TRY(read(table, key, [&value](ByteView found) { value.emplace(found); }));
    return value;
  }
  Result<bool> has(Table table, ByteView key) const {
    return read(table, key, [](ByteView) {});
  }
};

}  // namespace cairn
