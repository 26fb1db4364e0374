#include "mcp_door.h"

#include <cstdlib>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <utility>

#include "exposure/serve/ways_in.h"

namespace cairn::rest_testing {
namespace {

constexpr std::string_view kModern = "2026-07-28";

template <typename T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().render());
  return std::move(*result);
}

mcp::HttpOptions options_of(agent::AgentService& agent, Executor& executor,
                            std::chrono::milliseconds heartbeat) {
  mcp::HttpOptions options;
  options.admit = [&agent, &executor](const http::Request& request) {
    return admit(agent, executor, request);
  };
  options.heartbeat = heartbeat;
  return options;
}

std::filesystem::path new_directory() {
  auto name = (std::filesystem::temp_directory_path() / "cairn-rights-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory");
  std::ofstream(std::filesystem::path(name) / "a.txt") << "alpha\n";
  return name;
}

// `Error: CODE — what is wrong` → `CODE`.
std::string code_of(std::string_view error) {
  constexpr std::string_view kBefore = "Error: ";
  // The file tools say it without that word, and the operating system's errors in its own.
  if (!error.starts_with(kBefore)) return std::string(error.substr(0, error.find_first_of(":-")));
  error.remove_prefix(kBefore.size());
  return std::string(error.substr(0, error.find(' ')));
}

void read_tool_result(McpAnswer& answer) {
  const auto* content = json::find(answer.result, "content");
  if (content == nullptr) return;
  const auto& block = content->get_array().at(0).get_object();
  if (block.contains("text")) answer.text = text(block, "text");
  if (answer.result.contains("isError")) answer.code = code_of(answer.text);
}

McpAnswer read_answer(int status, std::string body) {
  McpAnswer answer{.status = status, .code = "ok", .body = std::move(body)};
  const auto value = json::parse(answer.body);
  if (!value || !value->is_object()) {
    if (status >= 400) answer.code = fmt::format("HTTP {}", status);
    return answer;
  }
  const auto& message = value->get_object();
  if (const auto* result = json::find(message, "result")) {
    answer.result = result->get_object();
    read_tool_result(answer);
  } else if (const auto* error = json::find(message, "error")) {
    // One of HTTP is as REST's; one of the protocol has a number.
    answer.code = error->is_string() ? std::string(json::text(*error))
                                     : json::write(error->get_object().at("code"));
    if (error->is_string()) {
      answer.text = fmt::format("Error: {} — {}", answer.code, text(message, "message"));
    }
  }
  return answer;
}

}  // namespace

json::Object with_meta(json::Object params) {
  params["_meta"] = json::Object{{"io.modelcontextprotocol/protocolVersion", kModern},
                                 {"io.modelcontextprotocol/clientCapabilities", json::Object()}};
  return params;
}

bool is_for_agents(World& world, std::string_view tool) {
  const auto* row = need(world.engine().executor().table().find(tool));
  return row->audience == Audience::kAgents;
}

std::string as_text_block(const Answer& over_rest) {
  if (over_rest.code == "ok") return json::write(over_rest.value);
  const auto& error = over_rest.value.get_object();
  auto out = fmt::format("Error: {} — {}", over_rest.code, text(error, "message"));
  const auto* given = json::find(error, "details");
  if (given == nullptr) return out;
  auto details = given->get_object();
  details.erase("requestId");  // of an answer over HTTP, which this is not
  if (!details.empty()) out += "\n" + json::write(json::Value(details));
  return out;
}

std::string with_short_keys(const std::string& text) {
  static const std::regex kLong("(nod_[0-9A-Z]{16})[0-9A-Z]{36}");
  return std::regex_replace(text, kLong, "$1");
}

McpDoor::McpDoor(World& world, std::chrono::milliseconds heartbeat)
    : directory_(new_directory()),
      directories_(need(work::ServedDirectories::open(world.engine().executor(),
                                                      {{"notes", directory_.string()}}, random_))),
      agent_(world.engine().executor(), {.version = "test", .directories = directories_.get()}),
      mcp_(agent_, world.clock, random_),
      workspaces_(agent::workspace_service("test")),
      workspace_mcp_(*workspaces_, world.clock, random_),
      handler_(mcp_, world.clock, random_,
               options_of(agent_, world.engine().executor(), heartbeat)),
      workspace_handler_(workspace_mcp_, world.clock, random_,
                         {.admit =
                              [&world](const http::Request& request) {
                                return admit(world.engine().workspaces(), world.engine().executor(),
                                             request);
                              }}),
      directory_handler_(workspace_mcp_, world.clock, random_,
                         {.admit = [this, &world](const http::Request& request) {
                           return admit(*directories_, world.engine().executor(), request);
                         }}) {
  http::ServerOptions options;
  options.io_threads = 1;
  options.worker_threads = 2;
  server_ = need(http::Server::start(options, router_, quiet_));
  auto url = need(http::Url::parse(fmt::format("http://127.0.0.1:{}", server_->port())));
  client_ = std::make_unique<http::Client>(std::move(url));
}

McpDoor::~McpDoor() {
  client_.reset();
  handler_.stop();
  workspace_handler_.stop();
  directory_handler_.stop();
  local_.reset();
  server_->stop();
  std::filesystem::remove_all(directory_);
}

McpAnswer McpDoor::send(http::Method method, const std::string& token, const std::string& body,
                        std::vector<std::pair<std::string, std::string>> headers) {
  http::ClientRequest request;
  request.method = method;
  request.target = target_;
  request.headers = std::move(headers);
  request.headers.emplace_back("Accept", "application/json, text/event-stream");
  const bool local = token == World::kOverSocket;
  if (local && !local_) local_ = std::make_unique<LocalDoor>(router_);
  if (const auto sent = sent_by_browser(token, server_->port())) {
    request.headers.insert(request.headers.end(), sent->begin(), sent->end());
  } else if (!token.empty() && !local) {
    request.headers.emplace_back("Authorization", "Bearer " + token);
  }
  if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  request.body = body;
  auto response = need((local ? local_->client() : *client_).send(request));
  auto answer = read_answer(response.status, response.body);
  if (answer.result.contains("protocolVersion")) {
    answer.text = response.header("mcp-session-id");
  }
  return answer;
}

McpAnswer McpDoor::ask(const std::string& token, std::string_view method, json::Object params) {
  std::vector<std::pair<std::string, std::string>> headers{
      {"MCP-Protocol-Version", std::string(kModern)}, {"Mcp-Method", std::string(method)}};
  const auto* name = json::find(params, method == "resources/read" ? "uri" : "name");
  if (name != nullptr) headers.emplace_back("Mcp-Name", json::text(*name));
  json::Object message{
      {"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", with_meta(std::move(params))}};
  return send(http::Method::kPost, token, json::write(message), std::move(headers));
}

McpAnswer McpDoor::call(const std::string& token, std::string_view tool,
                        const json::Object& arguments) {
  return ask(token, "tools/call", {{"name", tool}, {"arguments", arguments}});
}

http::Plan McpDoor::Router::begin(const http::Request& request) {
  if (request.path.starts_with("/mcp/directories/")) {
    return door_.directory_handler_.begin(request);
  }
  const bool workspace = request.path.starts_with("/mcp/workspaces/");
  return (workspace ? door_.workspace_handler_ : door_.handler_).begin(request);
}

McpAnswer McpDoor::ask_workspace(const std::string& depot, const std::string& token,
                                 std::string_view method, json::Object params) {
  const auto agents = std::exchange(target_, "/mcp/workspaces/" + depot);
  auto answer = ask(token, method, std::move(params));
  target_ = agents;
  return answer;
}

McpAnswer McpDoor::ask_directory(const std::string& name, const std::string& token,
                                 std::string_view method, json::Object params) {
  const auto agents = std::exchange(target_, "/mcp/directories/" + name);
  auto answer = ask(token, method, std::move(params));
  target_ = agents;
  return answer;
}

McpAnswer McpDoor::ask_filesystem(const std::string& token, const json::Object& arguments) {
  const auto agents = std::exchange(target_, "/mcp?toolsets=filesystem");
  auto answer = call(token, "filesystem", arguments);
  target_ = agents;
  return answer;
}

std::string McpDoor::open_session(const std::string& token) {
  json::Object params{{"protocolVersion", "2025-11-25"}, {"capabilities", json::Object()}};
  json::Object message{
      {"jsonrpc", "2.0"}, {"id", 0}, {"method", "initialize"}, {"params", std::move(params)}};
  return send(http::Method::kPost, token, json::write(message), {}).text;
}

McpAnswer McpDoor::ask_in(const std::string& session, const std::string& token,
                          std::string_view method, const json::Object& params) {
  json::Object message{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}};
  return send(http::Method::kPost, token, json::write(message), {{"Mcp-Session-Id", session}});
}

}  // namespace cairn::rest_testing
