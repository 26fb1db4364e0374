#include "data/store/memory_backend.h"

namespace cairn {
namespace {

std::size_t index(Table table) { return static_cast<std::size_t>(table); }

}  // namespace

// Shares the tables until it ends. Taken and given back under the lock, so that a writer which
// finds itself the only owner is.
class MemoryBackend::Snapshot final {
 public:
  explicit Snapshot(Guarded<std::shared_ptr<Tables>>& owner)
      : owner_(owner), tables_(*owner.lock()) {}
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot() {
    auto lock = owner_.lock();
    tables_.reset();
  }

  const Rows& rows(Table table) const { return (*tables_)[index(table)]; }

 private:
  Guarded<std::shared_ptr<Tables>>& owner_;
  std::shared_ptr<const Tables> tables_;
};

MemoryBackend::MemoryBackend() : tables_(std::make_shared<Tables>()) {}

Result<bool> MemoryBackend::read(Table table, ByteView key, const Reader& reader) const {
  Bytes value;
  {
    auto tables = tables_.lock();
    const Rows& rows = (**tables)[index(table)];
    auto row = rows.find(key);
    if (row == rows.end()) return false;
    value = row->second;
  }
  // Without the lock: the reader may come back for another row.
  reader(value);
  return true;
}

Result<void> MemoryBackend::scan(Table table, const KeyRange& range, Direction direction,
                                 const KeyValueStore::Visitor& visit) const {
  if (!range.end.empty() && range.end <= range.begin) return {};
  Snapshot snapshot(tables_);
  const Rows& rows = snapshot.rows(table);
  auto first = rows.lower_bound(range.begin);
  auto last = range.end.empty() ? rows.end() : rows.lower_bound(range.end);
  if (direction == Direction::kForward) {
    for (; first != last; ++first) {
      if (visit(first->first, first->second) == Scan::kStop) break;
    }
  } else {
    while (last != first) {
      --last;
      if (visit(last->first, last->second) == Scan::kStop) break;
    }
  }
  return {};
}

Result<void> MemoryBackend::write(const Changes& changes, Durability) {
  auto tables = tables_.lock();
  if (tables->use_count() > 1) *tables = std::make_shared<Tables>(**tables);
  for (Table table : kTables) {
    Rows& rows = (**tables)[index(table)];
    for (const auto& [key, value] : changes[table]) {
      if (value) {
        rows.insert_or_assign(key, *value);
      } else {
        rows.erase(key);
      }
    }
  }
  return {};
}

// A copy: it is for tests, and small.
Result<std::unique_ptr<Backend>> MemoryBackend::snapshot() const {
  auto copy = std::make_unique<MemoryBackend>();
  *copy->tables_.lock() = std::make_shared<Tables>(**tables_.lock());
  return copy;
}

Result<void> MemoryBackend::checkpoint(const std::filesystem::path& target) {
  return fail(Code::kInvalidArgument,
              "this store lives in memory and cannot be backed up to '{}'; open one in a directory",
              target.string());
}

}  // namespace cairn
