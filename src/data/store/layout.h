// The keys and records of the tables: format version 1.
//
//   pointers    whatever commit() puts, under keys that do not begin with 0x01, and
//               01 "format"              varint version
//               01 "usage/" realm        varint physical, logical, count, quota
//   node_info   realm, node key          minutes since 1970 (4 bytes, big-endian),
//                                        varint physical, varint logical
//   node_data   realm, node key          codec byte, payload (node_codec.h)
//
// A realm is 16 bytes, a node key 32. For example the usage of 300 physical bytes for 1,000 logical
// ones in 2 nodes without a quota is `ac 02 e8 07 02 00`, and a node stored 28,333,333 minutes
// after 1970 (2023-11-14 22:13) as 5 bytes of data for 4 of its own has the info `01 b0 55 15 05
// 04`.
//
// Threads     values and plain functions of their arguments.
#pragma once

#include <array>
#include <optional>

#include "base/clock.h"
#include "data/store/node_store.h"

namespace cairn {

inline constexpr std::uint64_t kStoreFormat = 1;

// Records of the store itself; nobody else's keys begin so.
inline constexpr char kReservedByte = 0x01;
inline constexpr std::string_view kFormatKey =
    "\x01"
    "format";
inline constexpr std::string_view kUsagePrefix =
    "\x01"
    "usage/";

inline bool is_reserved(ByteView key) { return !key.empty() && key.front() == kReservedByte; }

// The key of a node's row in node_info and node_data.
class NodeRow final {
 public:
  static constexpr std::size_t kRealmBytes = 16;

  NodeRow(const RealmId& realm, const NodeKey& key);

  // NOLINTNEXTLINE(google-explicit-constructor): it is these bytes.
  operator ByteView() const { return {bytes_.data(), bytes_.size()}; }
  Bytes bytes() const { return Bytes(ByteView(*this)); }

  // REQUIRES: `row` is the key of a row of a node table.
  static NodeKey key(ByteView row) { return NodeKey::from_bytes(row.substr(kRealmBytes)); }

 private:
  std::array<char, kRealmBytes + NodeKey::kSize> bytes_;
};

// The value in node_info.
struct StoredInfo {
  std::uint32_t minute = 0;
  std::uint64_t physical_bytes = 0;
  std::uint64_t logical_bytes = 0;

  // The minute that `now` is in.
  static std::uint32_t minute_of(Millis now);
  Millis stored_at() const { return Millis{minute} * 60'000; }

  Bytes encode() const;
  static std::optional<StoredInfo> decode(ByteView bytes);
  bool operator==(const StoredInfo&) const = default;
};

Bytes usage_key(const RealmId& realm);
Bytes encode_usage(const Usage& usage);
// Absent is no usage; IO_ERROR when the record is damaged.
Result<Usage> decode_usage(const std::optional<Bytes>& record, const RealmId& realm);

Bytes encode_format(std::uint64_t version);
std::optional<std::uint64_t> decode_format(ByteView record);

// A key as a person can read it: bytes that are not printable ASCII as \xNN.
std::string printable(ByteView key);

}  // namespace cairn
