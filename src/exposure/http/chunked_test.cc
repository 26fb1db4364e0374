#include "exposure/http/chunked.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace cairn::http {
namespace {

struct Decoded {
  std::string body;
  std::string rest;
  bool done = false;
  bool failed = false;
};

// Feeds `text` in pieces of `piece` bytes.
Decoded decode(std::string text, std::size_t piece) {
  ChunkDecoder decoder;
  Decoded out;
  std::size_t at = 0;
  while (at < text.size() && !decoder.done()) {
    const std::span<char> bytes(text.data() + at, std::min(piece, text.size() - at));
    const auto step = decoder.decode(bytes);
    if (!step) {
      out.failed = true;
      return out;
    }
    out.body.append(bytes.data(), step->made);
    at += step->used;
  }
  out.rest = text.substr(at);
  out.done = decoder.done();
  return out;
}

TEST(ChunkDecoder, DecodesHoweverTheBytesArrive) {
  const std::string text =
      "5\r\nhello\r\n1;a=\"b\"\r\n,\r\n00B ; x\r\n and\r\nmore.\r\n0\r\nA: b\r\nC: d\r\n\r\nNEXT";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    const Decoded decoded = decode(text, piece);
    EXPECT_TRUE(decoded.done) << piece;
    EXPECT_EQ(decoded.body, "hello, and\r\nmore.") << piece;
    EXPECT_EQ(decoded.rest, "NEXT") << piece;
  }
  EXPECT_TRUE(decode("0\r\n\r\n", 1).done);
  EXPECT_FALSE(decode("3\r\nabc\r\n", 3).done);
}

TEST(ChunkDecoder, RefusesWhatIsNotExact) {
  for (const std::string& text : {
           std::string("\r\n"),
           std::string("x\r\n"),
           std::string("-1\r\n"),
           std::string("0x5\r\n"),
           std::string("5\nhello\r\n"),
           std::string("5\r\nhello0\r\n"),
           std::string("5\r\nhello\n0\r\n\r\n"),
           std::string("5;a=\nb\r\nhello"),
           std::string("5;\"\nb\"\r\nhello"),
           std::string("1000000000000000\r\n"),
           std::string("0\r\nA: b\n\r\n"),
           std::string("0\r\n\rX"),
           "1;" + std::string(1000, 'x') + "\r\na\r\n",
           "0\r\nA: " + std::string(10000, 'x') + "\r\n\r\n",
       }) {
    EXPECT_TRUE(decode(text, 1).failed) << text;
    EXPECT_TRUE(decode(text, text.size()).failed) << text;
  }
}

}  // namespace
}  // namespace cairn::http
