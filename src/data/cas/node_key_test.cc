#include "data/cas/node_key.h"

#include <random>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"

namespace cairn {
namespace {

using testing::HasSubstr;

constexpr std::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

NodeKey random_key(std::mt19937_64& random) {
  Digest digest;
  for (auto& byte : digest) byte = static_cast<std::uint8_t>(random());
  return NodeKey(digest);
}

// The slow obvious way: all 256 bits in a row, padded to 260, five at a time.
std::string rendered_bit_by_bit(const NodeKey& key) {
  std::string bits;
  for (char c : key.bytes()) {
    for (int i = 7; i >= 0; --i) bits += (static_cast<unsigned char>(c) >> i) & 1 ? '1' : '0';
  }
  bits += "0000";
  std::string text = "nod_";
  for (std::size_t i = 0; i < bits.size(); i += 5) {
    text += kAlphabet[std::stoul(bits.substr(i, 5), nullptr, 2)];
  }
  return text;
}

// The key that comes right after (+1) or right before (-1) in order; wraps around.
NodeKey neighbour(const NodeKey& key, int step) {
  std::string bytes(key.bytes());
  for (std::size_t i = bytes.size(); i-- > 0;) {
    bytes[i] = static_cast<char>(bytes[i] + step);
    if (bytes[i] != (step > 0 ? '\x00' : '\xff')) break;
  }
  return NodeKey::from_bytes(bytes);
}

std::string digits(std::size_t count, char digit = '0') { return std::string(count, digit); }

TEST(NodeKey, OfNothingIsTheSha256OfNothing) {
  EXPECT_EQ(NodeKey::of("").render(), "nod_WERC8GMRZGE196QVYK49JVXS4GKTWGF4CJDS6K54JPCHPY2JQ1AG");
}

TEST(NodeKey, RendersTheSmallestAndTheLargestKey) {
  EXPECT_EQ(NodeKey().render(), "nod_" + digits(52));
  EXPECT_EQ(neighbour(NodeKey(), -1).render(), "nod_" + digits(51, 'Z') + "G");
}

TEST(NodeKey, ParseIsTheInverseOfRender) {
  constexpr unsigned kSeed = 1;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 1000; ++i) {
    auto key = random_key(random);
    auto text = key.render();
    EXPECT_EQ(text, rendered_bit_by_bit(key));
    auto parsed = NodeKey::parse(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    EXPECT_EQ(*parsed, key);
    EXPECT_EQ(NodeKey::from_bytes(key.bytes()), key);
  }
}

TEST(NodeKey, TextAndBytesHaveTheSameOrder) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    auto a = random_key(random);
    auto b = random_key(random);
    EXPECT_EQ(a < b, a.render() < b.render());
  }
}

TEST(NodeKey, ReadsLowerCaseAndTheLettersThatLookLikeDigits) {
  struct Case {
    std::string text;
    std::string same_as;
  };
  const Case cases[] = {
      {"nod_" + digits(51, 'z') + "g", "nod_" + digits(51, 'Z') + "G"},
      {"nod_" + digits(51, 'I') + "0", "nod_" + digits(51, '1') + "0"},
      {"nod_" + digits(51, 'i') + "0", "nod_" + digits(51, '1') + "0"},
      {"nod_" + digits(51, 'L') + "0", "nod_" + digits(51, '1') + "0"},
      {"nod_" + digits(51, 'l') + "G", "nod_" + digits(51, '1') + "G"},
      {"nod_" + digits(52, 'O'), "nod_" + digits(52)},
      {"nod_" + digits(52, 'o'), "nod_" + digits(52)},
      {"nod_werc8gmrzge196qvyk49jvxs4gktwgf4cjds6k54jpchpy2jq1ag",
       "nod_WERC8GMRZGE196QVYK49JVXS4GKTWGF4CJDS6K54JPCHPY2JQ1AG"},
  };
  for (const auto& c : cases) {
    auto key = NodeKey::parse(c.text);
    ASSERT_TRUE(key.has_value()) << c.text;
    EXPECT_EQ(key->render(), c.same_as);
    auto prefix = KeyPrefix::parse(c.text);
    ASSERT_TRUE(prefix.has_value()) << c.text;
    EXPECT_TRUE(prefix->whole());
    EXPECT_EQ(prefix->low(), *key);
  }
}

TEST(NodeKey, RefusesWhatIsNotAWholeKeyAndSaysWhy) {
  struct Case {
    std::string text;
    std::string_view why;
  };
  const Case cases[] = {
      {"", "is not a node key (nod_…)"},
      {"nod", "is not a node key (nod_…)"},
      {digits(52), "is not a node key (nod_…)"},
      {"NOD_" + digits(52), "is not a node key (nod_…)"},
      {"dpt_" + digits(52), "is a depot id; a node key (nod_…) is wanted"},
      {" nod_" + digits(52), "is not a node key (nod_…)"},
      {"nod_", "52 letters and digits"},
      {"nod_" + digits(12), "52 letters and digits"},
      {"nod_" + digits(51), "52 letters and digits"},
      {"nod_" + digits(53), "52 letters and digits"},
      {"nod_" + digits(51) + " ", "52 letters and digits"},
      {"nod_" + digits(51) + "=", "52 letters and digits"},
      {"nod_" + digits(25) + "U" + digits(26), "52 letters and digits"},
      {"nod_" + digits(25) + "u" + digits(26), "52 letters and digits"},
      {"nod_" + digits(25) + "-" + digits(26), "52 letters and digits"},
      {"nod_" + std::string(1, '\0') + digits(51), "52 letters and digits"},
  };
  for (const auto& c : cases) {
    auto key = NodeKey::parse(c.text);
    ASSERT_FALSE(key.has_value()) << c.text;
    EXPECT_EQ(key.error().code, Code::kInvalidKey);
    EXPECT_THAT(key.error().message, HasSubstr(c.why)) << c.text;
  }
}

TEST(NodeKey, TheLastDigitHoldsOneBitAndFourZeros) {
  for (char last : kAlphabet) {
    auto text = "nod_" + digits(51, '7') + last;
    bool possible = last == '0' || last == 'G';
    EXPECT_EQ(NodeKey::parse(text).has_value(), possible) << text;
    EXPECT_EQ(KeyPrefix::parse(text).has_value(), possible) << text;
  }
}

TEST(NodeKey, AMessageQuotesABoundedAndReadablePartOfTheText) {
  const std::string texts[] = {
      digits(100'000, 'x'),
      "nod_" + digits(75) + "\u00e9\u00e9\u00e9",
      digits(79) + "\u20ac",
      "nod_\xff\xfe",
      "\xc3",
      "nod_\x1b[2J",
  };
  for (const auto& text : texts) {
    for (const auto& message :
         {NodeKey::parse(text).error().message, KeyPrefix::parse(text).error().message}) {
      EXPECT_LT(message.size(), 250U);
      EXPECT_TRUE(valid_utf8(message)) << message;
      EXPECT_EQ(message.find('\x1b'), std::string::npos);
    }
  }
}

TEST(NodeKey, TheShortFormIsTheFirstSixteenDigits) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100; ++i) {
    auto key = random_key(random);
    EXPECT_EQ(key.render_short(), key.render().substr(0, 4 + 16));
    auto prefix = KeyPrefix::parse(key.render_short());
    ASSERT_TRUE(prefix.has_value());
    EXPECT_TRUE(prefix->contains(key));
  }
}

TEST(NodeKey, WordIsItsFirstEightBytesLittleEndian) {
  Digest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<std::uint8_t>(i + 1);
  EXPECT_EQ(NodeKey(digest).word(), 0x0807060504030201ULL);
}

TEST(KeyPrefix, OfAnyLengthContainsItsKeyAndEndsAtItsNeighbours) {
  constexpr unsigned kSeed = 4;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 50; ++i) {
    auto key = random_key(random);
    for (std::size_t n = KeyPrefix::kMinDigits; n <= NodeKey::kDigits; ++n) {
      auto text = key.render().substr(0, 4 + n);
      auto prefix = KeyPrefix::parse(text);
      ASSERT_TRUE(prefix.has_value()) << text;
      EXPECT_EQ(prefix->whole(), n == NodeKey::kDigits);
      EXPECT_TRUE(prefix->contains(key));
      EXPECT_TRUE(prefix->contains(prefix->low()));
      EXPECT_TRUE(prefix->contains(prefix->high()));
      EXPECT_TRUE(prefix->low().render().starts_with(text));
      EXPECT_TRUE(prefix->high().render().starts_with(text));
      for (const auto& outside : {neighbour(prefix->low(), -1), neighbour(prefix->high(), +1)}) {
        EXPECT_FALSE(prefix->contains(outside)) << text;
        EXPECT_FALSE(outside.render().starts_with(text)) << text;
      }
    }
  }
}

TEST(KeyPrefix, ContainsExactlyTheKeysThatBeginWithIt) {
  constexpr unsigned kSeed = 5;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  int inside = 0;
  for (int i = 0; i < 5000; ++i) {
    auto key = random_key(random);
    auto n = KeyPrefix::kMinDigits + random() % (NodeKey::kDigits - KeyPrefix::kMinDigits + 1);
    auto text = key.render().substr(0, 4 + n);
    std::string bytes(key.bytes());
    bytes[random() % bytes.size()] ^= static_cast<char>(1 << (random() % 8));
    auto other = NodeKey::from_bytes(bytes);
    bool begins = other.render().starts_with(text);
    inside += begins ? 1 : 0;
    EXPECT_EQ(KeyPrefix::parse(text)->contains(other), begins) << text;
  }
  EXPECT_GT(inside, 500);
  EXPECT_LT(inside, 4500);
}

TEST(KeyPrefix, AtTheEndsOfTheOrderHasNoNeighbourToMiss) {
  auto lowest = KeyPrefix::parse("nod_" + digits(12));
  auto highest = KeyPrefix::parse("nod_" + digits(12, 'Z'));
  ASSERT_TRUE(lowest && highest);
  EXPECT_EQ(lowest->low(), NodeKey());
  EXPECT_EQ(highest->high(), neighbour(NodeKey(), -1));
}

TEST(KeyPrefix, RefusesWhatIsNotOneAndSaysWhy) {
  struct Case {
    std::string text;
    std::string_view why;
  };
  const Case cases[] = {
      {"", "is not a node key (nod_…)"},
      {digits(12), "is not a node key (nod_…)"},
      {"nod_", "0 characters follow nod_, there should be 12 to 52"},
      {"nod_" + digits(11), "11 characters follow nod_, there should be 12 to 52"},
      {"nod_" + digits(53), "53 characters follow nod_, there should be 12 to 52"},
      {"nod_" + digits(11) + "U", "without U"},
      {"nod_" + digits(11) + "*", "without U"},
      {"nod_" + digits(11) + "\u00e9", "without U"},
      {"nod_" + digits(51) + "1", "last character is impossible"},
      {"nod_" + digits(51) + "Z", "last character is impossible"},
  };
  for (const auto& c : cases) {
    auto prefix = KeyPrefix::parse(c.text);
    ASSERT_FALSE(prefix.has_value()) << c.text;
    EXPECT_EQ(prefix.error().code, Code::kInvalidKey);
    EXPECT_THAT(prefix.error().message, HasSubstr(c.why)) << c.text;
  }
}

}  // namespace
}  // namespace cairn
