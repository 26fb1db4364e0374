// What the write-ahead logs of a store say together: how far they go without a break, how much is
// known to have been on disk, and what lies behind a break.
//
// RocksDB reads its logs up to the first thing it cannot read and takes that for the end, because
// after a loss of power the end does look like that. Here the two are told apart: every batch
// carries the sequence up to which all was synced when it was written (log_mark()), so a record
// that can be read proves that those before the mark were there.
//
// Threads     plain functions of their arguments; nobody writes to the logs meanwhile.
// Fails with  IO_ERROR when a file cannot be read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace cairn {

// The first thing in a batch of ours, for WriteBatch::PutLogData.
Bytes log_mark(std::uint64_t synced);

struct LogPlace {
  std::filesystem::path file;
  std::uint64_t offset = 0;
  std::string why;
};

struct LogState {
  std::vector<std::filesystem::path> files;  // in the order of their numbers
  std::uint64_t last = 0;                    // up to here there is no break; 0: no record at all
  std::uint64_t highest = 0;                 // the last sequence that can be read anywhere
  std::uint64_t synced = 0;                  // by the marks
  std::optional<LogPlace> broken;            // where records are missing between others
  std::optional<LogPlace> torn;              // the last log ends with something that is no record

  bool whole() const { return !broken && !torn; }
};

// Of the logs with this number and later ones.
Result<LogState> log_state(const std::filesystem::path& store, std::uint64_t from_log = 0);

// A change of a record that is behind a break.
struct LostChange {
  Bytes key;
  std::optional<Bytes> value;  // nothing: it was deleted
  bool certain = true;         // false: from bytes that do not have their checksum
};

struct LostChanges {
  std::vector<LostChange> pointers;  // of the pointers table, in order
  std::uint64_t readable = 0;        // changes of any table that can be read
};

// Everything from the place on.
Result<LostChanges> lost_behind(const LogState& state, const LogPlace& place);

}  // namespace cairn
