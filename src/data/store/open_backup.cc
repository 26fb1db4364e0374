#include <memory>
#include <utility>

#include "data/store/backup.h"
#include "data/store/embedded_store.h"
#include "data/store/rocks_tables.h"

namespace cairn {
namespace {

class BackupTables final : public Backend {
 public:
  explicit BackupTables(std::unique_ptr<RocksTables> tables) : tables_(std::move(tables)) {}

  Result<bool> read(Table table, ByteView key, const Reader& reader) const override {
    return tables_->read(table, key, reader);
  }
  Result<void> scan(Table table, const KeyRange& range, Direction direction,
                    const KeyValueStore::Visitor& visit) const override {
    return tables_->scan(table, range, direction, visit);
  }
  Result<void> write(const Changes&, Durability) override { return only_read(); }
  Result<void> reclaim(Table, const KeyRange&) override { return only_read(); }
  Result<void> checkpoint(const std::filesystem::path&) override { return only_read(); }
  Result<std::unique_ptr<Backend>> snapshot() const override { return only_read(); }

 private:
  static Failure only_read() { return fail(Code::kStoreReadOnly, "a backup can only be read"); }

  std::unique_ptr<RocksTables> tables_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_backup(const std::filesystem::path& backup,
                                           const Clock& clock) {
  TRY(check_backup(backup));
  rocksdb::Status status;
  auto tables = RocksTables::open(
      backup / "store", {.access = RocksTables::Access::kReadOnly, .create = false}, status);
  if (!tables) {
    return fail(Code::kIoError, "cannot open the backup '{}': {}", backup.string(),
                status.ToString());
  }
  return TRY(EmbeddedStore::open(std::make_unique<BackupTables>(std::move(tables)), clock, {}));
}

}  // namespace cairn
