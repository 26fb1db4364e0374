// A world's second door: MCP over HTTP, as a server has it at /mcp.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "exposure/agent/agent_service.h"
#include "exposure/agent/workspace_service.h"
#include "exposure/mcp/http.h"
#include "world.h"

namespace cairn::rest_testing {

struct McpAnswer {
  int status = 0;
  // "ok"; an error's code, of HTTP or of a tool; or the number of an error of JSON-RPC.
  std::string code;
  json::Object result = {};
  std::string text = {};  // of a tool's text block
  std::string body = {};
};

class McpDoor final {
 public:
  explicit McpDoor(World& world,
                   std::chrono::milliseconds heartbeat = std::chrono::milliseconds(15'000));
  ~McpDoor();

  // One request of 2026-07-28.
  McpAnswer ask(const std::string& token, std::string_view method, json::Object params);
  McpAnswer call(const std::string& token, std::string_view tool, const json::Object& arguments);

  // The same where a depot is served as a workspace.
  McpAnswer ask_workspace(const std::string& depot, const std::string& token,
                          std::string_view method, json::Object params);

  // The same at a directory of the machine: `notes`, which there is, or another.
  McpAnswer ask_directory(const std::string& name, const std::string& token,
                          std::string_view method, json::Object params);
  // The same with the tool `filesystem` on all of them.
  McpAnswer ask_filesystem(const std::string& token, const json::Object& arguments);

  // A legacy session's id, and one request of it.
  std::string open_session(const std::string& token);
  McpAnswer ask_in(const std::string& session, const std::string& token, std::string_view method,
                   const json::Object& params);
  McpAnswer send(http::Method method, const std::string& token, const std::string& body,
                 std::vector<std::pair<std::string, std::string>> headers);

  std::uint16_t port() const { return server_->port(); }

 private:
  SeededRandom random_{2};
  Quiet quiet_;
  std::filesystem::path directory_;
  std::unique_ptr<work::ServedDirectories> directories_;
  agent::AgentService agent_;
  mcp::Server mcp_;
  std::unique_ptr<agent::ToolService> workspaces_;
  mcp::Server workspace_mcp_;
  mcp::HttpHandler handler_;
  mcp::HttpHandler workspace_handler_;
  mcp::HttpHandler directory_handler_;
  // Each where a server has it.
  class Router final : public http::Handler {
   public:
    explicit Router(McpDoor& door) : door_(door) {}
    http::Plan begin(const http::Request& request) override;

   private:
    McpDoor& door_;
  };
  Router router_{*this};
  std::string target_ = "/mcp?toolsets=all";
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<http::Client> client_;
  std::unique_ptr<LocalDoor> local_;  // made when first used
};

// What a request of 2026-07-28 carries beside its parameters.
json::Object with_meta(json::Object params);
// Whether agents get this tool.
bool is_for_agents(World& world, std::string_view tool);
// What a tool's answer over REST is as text for agents.
std::string as_text_block(const Answer& over_rest);
// Agents get the keys in long listings shortened.
std::string with_short_keys(const std::string& text);

}  // namespace cairn::rest_testing
