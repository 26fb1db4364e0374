#include "data/store/scratch_backend.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cairn {
namespace {

using Row = std::pair<Bytes, std::optional<Bytes>>;

Failure only_scratch() {
  return fail(Code::kStoreReadOnly, "what is tried out in memory cannot be copied");
}

// The rows of a range, in the order of the scan.
std::vector<Row> rows_of(const Changes::Of& changes, const KeyRange& range, Direction direction) {
  auto first = changes.lower_bound(range.begin);
  auto last = range.end.empty() ? changes.end() : changes.lower_bound(range.end);
  std::vector<Row> out(first, last);
  if (direction == Direction::kBackward) std::ranges::reverse(out);
  return out;
}

// Shows rows that were written among those below: instead of those with the same key.
class Joined final {
 public:
  Joined(std::vector<Row> rows, Direction direction, const KeyValueStore::Visitor& visit)
      : rows_(std::move(rows)), direction_(direction), visit_(visit) {}

  Scan below(ByteView key, ByteView value) {
    while (next_ < rows_.size() && comes_before(rows_[next_].first, key)) {
      if (show_next() == Scan::kStop) return Scan::kStop;
    }
    if (next_ < rows_.size() && rows_[next_].first == key) return show_next();
    return stopped_ = visit_(key, value);
  }
  void rest() {
    while (stopped_ == Scan::kContinue && next_ < rows_.size()) show_next();
  }

 private:
  bool comes_before(ByteView a, ByteView b) const {
    return direction_ == Direction::kForward ? a < b : b < a;
  }
  Scan show_next() {
    const auto& [key, value] = rows_[next_++];
    if (value) stopped_ = visit_(key, *value);
    return stopped_;
  }

  const std::vector<Row> rows_;
  const Direction direction_;
  const KeyValueStore::Visitor& visit_;
  std::size_t next_ = 0;
  Scan stopped_ = Scan::kContinue;
};

}  // namespace

Result<bool> ScratchBackend::read(Table table, ByteView key, const Reader& reader) const {
  std::optional<Bytes> value;
  {
    auto written = written_.lock();
    const auto& rows = written->changes[table];
    const auto found = rows.find(key);
    if (found != rows.end() && !found->second) return false;
    if (found != rows.end()) value = found->second;
  }
  if (!value) return below_->read(table, key, reader);
  reader(*value);
  return true;
}

Result<void> ScratchBackend::scan(Table table, const KeyRange& range, Direction direction,
                                  const KeyValueStore::Visitor& visit) const {
  if (!range.end.empty() && range.end <= range.begin) return {};
  Joined joined(rows_of(std::as_const(written_.lock()->changes)[table], range, direction),
                direction, visit);
  TRY(below_->scan(table, range, direction,
                   [&](ByteView key, ByteView value) { return joined.below(key, value); }));
  joined.rest();
  return {};
}

Result<void> ScratchBackend::write(const Changes& changes, Durability) {
  auto written = written_.lock();
  std::size_t bytes = written->bytes;
  for (Table table : kTables) {
    for (const auto& [key, value] : changes[table]) {
      bytes += key.size() + (value ? value->size() : 0);
    }
  }
  if (bytes > kMostBytes) {
    return fail(Code::kFileTooLarge,
                "a dry run holds in memory what it would store, {} MiB at most; try it with less",
                kMostBytes >> 20);
  }
  for (Table table : kTables) {
    for (const auto& [key, value] : changes[table]) {
      written->changes[table].insert_or_assign(key, value);
    }
  }
  written->bytes = bytes;
  return {};
}

Result<std::unique_ptr<Backend>> ScratchBackend::snapshot() const { return only_scratch(); }

Result<void> ScratchBackend::checkpoint(const std::filesystem::path&) { return only_scratch(); }

}  // namespace cairn
