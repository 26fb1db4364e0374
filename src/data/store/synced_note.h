// SyncedNote: how much of the write-ahead log is known to be on disk, beside the log.
//
// A log that was cut off looks like one whose last record was being written when the power failed.
// The note tells them apart. It is written after each sync and never synced itself: what it says
// was true when it was written, so an older note is true as well.
//
//   STORE/SYNCED   sequence (8)  log number (8)  bytes of that log (8)  CRC-32C of these (4)
//
// all little-endian.
//
// Threads     one at a time.
// Fails with  nothing: without a note less is noticed.
#pragma once

#include <filesystem>
#include <optional>

#include "base/bytes.h"
#include "base/os/handle.h"

namespace cairn {

struct Synced {
  std::uint64_t sequence = 0;  // of the last change that is on disk
  std::uint64_t log = 0;       // the number of the log it is in
  std::uint64_t log_bytes = 0;

  Bytes encode() const;
  static std::optional<Synced> decode(ByteView bytes);
  bool operator==(const Synced&) const = default;
};

class SyncedNote final {
 public:
  explicit SyncedNote(const std::filesystem::path& store);

  void write(const Synced& synced) const;

  static std::optional<Synced> read(const std::filesystem::path& store);
  static std::filesystem::path file(const std::filesystem::path& store) { return store / "SYNCED"; }

 private:
  os::Handle handle_;
};

}  // namespace cairn
