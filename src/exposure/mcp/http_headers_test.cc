#include "exposure/mcp/http_headers.h"

#include <map>

#include <gtest/gtest.h>

namespace cairn::mcp {
namespace {

using Headers = std::map<std::string, std::string, std::less<>>;

struct FakeRequest final : http::Request {
  explicit FakeRequest(Headers with) : headers(std::move(with)) {}
  std::string_view header(std::string_view name) const override {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : found->second;
  }
  Headers headers;
};

TEST(CheckOrigin, LetsThisMachineInAndNobodyElse) {
  struct Case {
    std::string host;
    std::string origin;
    HostRule rule;
    bool good;
  };
  using enum HostRule;
  const Case cases[] = {
      {"localhost:8765", "", kLoopback, true},
      {"127.0.0.1:8765", "", kLoopback, true},
      {"[::1]:8765", "", kLoopback, true},
      {"LocalHost", "http://LOCALHOST:6274", kLoopback, true},
      {"127.0.0.1:8765", "http://localhost:6274", kLoopback, true},
      {"app.localhost:80", "", kLoopback, true},
      {"evil.example.com", "", kLoopback, false},
      {"127.0.0.1.evil.example.com", "", kLoopback, false},
      {"localhost.evil.example.com:80", "", kLoopback, false},
      {"", "", kLoopback, false},
      {"localhost:8765", "http://evil.example.com", kLoopback, false},
      {"localhost:8765", "null", kLoopback, false},
      {"localhost:8765", "file://", kLoopback, false},
      {"localhost:8765", "http://localhost.evil.example.com", kLoopback, false},
      {"cairn.example.com", "", kAny, true},
      {"cairn.example.com", "https://cairn.example.com", kAny, true},
      {"cairn.example.com:8443", "https://cairn.example.com", kAny, true},
      {"cairn.example.com", "https://evil.example.com", kAny, false},
      {"cairn.example.com", "http://localhost:3000", kAny, false},
  };
  for (const auto& [host, origin, rule, good] : cases) {
    const FakeRequest request({{"host", host}, {"origin", origin}});
    EXPECT_EQ(check_origin(request, rule).has_value(), good) << host << " from " << origin;
  }
}

TEST(IsJson, TakesItByItsWholeName) {
  for (const auto* type :
       {"application/json", "application/json; charset=utf-8", "Application/JSON ;charset=utf-8"}) {
    EXPECT_TRUE(is_json(FakeRequest(Headers{{"content-type", type}}))) << type;
  }
  for (const auto* type : {"", "application/jsonp", "application/json-patch+json", "text/json",
                           "text/plain; application/json"}) {
    EXPECT_FALSE(is_json(FakeRequest(Headers{{"content-type", type}}))) << type;
  }
}

TEST(Accepts, ReadsWhatAClientTakes) {
  EXPECT_TRUE(accepts(FakeRequest(Headers())).json);
  EXPECT_FALSE(accepts(FakeRequest(Headers())).events);
  const auto both =
      accepts(FakeRequest(Headers{{"accept", "application/json, text/event-stream"}}));
  EXPECT_TRUE(both.json && both.events);
  const auto any = accepts(FakeRequest(Headers{{"accept", "*/*"}}));
  EXPECT_TRUE(any.json);
  EXPECT_FALSE(any.events);
  const auto neither = accepts(FakeRequest(Headers{{"accept", "text/html"}}));
  EXPECT_FALSE(neither.json || neither.events);
}

struct HeadersCase {
  std::string what;
  Headers headers;
  bool good;
};

Request call(std::string_view arguments) {
  auto params =
      json::parse(R"({"name":"tool","arguments":)" + std::string(arguments) +
                  R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})");
  return {1, "tools/call", params.value().as_object()};
}

Headers good_headers() {
  return {
      {"mcp-protocol-version", "2026-07-28"}, {"mcp-method", "tools/call"}, {"mcp-name", "tool"}};
}

TEST(CheckHeaders, WantsThemToSayWhatTheBodySays) {
  const auto with = [](std::string name, std::string value) {
    auto headers = good_headers();
    headers[std::move(name)] = std::move(value);
    return headers;
  };
  const HeadersCase cases[] = {
      {"as the body", good_headers(), true},
      {"in base64", with("mcp-name", "=?base64?dG9vbA==?="), true},
      {"no version", with("mcp-protocol-version", ""), false},
      {"another version", with("mcp-protocol-version", "2025-11-25"), false},
      {"no method", with("mcp-method", ""), false},
      {"another method", with("mcp-method", "tools/list"), false},
      {"the method in capitals", with("mcp-method", "TOOLS/CALL"), false},
      {"no name", with("mcp-name", ""), false},
      {"another name", with("mcp-name", "other"), false},
      {"base64 of another name", with("mcp-name", "=?base64?b3RoZXI=?="), false},
      {"broken base64", with("mcp-name", "=?base64?dG9vb*==?="), false},
      {"base64 without its end", with("mcp-name", "=?base64?dG9vbA=="), false},
  };
  for (const auto& [what, headers, good] : cases) {
    const auto checked = check_headers(FakeRequest(headers), call("{}"), {});
    EXPECT_EQ(checked.has_value(), good) << what;
    if (!checked) {
      EXPECT_EQ(checked.error().code, rpc_code::kHeaderMismatch) << what;
    }
  }
}

TEST(CheckHeaders, ComparesArgumentsThatAreRepeated) {
  const ParamHeader region{{"where", "region"}, "Region"};
  const ParamHeader level{{"level"}, "Level"};
  const std::vector<ParamHeader> params = {region, level};
  struct Case {
    std::string_view arguments;
    std::string region;
    std::string level;
    bool good;
  };
  const Case cases[] = {
      {R"({"where":{"region":"eu"},"level":3})", "eu", "3", true},
      {R"({"where":{"region":"eu"},"level":3})", "eu", "3.0", true},
      {R"({"where":{"region":"zürich"}})", "=?base64?esO8cmljaA==?=", "", true},
      {R"({})", "", "", true},
      {R"({"level":null})", "", "", true},
      {R"({"where":{"region":""}})", "", "", true},
      {R"({"where":{"region":"eu"}})", "", "", false},
      {R"({"where":{"region":"eu"}})", "us", "", false},
      {R"({"level":3})", "", "4", false},
      {R"({"level":3})", "", "3x", false},
      {R"({"level":3})", "", "3.5", false},
      {R"({"level":9007199254740993})", "", "9007199254740992", false},
      {R"({"level":9007199254740993})", "", "9007199254740993", true},
      {R"({})", "eu", "", false},
      {R"({"where":"eu"})", "eu", "", false},
  };
  for (const auto& [arguments, region_header, level_header, good] : cases) {
    auto headers = good_headers();
    headers["mcp-param-region"] = region_header;
    headers["mcp-param-level"] = level_header;
    EXPECT_EQ(check_headers(FakeRequest(headers), call(arguments), params).has_value(), good)
        << arguments << " " << region_header << " " << level_header;
  }
}

}  // namespace
}  // namespace cairn::mcp
