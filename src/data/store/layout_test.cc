#include "data/store/layout.h"

#include "data/store/store_test_support.h"

namespace cairn {
namespace {

TEST(Layout, IsTheOneDrawnInTheHeader) {
  const Usage usage{.physical_bytes = 300, .logical_bytes = 1000, .node_count = 2};
  EXPECT_EQ(encode_usage(usage), "\xac\x02\xe8\x07\x02" + Bytes(1, '\0'));
  const StoredInfo info{.minute = 28'333'333, .physical_bytes = 5, .logical_bytes = 4};
  EXPECT_EQ(info.encode(), "\x01\xb0\x55\x15\x05\x04");
  EXPECT_EQ(info.stored_at(), 1'699'999'980'000);
  EXPECT_EQ(usage_key(realm_number('r')), "\x01usage/rrrrrrrrrrrrrrrr");
}

TEST(Layout, ReadsWhatItWrites) {
  const Usage usage{1ULL << 40, 3ULL << 40, 77, 1ULL << 50};
  EXPECT_EQ(decode_usage(encode_usage(usage), realm_number(1)).value(), usage);
  const StoredInfo info{StoredInfo::minute_of(1'700'000'000'000), 123, 456'789};
  EXPECT_EQ(StoredInfo::decode(info.encode()), info);
}

TEST(Layout, RefusesDamagedRecords) {
  for (const Bytes& bytes : {Bytes(), Bytes("\x01"), Bytes("\x01\xaf\xa8\xd5\x05"),
                             Bytes("\x01\xaf\xa8\xd5\x05\x04\x04")}) {
    EXPECT_EQ(StoredInfo::decode(bytes), std::nullopt) << printable(bytes);
  }
  EXPECT_THAT(decode_usage(Bytes("\x05"), realm_number(1)), FailsWith(Code::kIoError));
}

TEST(Layout, PutsANodeBehindItsRealm) {
  const NodeKey key = NodeKey::of("some bytes");
  const NodeRow row(realm_number('r'), key);
  EXPECT_EQ(row.bytes(), Bytes(16, 'r') + Bytes(key.bytes()));
  EXPECT_EQ(NodeRow::key(row), key);
}

TEST(Layout, ShowsKeysAsPrintableText) {
  EXPECT_EQ(printable("a\x01\\\xff/"), "a\\x01\\x5c\\xff/");
}

}  // namespace
}  // namespace cairn
