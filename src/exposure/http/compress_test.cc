#include "exposure/http/compress.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

namespace cairn::http {
namespace {

TEST(PreferredEncoding, FollowsTheWeights) {
  struct Case {
    std::string_view accept;
    Encoding encoding;
  };
  for (const Case& c :
       {Case{"", Encoding::kIdentity}, Case{"gzip", Encoding::kGzip},
        Case{"GZIP, Zstd", Encoding::kZstd}, Case{"gzip, deflate, br, zstd", Encoding::kZstd},
        Case{"gzip;q=0.9, zstd;q=0.8", Encoding::kGzip},
        Case{"gzip;q=0, zstd;q=0", Encoding::kIdentity}, Case{"gzip;q=0.000", Encoding::kIdentity},
        Case{"zstd;q=0, gzip ; q=0.1", Encoding::kGzip}, Case{"*", Encoding::kZstd},
        Case{"zstd;q=0, *;q=0.5", Encoding::kGzip},
        Case{"identity, gzip;q=0.5", Encoding::kIdentity},
        Case{"identity;q=0.5, gzip;q=0.5", Encoding::kGzip},
        Case{"gzip;q=nonsense", Encoding::kIdentity}, Case{"gzip;q=7", Encoding::kIdentity},
        Case{"br, deflate", Encoding::kIdentity}, Case{",,;;=,", Encoding::kIdentity}}) {
    EXPECT_EQ(preferred_encoding(c.accept), c.encoding) << c.accept;
  }
}

TEST(WorthCompressing, IsTextOfSomeSizeThatNobodyEncodedYet) {
  const std::string body(1024, 'x');
  Response response;
  for (const std::string_view type :
       {"text/html; charset=utf-8", "application/json", "application/problem+json", "image/svg+xml",
        "application/javascript", "application/xml"}) {
    response.content_type = type;
    EXPECT_TRUE(worth_compressing(response, body)) << type;
    EXPECT_FALSE(worth_compressing(response, body.substr(1))) << type;
  }
  for (const std::string_view type :
       {"", "image/png", "application/octet-stream", "text/event-stream", "application/zip"}) {
    response.content_type = type;
    EXPECT_FALSE(worth_compressing(response, body)) << type;
  }
  response.content_type = "text/plain";
  response.status = 206;
  EXPECT_FALSE(worth_compressing(response, body));
  response.status = 200;
  response.headers = {{"Content-Encoding", "br"}};
  EXPECT_FALSE(worth_compressing(response, body));
  response.headers = {};
  response.compressible = false;
  EXPECT_FALSE(worth_compressing(response, body));
}

TEST(Compress, IsUndoneByTheLibraries) {
  std::string body;
  for (int i = 0; i < 5000; ++i) body += std::to_string(i * i) + ",";
  std::string back(body.size(), '\0');
  const Bytes zstd = compress(Encoding::kZstd, body);
  EXPECT_LT(zstd.size(), body.size());
  EXPECT_EQ(ZSTD_decompress(back.data(), back.size(), zstd.data(), zstd.size()), body.size());
  EXPECT_EQ(back, body);

  const Bytes gzip = compress(Encoding::kGzip, body);
  EXPECT_LT(gzip.size(), body.size());
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string copy = gzip;
  back.assign(body.size(), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(back.data());
  stream.avail_out = static_cast<uInt>(back.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  inflateEnd(&stream);
  EXPECT_EQ(back, body);
}

TEST(Compress, GivesNothingWhenNothingIsWon) {
  std::string noise;
  std::uint32_t x = 1;
  for (int i = 0; i < 2000; ++i) noise += static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
  EXPECT_EQ(compress(Encoding::kZstd, noise), "");
  EXPECT_EQ(compress(Encoding::kGzip, noise), "");
}

}  // namespace
}  // namespace cairn::http
