#include "base/bytes.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

using std::string_view_literals::operator""sv;

TEST(Varint, IsWrittenInAsFewBytesAsItNeedsAndReadBack) {
  struct Case {
    std::uint64_t value;
    std::string_view bytes;
  };
  const Case cases[] = {
      {0, "\x00"sv},
      {1, "\x01"},
      {127, "\x7F"},
      {128, "\x80\x01"},
      {300, "\xAC\x02"},
      {16383, "\xFF\x7F"},
      {16384, "\x80\x80\x01"},
      {0xFFFFFFFF, "\xFF\xFF\xFF\xFF\x0F"},
      {1ULL << 63, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"},
      {~0ULL, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"},
  };
  for (const auto& c : cases) {
    Bytes out;
    put_varint(out, c.value);
    EXPECT_EQ(out, c.bytes) << c.value;
    ByteReader reader(c.bytes);
    EXPECT_EQ(reader.varint(), c.value);
    EXPECT_TRUE(reader.at_end());
    EXPECT_FALSE(reader.failed());
  }
}

TEST(Varint, IsRefusedWhenCutOverlongOrOverflowing) {
  struct Case {
    std::string_view bytes;
    std::string_view why;
  };
  const Case cases[] = {
      {"", "nothing there"},
      {"\x80", "cut"},
      {"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", "cut before the last byte"},
      {"\x80\x00"sv, "overlong zero"},
      {"\x81\x00"sv, "overlong one"},
      {"\x80\x80\x00\x01"sv, "overlong, with more after it"},
      {"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00"sv, "overlong in the last byte"},
      {"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02", "65 bits"},
      {"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F", "70 bits"},
      {"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x81\x01", "eleven bytes"},
      {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", "no end"},
  };
  for (const auto& c : cases) {
    ByteReader reader(c.bytes);
    EXPECT_EQ(reader.varint(), 0U) << c.why;
    EXPECT_TRUE(reader.failed()) << c.why;
  }
}

TEST(ByteReader, TakesBytesInOrder) {
  ByteReader reader("a\x80\x01the rest");
  EXPECT_EQ(reader.byte(), 'a');
  EXPECT_EQ(reader.varint(), 128U);
  EXPECT_EQ(reader.take(4), "the ");
  EXPECT_EQ(reader.take(0), "");
  EXPECT_EQ(reader.rest(), "rest");
  EXPECT_FALSE(reader.at_end());
  EXPECT_FALSE(reader.failed());
}

TEST(ByteReader, ReadsAByteOfValueZeroWithoutFailing) {
  ByteReader reader("\0"sv);
  EXPECT_EQ(reader.byte(), 0);
  EXPECT_FALSE(reader.failed());
}

TEST(ByteReader, FailsInsteadOfReadingPastTheEnd) {
  for (std::uint64_t count : {std::uint64_t{4}, ~std::uint64_t{0}}) {
    ByteReader reader("abc");
    EXPECT_EQ(reader.take(count), "");
    EXPECT_TRUE(reader.failed());
  }
  ByteReader empty("");
  EXPECT_EQ(empty.byte(), 0);
  EXPECT_TRUE(empty.failed());
}

TEST(ByteReader, FailsForEverAfterTheFirstFailure) {
  ByteReader reader("abc");
  reader.take(4);
  EXPECT_EQ(reader.take(1), "");
  EXPECT_EQ(reader.byte(), 0);
  EXPECT_EQ(reader.varint(), 0U);
  EXPECT_EQ(reader.take(0), "");
  EXPECT_TRUE(reader.failed());
}

}  // namespace
}  // namespace cairn
