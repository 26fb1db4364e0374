#include "data/store/log_reader.h"

#include <fstream>

#include "data/store/crc32c.h"
#include "data/store/store_test_support.h"

namespace cairn {
namespace {

using ::testing::ElementsAre;

TEST(Crc32c, IsThatOfCastagnoli) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(Bytes(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c("456789", crc32c("123")), 0xe3069283U);
}

Bytes little(std::uint64_t value, int bytes) {
  Bytes out;
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
  return out;
}

Bytes fragment(char type, ByteView content) {
  const Bytes summed = type + Bytes(content);
  return little(masked_crc32c(crc32c(summed)), 4) + little(content.size(), 2) + summed;
}

Bytes batch(std::uint64_t sequence, std::size_t size) {
  return little(sequence, 8) + little(1, 4) + Bytes(size, 'b');
}

// `record 1` `damage 40-80` `nothing`
std::vector<std::string> pieces_of(const Bytes& log) {
  const TempDir dir;
  std::ofstream(dir / "000001.log", std::ios::binary) << log;
  std::vector<std::string> out;
  EXPECT_THAT(read_log(dir / "000001.log",
                       [&](const LogPiece& piece) {
                         switch (piece.kind) {
                           case LogPiece::Kind::kRecord:
                             out.push_back(fmt::format("record {}", piece.sequence()));
                             break;
                           case LogPiece::Kind::kDamage:
                             out.push_back(fmt::format("damage {}-{}", piece.begin, piece.end));
                             break;
                           case LogPiece::Kind::kNothing:
                             out.emplace_back("nothing");
                             break;
                         }
                       }),
              IsOk());
  return out;
}

TEST(LogReader, ReadsRecordsThatLieInOneBlockAndInSeveral) {
  const Bytes first = fragment(1, batch(1, 20));
  const Bytes large = batch(2, 40'000);
  const std::size_t room = 32 * 1024 - first.size() - 7;
  const Bytes log = first + fragment(2, ByteView(large).substr(0, room)) +
                    fragment(4, ByteView(large).substr(room)) + fragment(1, batch(3, 20));
  EXPECT_THAT(pieces_of(log), ElementsAre("record 1", "record 2", "record 3"));
  EXPECT_THAT(pieces_of(log + Bytes(70'000, '\0')),
              ElementsAre("record 1", "record 2", "record 3", "nothing"));
}

TEST(LogReader, GoesOnBehindWhatIsDamaged) {
  const Bytes one = fragment(1, batch(1, 21));
  ASSERT_EQ(one.size(), 40U);
  const Bytes log = one + fragment(1, batch(2, 21)) + fragment(1, batch(3, 21));
  const auto with = [&](std::size_t at, char value) {
    Bytes out = log;
    out[at] = value;
    return out;
  };
  EXPECT_THAT(pieces_of(with(70, 'x')), ElementsAre("record 1", "damage 40-80", "record 3"));
  EXPECT_THAT(pieces_of(with(44, 'x')), ElementsAre("record 1", "damage 40-80", "record 3"))
      << "the length is no longer known";
  EXPECT_THAT(pieces_of(log.substr(0, 90)), ElementsAre("record 1", "record 2", "damage 80-90"));
  EXPECT_THAT(pieces_of(log.substr(0, 83)), ElementsAre("record 1", "record 2", "damage 80-83"));
  EXPECT_THAT(pieces_of(one + Bytes(32 * 1024 - 40, '\0') + fragment(1, batch(9, 5))),
              ElementsAre("record 1", "damage 40-32768", "record 9"));
}

TEST(LogReader, KnowsLogsByTheirNames) {
  EXPECT_EQ(log_number("/a/000012.log"), 12U);
  EXPECT_EQ(log_number("/a/LOG"), std::nullopt);
  EXPECT_EQ(log_number("/a/12x.log"), std::nullopt);
  EXPECT_EQ(log_number("/a/000012.sst"), std::nullopt);
}

}  // namespace
}  // namespace cairn
