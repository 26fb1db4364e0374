// The chunked transfer coding, both ways.
//
// Threads     one at a time: a decoder belongs to one body.
// Fails with  BAD_REQUEST.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace cairn::http {

// Decodes a chunked body from bytes as they arrive. Strict: sizes are 1 to 15 hex digits, lines end
// in CRLF, extensions and trailers are read over and bounded. After an error it must not be used.
class ChunkDecoder final {
 public:
  struct Step {
    std::size_t used = 0;  // bytes of the input that are done with
    std::size_t made = 0;  // bytes of the body, at the front of the input
  };

  // Decodes in place: the body's bytes are moved together at the front of `bytes`. Uses all of
  // `bytes` unless the body ends before.
  Result<Step> decode(std::span<char> bytes);
  bool done() const { return state_ == State::kDone; }

 private:
  enum class State {
    kSize,
    kExtension,
    kSizeLf,
    kData,
    kDataCr,
    kDataLf,
    kTrailerStart,
    kTrailer,
    kTrailerLf,
    kEndLf,
    kDone
  };

  Result<void> take(char c);
  Result<void> take_size(char c);

  State state_ = State::kSize;
  std::uint64_t left_ = 0;    // of the chunk
  std::size_t digits_ = 0;    // of its size
  std::size_t overhead_ = 0;  // bytes of this chunk's line, or of all trailers
};

// The line before a chunk of `size` bytes; the chunk is followed by CRLF.
std::string chunk_line(std::size_t size);

}  // namespace cairn::http
