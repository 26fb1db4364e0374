// Finds one byte string in another: the whole of a search for a plain word.
#pragma once

#include <cstddef>
#include <string>

#include "base/bytes.h"

namespace cairn {

// Looks for the needle's two rarest bytes, many positions at a time, and compares the rest only
// where both are in place.
//
// Threads   immutable; share freely.
// Costs     nothing to build; 15 to 30 GB/s in cache with AVX2. Other processors use memmem.
class LiteralFinder final {
 public:
  // REQUIRES: needle is not empty.
  explicit LiteralFinder(std::string needle);

  const std::string& needle() const { return needle_; }

  // The first occurrence at or after `from`, or npos.
  std::size_t find(ByteView text, std::size_t from) const {
    return find_(needle_, rare_, other_, text, from);
  }

 private:
  using Find = std::size_t(ByteView needle, std::size_t rare, std::size_t other, ByteView text,
                           std::size_t from);

  std::string needle_;
  std::size_t rare_ = 0;   // offset of the needle's rarest byte
  std::size_t other_ = 0;  // and of another rare one
  Find* find_;
};

}  // namespace cairn
