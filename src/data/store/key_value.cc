#include "data/store/key_value.h"

namespace cairn {

KeyRange KeyRange::prefix(ByteView prefix) {
  KeyRange range{Bytes(prefix), Bytes(prefix)};
  // The first key after the prefix: its last byte that can grow, grown. None can: no end.
  while (!range.end.empty() && range.end.back() == '\xff') range.end.pop_back();
  if (!range.end.empty()) {
    range.end.back() = static_cast<char>(static_cast<unsigned char>(range.end.back()) + 1);
  }
  return range;
}

}  // namespace cairn
