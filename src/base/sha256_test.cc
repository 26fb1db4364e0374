#include "base/sha256.h"

#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cairn {
namespace {

std::string hex(const Digest& digest) {
  std::string text;
  for (auto byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

TEST(Sha256, GivesTheVectorsOfTheStandard) {
  struct Case {
    std::string bytes;
    std::string_view digest;
  };
  const Case cases[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmn"
       "opqrsmnopqrstnopqrstu",
       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
      {std::string(1'000'000, 'a'),
       "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
      {std::string(1, '\0'), "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"},
  };
  for (const auto& c : cases) EXPECT_EQ(hex(sha256(c.bytes)), c.digest);
}

TEST(Sha256, KeepsNothingFromOneCallToTheNext) {
  auto first = sha256("abc");
  sha256("something else");
  EXPECT_EQ(sha256("abc"), first);
}

TEST(Sha256, MayBeCalledFromAnyThread) {
  const auto expected = sha256("abc");
  std::vector<Digest> digests(4);
  {
    std::vector<std::jthread> threads;
    for (auto& digest : digests) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) digest = sha256("abc");
      });
    }
  }
  for (const auto& digest : digests) EXPECT_EQ(digest, expected);
}

}  // namespace
}  // namespace cairn
