#include "data/store/layout.h"

#include <algorithm>

namespace cairn {

NodeRow::NodeRow(const RealmId& realm, const NodeKey& key) {
  auto rest = std::ranges::copy(realm.bytes(), bytes_.begin()).out;
  std::ranges::copy(key.bytes(), rest);
}

std::uint32_t StoredInfo::minute_of(Millis now) {
  // A clock before 1970 must not wrap around to a stamp in the far future.
  return static_cast<std::uint32_t>(std::max<Millis>(now, 0) / 60'000);
}

Bytes StoredInfo::encode() const {
  Bytes out;
  for (int shift = 24; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>((minute >> shift) & 0xff));
  }
  put_varint(out, physical_bytes);
  put_varint(out, logical_bytes);
  return out;
}

std::optional<StoredInfo> StoredInfo::decode(ByteView bytes) {
  StoredInfo info;
  ByteReader in(bytes);
  for (int i = 0; i < 4; ++i) info.minute = (info.minute << 8) | in.byte();
  info.physical_bytes = in.varint();
  info.logical_bytes = in.varint();
  if (in.failed() || !in.at_end()) return std::nullopt;
  return info;
}

Bytes usage_key(const RealmId& realm) {
  Bytes key(kUsagePrefix);
  key += realm.bytes();
  return key;
}

Bytes encode_usage(const Usage& usage) {
  Bytes out;
  put_varint(out, usage.physical_bytes);
  put_varint(out, usage.logical_bytes);
  put_varint(out, usage.node_count);
  put_varint(out, usage.quota_limit);
  return out;
}

Result<Usage> decode_usage(const std::optional<Bytes>& record, const RealmId& realm) {
  Usage usage;
  if (!record) return usage;
  ByteReader in(*record);
  usage.physical_bytes = in.varint();
  usage.logical_bytes = in.varint();
  usage.node_count = in.varint();
  usage.quota_limit = in.varint();
  if (in.failed() || !in.at_end()) {
    return fail(Code::kIoError, "the usage record of {} is damaged; run `cairn fsck`",
                realm.render());
  }
  return usage;
}

Bytes encode_format(std::uint64_t version) {
  Bytes out;
  put_varint(out, version);
  return out;
}

std::optional<std::uint64_t> decode_format(ByteView record) {
  ByteReader in(record);
  const std::uint64_t version = in.varint();
  if (in.failed()) return std::nullopt;
  return version;
}

std::string printable(ByteView key) {
  std::string text;
  for (char c : key) {
    if (c >= 0x20 && c < 0x7f && c != '\\') {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return text;
}

}  // namespace cairn
