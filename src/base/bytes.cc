#include "base/bytes.h"

namespace cairn {

void put_varint(Bytes& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

ByteView ByteReader::fail() {
  failed_ = true;
  rest_ = {};
  return {};
}

void put_text(Bytes& out, std::string_view text) {
  put_varint(out, text.size());
  out.append(text);
}

std::uint64_t ByteReader::varint() {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < rest_.size() && i < 10; ++i) {
    auto group = static_cast<std::uint8_t>(rest_[i]);
    bool overlong = i > 0 && group == 0;
    bool overflow = i == 9 && group > 1;
    if (overlong || overflow) break;
    value |= static_cast<std::uint64_t>(group & 0x7f) << (7 * i);
    if (group < 0x80) {
      rest_.remove_prefix(i + 1);
      return value;
    }
  }
  fail();
  return 0;
}

std::uint8_t ByteReader::byte() {
  auto one = take(1);
  return one.empty() ? 0 : static_cast<std::uint8_t>(one[0]);
}

ByteView ByteReader::take(std::uint64_t count) {
  if (count > rest_.size()) return fail();
  auto taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

}  // namespace cairn
