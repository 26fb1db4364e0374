#include "data/oauth/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/oauth/record.h"
#include "data/tree/tree_testing.h"

namespace cairn::oauth {
namespace {

using tree_testing::must;

json::Object metadata(std::string_view text) { return must(json::parse(text)).as_object(); }

std::string id_of(std::string_view text) {
  return register_client(metadata(text), {}).value().client.id;
}

TEST(ClientRegistration, OfEqualMetadataIsTheSameClient) {
  const auto one = id_of(R"({"client_name":"A","redirect_uris":["http://127.0.0.1:4711/cb"]})");
  for (const auto* same :
       {R"({"redirect_uris":["http://127.0.0.1:4712/cb"],"client_name":"A"})",
        R"({"client_name":"A","redirect_uris":["http://127.0.0.1/cb"]})",
        R"({"client_name":"A","redirect_uris":["http://127.0.0.1/cb","http://127.0.0.1:1/cb"]})",
        R"({"client_name":"A","redirect_uris":["http://127.0.0.1/cb","nonsense://x"],
            "software_version":"2","unheard_of":{}})"}) {
    EXPECT_EQ(id_of(same), one) << same;
  }
  for (const auto* other :
       {R"({"client_name":"B","redirect_uris":["http://127.0.0.1:4711/cb"]})",
        R"({"client_name":"A","redirect_uris":["http://127.0.0.1:4711/other"]})",
        R"({"client_name":"A","redirect_uris":["http://localhost:4711/cb"]})"}) {
    EXPECT_NE(id_of(other), one) << other;
  }
}

TEST(ClientRegistration, IsAnsweredWithAllOfIt) {
  const auto made = register_client(
      metadata(R"({"client_name":"Cursor","token_endpoint_auth_method":"client_secret_basic",
        "redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback",
          "https://www.cursor.com/agents/mcp/oauth/callback","http://localhost:8787/callback"],
        "grant_types":["authorization_code","refresh_token","implicit",
          "urn:ietf:params:oauth:grant-type:device_code"],
        "scope":"cas:write openid","application_type":"native","response_types":["code","token"]})"),
      {});
  ASSERT_TRUE(made);
  EXPECT_EQ(
      json::write(made->answer),
      R"({"client_id":")" + made->client.id +
          R"(","client_name":"Cursor","redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback","https://www.cursor.com/agents/mcp/oauth/callback","http://localhost:8787/callback"],"token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code"],"response_types":["code"],"scope":"cas:read cas:write","application_type":"native"})");
}

TEST(ClientRegistration, RefusesWhatCannotBe) {
  struct Case {
    std::string_view metadata;
    std::string_view error;
  };
  const Case cases[] = {
      {R"({})", "invalid_redirect_uri"},
      {R"({"redirect_uris":[]})", "invalid_redirect_uri"},
      {R"({"redirect_uris":"http://127.0.0.1/"})", "invalid_redirect_uri"},
      {R"({"redirect_uris":[1]})", "invalid_redirect_uri"},
      {R"~({"redirect_uris":["javascript:alert(1)"]})~", "invalid_redirect_uri"},
      {R"({"redirect_uris":["http://evil.example/cb"]})", "invalid_redirect_uri"},
      {R"({"redirect_uris":["http://127.0.0.1/"],"client_name":7})", "invalid_client_metadata"},
  };
  for (const auto& one : cases) {
    const auto made = register_client(metadata(one.metadata), {});
    EXPECT_EQ(made ? "(none)" : made.error().error, one.error) << one.metadata;
  }
}

TEST(ClientRegistration, OfADeviceNeedsNoAddress) {
  const auto made = register_client(
      metadata(R"({"grant_types":["urn:ietf:params:oauth:grant-type:device_code"]})"), {});
  ASSERT_TRUE(made);
  EXPECT_EQ(json::write(*json::find(made->answer, "redirect_uris")), "[]");
}

TEST(ClientRegistration, ShowsNoNameThatDeceives) {
  const auto made = register_client(
      metadata("{\"client_name\":\"A\\u202eB\\u0007\",\"redirect_uris\":[\"http://127.0.0.1/\"]}"),
      {});
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->client.name.contains("\u202e"));
  EXPECT_FALSE(made->client.name.contains('\a'));
}

TEST(ClientDocument, HasToBeOfItsAddress) {
  constexpr std::string_view kId = "https://app.example/oauth/client.json";
  struct Case {
    std::string_view document;
    bool fits;
  };
  const Case cases[] = {
      {R"({"client_id":"https://app.example/oauth/client.json","client_name":"App",
           "redirect_uris":["http://127.0.0.1/cb"],"token_endpoint_auth_method":"none"})",
       true},
      {R"({"client_id":"https://app.example/oauth/client.json","client_name":"App",
           "redirect_uris":["http://127.0.0.1/cb"]})",
       true},
      {R"({"client_id":"https://app.example:443/oauth/client.json","client_name":"App",
           "redirect_uris":["http://127.0.0.1/cb"]})",
       false},
      {R"({"client_name":"App","redirect_uris":["http://127.0.0.1/cb"]})", false},
      {R"({"client_id":"https://app.example/oauth/client.json",
           "redirect_uris":["http://127.0.0.1/cb"]})",
       false},
      {R"({"client_id":"https://app.example/oauth/client.json","client_name":"App"})", false},
      {R"({"client_id":"https://app.example/oauth/client.json","client_name":"App",
           "redirect_uris":["http://127.0.0.1/cb"],"client_secret":"x"})",
       false},
      {R"({"client_id":"https://app.example/oauth/client.json","client_name":"App",
           "redirect_uris":["http://127.0.0.1/cb"],
           "token_endpoint_auth_method":"client_secret_post"})",
       false},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(client_of_document(kId, metadata(one.document), {}).has_value(), one.fits)
        << one.document;
  }
}

TEST(ClientDocument, HasAnAddressThatCanBeOne) {
  for (const auto* good : {"https://app.example/x", "https://app.example/x?y=1"}) {
    EXPECT_TRUE(is_document_id(good)) << good;
  }
  for (const auto* bad : {"http://app.example/x", "https://app.example", "https://app.example/",
                          "https://u@app.example/x", "https://app.example/x#y",
                          "https://app.example/a/../b", "https://app.example/./b", "clt_x"}) {
    EXPECT_FALSE(is_document_id(bad)) << bad;
  }
}

TEST(ClientDocument, OfKnownProgramsIsKnown) {
  EXPECT_EQ(known_client_ids().size(), 6);
  for (const auto id : known_client_ids()) {
    const auto client = known_client(id);
    ASSERT_TRUE(client) << id;
    EXPECT_TRUE(is_document_id(id)) << id;
    EXPECT_FALSE(client->redirects.empty()) << id;
    EXPECT_EQ(client->kind, ClientKind::kDocument);
    EXPECT_FALSE(client->host().empty());
  }
  EXPECT_FALSE(known_client("https://claude.ai/"));
}

TEST(Client, IsStoredWhole) {
  auto client = must([]() -> Result<Client> {
    Client out;
    out.id = "clt_1";
    out.kind = ClientKind::kAdded;
    out.name = "Mine";
    out.redirects = {TRY(RedirectUri::parse("myapp://x", {"myapp"}))};
    out.secret = sha256("secret");
    out.allowed = Scopes{};
    out.created_at = 5;
    out.used_at = 6;
    return out;
  }());
  EXPECT_EQ(must(decode_client(encode(client))), client);
  EXPECT_FALSE(decode_client("\x01{"));
  EXPECT_FALSE(decode_client(""));
}

}  // namespace
}  // namespace cairn::oauth
