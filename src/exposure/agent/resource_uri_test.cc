#include "exposure/agent/resource_uri.h"

#include <gtest/gtest.h>

namespace cairn::agent {
namespace {

constexpr std::string_view kId = "01H5K6Z9X3ABCDEF0123456789";
constexpr std::string_view kKey = "0123456789ABCDEFGHJKMNPQRSTVWXYZ0123456789ABCDEFGHJ0";

std::string depot(std::string_view rest) {
  return "cas://depot:" + std::string(kId) + std::string(rest);
}
std::string node(std::string_view rest) {
  return "cas://node:" + std::string(kKey) + std::string(rest);
}

TEST(ResourceUri, IsReadAndWrittenBack) {
  struct Case {
    std::string uri;
    std::string key;
    std::optional<std::string> path;
    std::optional<std::string> canonical = std::nullopt;
  };
  const std::string id = "dpt_" + std::string(kId);
  const std::string key = "nod_" + std::string(kKey);
  const Case cases[] = {
      {depot(""), id, std::nullopt},
      {depot("/"), id, ""},
      {depot("/src/main.ts"), id, "src/main.ts"},
      {depot("/a%20b/%C3%A9"), id, "a b/é"},
      {depot("/a b"), id, "a b", depot("/a%20b")},
      {depot("/a?b#c"), id, "a?b#c", depot("/a%3Fb%23c")},
      {depot("/~0/~1"), id, "~0/~1"},
      {depot("/src/"), id, "src", depot("/src")},
      {depot("%2Fdocs"), id + "/docs", std::nullopt},
      {depot("%2Fdocs%2Fapi/a.md"), id + "/docs/api", "a.md"},
      {depot("/docs%2Fa.md"), id, "docs/a.md", depot("/docs/a.md")},
      {"cas://depot:" + id + "/x", id, "x", depot("/x")},
      {node(""), key, std::nullopt},
      {node("/src"), key, "src"},
      {"cas://node:" + key, key, std::nullopt, node("")},
      {"cas://node:0123456789AB", "nod_0123456789AB", std::nullopt},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.uri);
    const auto parsed = ResourceUri::parse(c.uri);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(parsed->key, c.key);
    EXPECT_EQ(parsed->path.has_value(), c.path.has_value());
    EXPECT_EQ(parsed->path.value_or(Path()).render(), c.path.value_or(""));
    EXPECT_EQ(parsed->render(), c.canonical.value_or(c.uri));
    EXPECT_EQ(ResourceUri::parse(parsed->render()), *parsed);
  }
}

TEST(ResourceUri, RefusesWhatNamesNothing) {
  struct Case {
    std::string uri;
    Code code;
  };
  const Case cases[] = {
      {"", Code::kInvalidArgument},
      {"file:///etc/passwd", Code::kInvalidArgument},
      {"cas://user:x", Code::kInvalidArgument},
      {"cas://depot", Code::kInvalidArgument},
      {"CAS://depot:x", Code::kInvalidArgument},
      {"cas://depot:", Code::kInvalidKey},
      {"cas://depot:nope", Code::kInvalidKey},
      {"cas://node:short", Code::kInvalidKey},
      {depot("/.."), Code::kInvalidPath},
      {depot("/a/../b"), Code::kInvalidPath},
      {depot("/%2e%2e/b"), Code::kInvalidPath},
      {depot("/a/%2E%2E%2Fb"), Code::kInvalidPath},
      {depot("//a"), Code::kInvalidPath},
      {depot("/a//b"), Code::kInvalidPath},
      {depot("/a//"), Code::kInvalidPath},
      {depot("//"), Code::kInvalidPath},
      {depot("/./a"), Code::kInvalidPath},
      {depot("%2F.."), Code::kInvalidPath},
      {depot("/a%00b"), Code::kBadRequest},
      {depot("/a%zz"), Code::kBadRequest},
      {depot("/%ff"), Code::kInvalidPath},
      {node("/.."), Code::kInvalidPath},
  };
  for (const auto& c : cases) {
    const auto refused = ResourceUri::parse(c.uri);
    ASSERT_FALSE(refused) << c.uri;
    EXPECT_EQ(refused.error().code, c.code) << c.uri << ": " << refused.error().message;
  }
}

}  // namespace
}  // namespace cairn::agent
