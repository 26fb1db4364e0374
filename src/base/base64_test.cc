#include "base/base64.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace cairn {
namespace {

TEST(Base64, WritesWhatTheStandardShows) {
  struct Row {
    std::string_view bytes, text;
  };
  for (const auto& [bytes, text] :
       {Row{"", ""}, Row{"f", "Zg=="}, Row{"fo", "Zm8="}, Row{"foo", "Zm9v"},
        Row{"foob", "Zm9vYg=="}, Row{"fooba", "Zm9vYmE="}, Row{"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(base64_encode(bytes), text);
    EXPECT_EQ(base64_decode(text), Bytes(bytes));
  }
}

TEST(Base64, ReadsBackEveryLength) {
  SeededRandom random(7);
  for (std::size_t size = 0; size < 100; ++size) {
    auto bytes = random.bytes(size);
    EXPECT_EQ(base64_decode(base64_encode(bytes)), bytes);
  }
}

TEST(Base64, RefusesWhatItWouldNotHaveWritten) {
  for (std::string_view text :
       {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zm 8", "Zm-_", "====", "Z===", "Zg==Zg==", "Zm9v\n"}) {
    EXPECT_EQ(base64_decode(text), std::nullopt) << text;
  }
}

TEST(Base64, KnowsItsAlphabet) {
  EXPECT_TRUE(is_base64("AZaz09+/"));
  for (std::string_view text : {"A=", "A-", "A_", "A B", "\xC3\xA4"}) EXPECT_FALSE(is_base64(text));
}

}  // namespace
}  // namespace cairn
