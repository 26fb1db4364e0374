#include "base/base64url.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace cairn {
namespace {

TEST(Base64Url, WritesWhatTheStandardShows) {
  struct Row {
    std::string_view bytes, text;
  };
  for (const auto& [bytes, text] :
       {Row{"", ""}, Row{"f", "Zg"}, Row{"fo", "Zm8"}, Row{"foo", "Zm9v"}, Row{"\xfb\xff", "-_8"},
        Row{"\x03\xec\xff\xe0\xc1", "A-z_4ME"}}) {  // the last is of RFC 7515, appendix C
    EXPECT_EQ(base64url_encode(bytes), text);
    EXPECT_EQ(base64url_decode(text), Bytes(bytes));
  }
}

TEST(Base64Url, ReadsBackEveryLength) {
  SeededRandom random(7);
  for (std::size_t size = 0; size < 100; ++size) {
    auto bytes = random.bytes(size);
    EXPECT_EQ(base64url_decode(base64url_encode(bytes)), bytes);
  }
}

TEST(Base64Url, RefusesWhatItWouldNotHaveWritten) {
  for (std::string_view text : {"Z", "Zg==", "Zg=", "Zh", "Zm9", "Zm 8", "Zm+v", "Zm/v", "=",
                                "====", "Zm9v\n", "Zm9vA", "\xC3\xA4zz"}) {
    EXPECT_EQ(base64url_decode(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace cairn
