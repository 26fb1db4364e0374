// Bytes are std::string, views of them std::string_view: the types that every library we use
// speaks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cairn {

using Bytes = std::string;
using ByteView = std::string_view;

// Appends `value` as a base-128 integer, low group first, in as few bytes as it needs.
void put_varint(Bytes& out, std::uint64_t value);

// Appends the length of `text`, then the text.
void put_text(Bytes& out, std::string_view text);

// A cursor over bytes that never reads past the end. After the first failure every call fails, so
// it is enough to ask once at the end. One thread at a time.
class ByteReader final {
 public:
  explicit ByteReader(ByteView bytes) : rest_(bytes) {}

  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }
  ByteView rest() const { return rest_; }

  // The next integer; fails when it is cut short, over 64 bits, or longer than it needs to be.
  std::uint64_t varint();
  std::uint8_t byte();
  ByteView take(std::uint64_t count);
  // Reads what put_text wrote.
  ByteView text() { return take(varint()); }

 private:
  ByteView fail();

  ByteView rest_;
  bool failed_ = false;
};

}  // namespace cairn
