// ScratchBackend: a snapshot that can be written to. What is written stays in it, in memory, and is
// gone with it.
//
// Threads     as Backend: reads from any thread, one write at a time.
// Fails with  FILE_TOO_LARGE when more is written than it holds; room() as ready() of the store
//             that the snapshot was taken of, so that a full disk is as full for it.
#pragma once

#include <memory>

#include "base/guarded.h"
#include "data/store/backend.h"

namespace cairn {

class ScratchBackend final : public Backend {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

  // REQUIRES: `live` outlives it.
  ScratchBackend(std::unique_ptr<Backend> snapshot, Backend& live)
      : below_(std::move(snapshot)), live_(live) {}

  Result<bool> read(Table table, ByteView key, const Reader& reader) const override;
  Result<void> scan(Table table, const KeyRange& range, Direction direction,
                    const KeyValueStore::Visitor& visit) const override;
  Result<void> write(const Changes& changes, Durability durability) override;
  Result<void> reclaim(Table, const KeyRange&) override { return {}; }
  Result<void> room() override { return live_.ready(); }
  Result<void> ready() override { return live_.ready(); }
  Result<std::unique_ptr<Backend>> snapshot() const override;
  Result<void> checkpoint(const std::filesystem::path& target) override;

 private:
  struct Written {
    Changes changes;
    std::size_t bytes = 0;
  };

  std::unique_ptr<Backend> below_;
  Backend& live_;
  mutable Guarded<Written> written_;
};

}  // namespace cairn
