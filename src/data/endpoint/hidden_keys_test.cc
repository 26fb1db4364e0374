#include "data/endpoint/hidden_keys.h"

#include <gtest/gtest.h>

#include "data/endpoint/endpoint.h"

namespace cairn {
namespace {

TEST(HiddenKeys, AreLeftOutWhereverTheyStand) {
  SeededRandom random(1);
  const auto key = EndpointKey::make(random).text();
  struct Case {
    std::string text, hidden;
  };
  const Case cases[] = {
      {"", ""},
      {"/api/docs", "/api/docs"},
      {key, "(key)"},
      {"/a/" + key + "/b", "/a/(key)/b"},
      {key + "/" + key, "(key)/(key)"},
      {key + key, "(key)"},
      // A part is a part of the secret.
      {"x" + key.substr(0, 20), "x(key)"},
      {"cek", "cek"},
      {"cek_", "(key)"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(with_keys_hidden(c.text), c.hidden);
  }
}

}  // namespace
}  // namespace cairn
