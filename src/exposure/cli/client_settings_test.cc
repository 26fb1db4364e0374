#include "exposure/cli/client_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/json/json.h"

namespace cairn::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

ClientSettings a_program() {
  return {.command = "/opt/cairn", .arguments = {"mcp", "--data", "/srv/my data"}};
}

ClientSettings an_endpoint() {
  return {.url = "http://127.0.0.1:8765/mcp",
          .headers = {{"X-Cairn-Toolsets", "read"}},
          .needs_token = true,
          .token = "secret"};
}

std::string block(std::string_view client, const ClientSettings& settings) {
  const auto made = settings_block(client, settings);
  if (!made) return made.error().render();
  // On one line, to compare.
  const auto value = json::parse(made->text);
  return value ? json::write(*value) : made->text;
}

TEST(ClientSettings, StartAProgramInEachFormat) {
  const std::string program = R"("command":"/opt/cairn","args":["mcp","--data","/srv/my data"]})";
  struct Case {
    std::string_view client;
    std::string block;
  };
  for (const Case& c : {
           Case{"claude-desktop", R"({"mcpServers":{"cairn":{)" + program + "}}"},
           Case{"claude-code", R"({"mcpServers":{"cairn":{"type":"stdio",)" + program + "}}"},
           Case{"cursor", R"({"mcpServers":{"cairn":{)" + program + "}}"},
           Case{"vscode", R"({"servers":{"cairn":{"type":"stdio",)" + program + "}}"},
           Case{"zed", R"({"context_servers":{"cairn":{)" + program + "}}"},
           Case{"windsurf", R"({"mcpServers":{"cairn":{)" + program + "}}"},
           Case{"codex",
                "[mcp_servers.cairn]\ncommand = \"/opt/cairn\"\n"
                "args = [\"mcp\", \"--data\", \"/srv/my data\"]\n"},
       }) {
    EXPECT_EQ(block(c.client, a_program()), c.block);
  }
}

TEST(ClientSettings, ReachAnEndpointInEachFormat) {
  const auto headers = [](std::string_view token) {
    return fmt::format(
        R"("headers":{{"Authorization":"Bearer {}","X-Cairn-Toolsets":"read"}}}}}}}})", token);
  };
  const std::string url = R"("url":"http://127.0.0.1:8765/mcp",)";
  struct Case {
    std::string_view client;
    std::string block;
  };
  for (const Case& c : {
           Case{"claude-code",
                R"({"mcpServers":{"cairn":{"type":"http",)" + url + headers("${CAIRN_TOKEN}")},
           Case{"cursor", R"({"mcpServers":{"cairn":{)" + url + headers("${env:CAIRN_TOKEN}")},
           Case{"vscode",
                R"({"servers":{"cairn":{"type":"http",)" + url + headers("${env:CAIRN_TOKEN}")},
           Case{"zed", R"({"context_servers":{"cairn":{)" + url + headers("secret")},
           Case{"windsurf", R"({"mcpServers":{"cairn":{"serverUrl":"http://127.0.0.1:8765/mcp",)" +
                                headers("${env:CAIRN_TOKEN}")},
           Case{"codex",
                "[mcp_servers.cairn]\nurl = \"http://127.0.0.1:8765/mcp\"\n"
                "bearer_token_env_var = \"CAIRN_TOKEN\"\n"
                "http_headers = { \"X-Cairn-Toolsets\" = \"read\" }\n"},
       }) {
    EXPECT_EQ(block(c.client, an_endpoint()), c.block);
  }
  EXPECT_THAT(block("claude-desktop", an_endpoint()), HasSubstr("starts programs only"));
}

TEST(ClientSettings, WarnOfATokenThatStandsInThem) {
  const auto zed = settings_block("zed", an_endpoint());
  EXPECT_THAT(zed->notes, Contains(HasSubstr("the token stands in this block")));
  auto without = an_endpoint();
  without.token = "";
  EXPECT_THAT(block("zed", without), HasSubstr("INVALID_TOKEN"));
  EXPECT_THAT(block("cursor", without), HasSubstr("${env:CAIRN_TOKEN}"));
}

TEST(ClientSettings, AreAlsoACommandForClaudeCode) {
  EXPECT_THAT(settings_block("claude-code", a_program())->notes,
              Contains(HasSubstr("claude mcp add --scope user cairn -- /opt/cairn mcp --data "
                                 "'/srv/my data'")));
  EXPECT_THAT(settings_block("claude-code", an_endpoint())->notes,
              Contains(HasSubstr("--transport http cairn http://127.0.0.1:8765/mcp --header "
                                 "'Authorization: Bearer ${CAIRN_TOKEN}' --header "
                                 "'X-Cairn-Toolsets: read'")));
}

TEST(ClientSettings, AreForClientsThereAre) {
  EXPECT_THAT(block("cursr", a_program()), HasSubstr("did you mean 'cursor'?"));
  EXPECT_THAT(block("cursr", a_program()),
              HasSubstr("claude-desktop, claude-code, cursor, vscode"));
  auto odd = a_program();
  for (const auto* name : {"", "a b", "a.b", "a]", "ä"}) {
    odd.name = name;
    EXPECT_THAT(block("codex", odd), HasSubstr("INVALID_ARGUMENT")) << name;
  }
}

}  // namespace
}  // namespace cairn::cli
