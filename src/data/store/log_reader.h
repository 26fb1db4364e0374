// Reads a write-ahead log of RocksDB past what is damaged in it.
//
// A log is blocks of 32 KiB; a block is fragments, the last with up to six zero bytes behind it:
//
//   crc (4)  masked CRC-32C of type and content     length (2)     type (1)     content
//
// all little-endian; type 1 is a whole record, 2, 3 and 4 are the first, a middle and the last
// fragment of one. A record is a batch: sequence (8), count (4), changes. Fragments do not cross
// blocks, so that whatever is wrong in one block the next can be read.
//
// Threads     plain functions of their arguments.
// Fails with  IO_ERROR when the file cannot be read.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace cairn {

struct LogPiece {
  enum class Kind {
    kRecord,   // as it was written
    kDamage,   // bytes that are no record; perhaps with what seems to be one
    kNothing,  // zeros up to the end of the file: room that was never used
  };

  Kind kind = Kind::kRecord;
  std::uint64_t begin = 0;  // where in the file
  std::uint64_t end = 0;
  Bytes batch;      // of a record; of damage what it seems to have been, or empty
  std::string why;  // of damage

  // REQUIRES: a record.
  std::uint64_t sequence() const;
  std::uint64_t count() const;
};

inline constexpr std::size_t kBatchHeader = 12;

// In the order of the file. Damaged pieces that touch are one, unless there is a batch in them.
Result<void> read_log(const std::filesystem::path& file,
                      const std::function<void(LogPiece)>& visit);

// The number in `000012.log`; nothing: another file.
std::optional<std::uint64_t> log_number(const std::filesystem::path& file);

}  // namespace cairn
