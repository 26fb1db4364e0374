#include "data/store/node_codec.h"

#include <random>

#include <gtest/gtest.h>
#include <zstd.h>

#include "data/cas/node.h"

namespace cairn {
namespace {

Bytes noise(std::size_t size) {
  std::mt19937 random(4);
  Bytes bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

TEST(NodeCodec, UnpacksWhatItPacked) {
  for (std::size_t size : {0U, 1U, 63U, 64U, 65U, 4096U, 100'000U}) {
    for (const Bytes& node : {Bytes(size, 'a'), noise(size)}) {
      EXPECT_EQ(unpack_node(pack_node(node)), node) << size;
    }
  }
}

TEST(NodeCodec, KeepsSmallAndIncompressibleNodesAsTheyAre) {
  EXPECT_EQ(pack_node("tiny"), Bytes("\0tiny", 5));
  const Bytes node = noise(4096);
  EXPECT_EQ(pack_node(node), Bytes(1, '\0') + node);
}

TEST(NodeCodec, ShrinksText) {
  const Bytes packed = pack_node(Bytes(10'000, 'a'));
  EXPECT_EQ(packed.front(), '\x01');
  EXPECT_LT(packed.size(), 100U);
}

TEST(NodeCodec, RefusesWhatItCannotHaveWritten) {
  const Bytes packed = pack_node(Bytes(10'000, 'a'));
  EXPECT_EQ(unpack_node(""), std::nullopt);
  EXPECT_EQ(unpack_node("\x02whatever"), std::nullopt);
  EXPECT_EQ(unpack_node("\x01not a frame"), std::nullopt);
  EXPECT_EQ(unpack_node(packed.substr(0, packed.size() - 1)), std::nullopt);
  EXPECT_EQ(unpack_node(packed + "x"), std::nullopt);
}

TEST(NodeCodec, NeverMakesMoreThanALargestNode) {
  const Bytes huge(kMaxNodeBytes + 1, 'a');
  Bytes frame(ZSTD_compressBound(huge.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), huge.data(), huge.size(), 1));
  EXPECT_EQ(unpack_node("\x01" + frame), std::nullopt);
  EXPECT_EQ(unpack_node(Bytes(1, '\0') + huge), std::nullopt);
}

}  // namespace
}  // namespace cairn
