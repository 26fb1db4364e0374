#include "exposure/oauth/metadata.h"

#include <gtest/gtest.h>

#include "exposure/http/fake_request.h"
#include "exposure/oauth/origin_rule.h"

namespace cairn::oauth {
namespace {

using enum http::Method;

TEST(Metadata, OfAResourceNamesItAsItsClientsDo) {
  const auto origin = Origin::parse("https://cairn.example").value();
  struct Case {
    std::string_view path, query, resource;  // empty: there is none
  };
  const Case cases[] = {
      {"", "", "https://cairn.example"},
      {"", "a=b", "https://cairn.example"},
      {"/mcp", "", "https://cairn.example/mcp"},
      {"/mcp", "toolsets=fs,json", "https://cairn.example/mcp?toolsets=fs,json"},
      {"/api/mcp", "", "https://cairn.example/api/mcp"},
      {"/api", "", "https://cairn.example/api"},
      {"/mcp/workspaces/dpt_1", "", "https://cairn.example/mcp/workspaces/dpt_1"},
      {"/", "", ""},
      {"/mcp/", "", ""},
      {"/metrics", "", ""},
      {"x", "", ""},
  };
  for (const auto& one : cases) {
    const auto document = resource_metadata(origin, one.path, one.query);
    EXPECT_EQ(document ? json::text(document->at("resource")) : "", one.resource) << one.path;
    if (!document) continue;
    EXPECT_EQ(json::write(document->at("authorization_servers")), R"(["https://cairn.example"])");
    EXPECT_EQ(json::write(document->at("scopes_supported")), R"(["cas:read","cas:write"])");
  }
}

TEST(Metadata, OfTheServerIsWhole) {
  const auto document =
      server_metadata(Origin::parse("http://localhost:8765").value(), {.with_iss = true});
  EXPECT_EQ(
      json::write(json::Value(document)),
      R"({"issuer":"http://localhost:8765","authorization_endpoint":"http://localhost:8765/oauth/authorize",)"
      R"("token_endpoint":"http://localhost:8765/api/auth/token","registration_endpoint":"http://localhost:8765/api/auth/register",)"
      R"("revocation_endpoint":"http://localhost:8765/api/auth/revoke","device_authorization_endpoint":"http://localhost:8765/api/auth/device",)"
      R"("response_types_supported":["code"],"response_modes_supported":["query"],)"
      R"("grant_types_supported":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code"],)"
      R"("code_challenge_methods_supported":["S256"],)"
      R"("token_endpoint_auth_methods_supported":["none","client_secret_basic","client_secret_post"],)"
      R"("revocation_endpoint_auth_methods_supported":["none","client_secret_basic","client_secret_post"],)"
      R"("scopes_supported":["cas:read","cas:write"],"client_id_metadata_document_supported":false,)"
      R"("authorization_response_iss_parameter_supported":true,"ui_locales_supported":["en","zh-CN"],)"
      R"("service_documentation":"http://localhost:8765/api/docs"})");
}

TEST(OriginRule, GoesByWhatTheAdminSaysOrByThisMachinesNamesOnly) {
  const OriginRule said{.public_origin = Origin::parse("https://cairn.example").value()};
  const OriginRule loopback{.public_origin = std::nullopt, .loopback = true};
  const OriginRule unknown;
  struct Case {
    const OriginRule& rule;
    std::string host;
    std::string_view origin;  // empty: nobody knows
  };
  const Case cases[] = {
      {said, "evil.example", "https://cairn.example"},
      {loopback, "localhost:8765", "http://localhost:8765"},
      {loopback, "127.0.0.1:8765", "http://127.0.0.1:8765"},
      {loopback, "[::1]:8765", "http://[::1]:8765"},
      {loopback, "evil.example", ""},
      {loopback, "localhost.evil.example", ""},
      {loopback, "", ""},
      {loopback, "localhost/\"><script>", ""},
      {unknown, "localhost:8765", ""},
      {unknown, "cairn.example", ""},
  };
  for (const auto& one : cases) {
    const http::FakeRequest request(kGet, "/mcp",
                                    {{"host", one.host},
                                     {"x-forwarded-host", "evil.example"},
                                     {"x-forwarded-proto", "https"},
                                     {"forwarded", "host=evil.example"}});
    const auto origin = origin_of(one.rule, request);
    EXPECT_EQ(origin ? origin->text() : "", one.origin) << one.host;
  }
  http::FakeRequest tls(kGet, "/mcp", {{"host", "localhost:8765"}});
  tls.tls = true;
  EXPECT_EQ(origin_of(loopback, tls)->text(), "https://localhost:8765");
  tls.peer = http::Peer::kOwner;
  EXPECT_FALSE(origin_of(loopback, tls));
}

}  // namespace
}  // namespace cairn::oauth
