#include "data/store/log_state.h"

#include <algorithm>

#include <rocksdb/write_batch.h>

#include "data/store/log_reader.h"

namespace cairn {
namespace {

constexpr char kMarkLetter = 's';
// RocksDB's tag for data that is in the log only.
constexpr char kLogDataTag = 0x3;
// The default family has 0; ours were made in the order of the tables.
constexpr std::uint32_t kPointersFamily = 1;

std::uint64_t mark_in(ByteView batch) {
  ByteReader in(batch.substr(kBatchHeader));
  if (in.byte() != kLogDataTag || in.varint() == 0 || in.byte() != kMarkLetter) return 0;
  const std::uint64_t synced = in.varint();
  return in.failed() ? 0 : synced;
}

class StateOfLogs final {
 public:
  explicit StateOfLogs(LogState& state) : state_(state) {}

  void begin(const std::filesystem::path& file) {
    file_ = &file;
    first_ = true;
  }

  void take(const LogPiece& piece) {
    if (piece.kind == LogPiece::Kind::kRecord) {
      take_record(piece);
    } else if (piece.kind == LogPiece::Kind::kDamage && !state_.torn) {
      state_.torn = LogPlace{*file_, piece.begin, piece.why};
      torn_here_ = file_;
    }
  }

 private:
  void take_record(const LogPiece& record) {
    state_.synced = std::max(state_.synced, mark_in(record.batch));
    state_.highest = std::max(state_.highest, record.sequence() + record.count() - 1);
    if (!state_.broken) look_for_break(record);
    if (!state_.broken) {
      state_.last = std::max(state_.last, record.sequence() + record.count() - 1);
      // The log before was cut off in what was never finished: this one goes on behind it.
      state_.torn.reset();
    }
    first_ = false;
  }

  void look_for_break(const LogPiece& record) {
    const bool follows = state_.last == 0 || record.sequence() <= state_.last + 1;
    if (state_.torn && (torn_here_ == file_ || !follows)) {
      state_.broken = std::move(state_.torn);
      state_.torn.reset();
    } else if (!follows) {
      state_.broken = LogPlace{*file_, record.begin,
                               first_ ? "a log before it is missing" : "records are missing"};
    }
  }

  LogState& state_;
  const std::filesystem::path* file_ = nullptr;
  const std::filesystem::path* torn_here_ = nullptr;
  bool first_ = true;
};

class Collect final : public rocksdb::WriteBatch::Handler {
 public:
  Collect(LostChanges& out, bool certain) : out_(out), certain_(certain) {}

  rocksdb::Status PutCF(std::uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    return add(family, key, Bytes(value.data(), value.size()));
  }
  rocksdb::Status DeleteCF(std::uint32_t family, const rocksdb::Slice& key) override {
    return add(family, key, std::nullopt);
  }

 private:
  rocksdb::Status add(std::uint32_t family, const rocksdb::Slice& key, std::optional<Bytes> value) {
    if (certain_) ++out_.readable;
    if (family == kPointersFamily) {
      out_.pointers.push_back({Bytes(key.data(), key.size()), std::move(value), certain_});
    }
    return rocksdb::Status::OK();
  }

  LostChanges& out_;
  bool certain_;
};

}  // namespace

Bytes log_mark(std::uint64_t synced) {
  Bytes mark(1, kMarkLetter);
  put_varint(mark, synced);
  return mark;
}

Result<LogState> log_state(const std::filesystem::path& store, std::uint64_t from_log) {
  LogState state;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(store, error)) {
    const auto number = log_number(entry.path());
    if (number && *number >= from_log) state.files.push_back(entry.path());
  }
  if (error) return fail(Code::kIoError, "cannot list '{}': {}", store.string(), error.message());
  std::ranges::sort(state.files, {}, [](const auto& file) { return *log_number(file); });
  StateOfLogs reading(state);
  for (const auto& file : state.files) {
    reading.begin(file);
    TRY(read_log(file, [&](const LogPiece& piece) { reading.take(piece); }));
  }
  return state;
}

Result<LostChanges> lost_behind(const LogState& state, const LogPlace& place) {
  LostChanges lost;
  bool behind = false;
  for (const auto& file : state.files) {
    const bool here = file == place.file;
    if (!behind && !here) continue;
    TRY(read_log(file, [&](LogPiece piece) {
      if (here && piece.begin < place.offset) return;
      if (piece.batch.size() < kBatchHeader) return;
      Collect collect(lost, piece.kind == LogPiece::Kind::kRecord);
      // Of what is damaged, as much as can be made out.
      rocksdb::WriteBatch(std::move(piece.batch)).Iterate(&collect).PermitUncheckedError();
    }));
    behind = true;
  }
  return lost;
}

}  // namespace cairn
