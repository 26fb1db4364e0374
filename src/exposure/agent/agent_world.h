// Shared by the tests of this module: a store in memory with its service, principals that use it,
// and requests as the server makes them.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "exposure/agent/agent_service.h"
#include "exposure/mcp/exchange.h"
#include "tools/engine/engine.h"

namespace cairn::agent_testing {

// One request by a principal; nothing is ever asked of its client.
class FakeExchange final : public mcp::Exchange {
 public:
  explicit FakeExchange(mcp::PrincipalPtr principal, std::stop_token stop = {})
      : principal_(std::move(principal)), stop_(std::move(stop)) {}

  const mcp::PrincipalPtr& principal() const override { return principal_; }
  mcp::Revision revision() const override { return mcp::Revision::k2026_07_28; }
  const json::Object& client_capabilities() const override { return none_; }
  const std::stop_token& stopping() const override { return stop_; }
  void progress(double, std::optional<double>, std::string_view) override {}
  void log(mcp::LogLevel, std::string_view, json::Value) override {}
  mcp::Rpc<std::optional<std::vector<json::Object>>> ask(std::span<const mcp::Question>) override {
    return std::nullopt;
  }
  const json::Value& state() const override { return null_; }
  void keep(json::Value) override {}
  void close_stream(std::chrono::milliseconds) override {}

 private:
  mcp::PrincipalPtr principal_;
  std::stop_token stop_;
  json::Object none_;
  json::Value null_;
};

// The value, or an exception with the error's message.
template <typename T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().render());
  return std::move(*result);
}
template <typename T>
T need(mcp::Rpc<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

std::string text_of(const json::Object& object, std::string_view name);
// The text of a tool's outcome.
std::string text_of(const mcp::ToolOutcome& outcome);

class World final {
 public:
  explicit World(const EngineOptions& options = {});

  // Somebody with a token, offered these tools.
  mcp::PrincipalPtr as(const std::string& token, const SelectionRequest& request = {});

  // A tool over the service.
  mcp::ToolOutcome call(const mcp::PrincipalPtr& who, std::string_view tool,
                        const json::Object& arguments, std::stop_token stop = {});
  // The same, which has to go well, and has to be what its definition says.
  json::Object must(const mcp::PrincipalPtr& who, std::string_view tool,
                    const json::Object& arguments);
  json::Object must(std::string_view tool, const json::Object& arguments) {
    return must(owner, tool, arguments);
  }

  // A depot with files, made by the owner.
  std::string depot(std::string_view title, const std::map<std::string, std::string>& files);
  // Files of a depot changed and committed by the owner; the new root.
  std::string commit(const std::string& depot, const std::map<std::string, std::string>& files);
  // A delegate of the owner's: its token.
  std::string delegate(const json::Object& arguments);

  mcp::Rpc<mcp::ResourceContents> read(const mcp::PrincipalPtr& who, const std::string& uri);
  // The one item of a resource that can be read.
  json::Object item(const mcp::PrincipalPtr& who, const std::string& uri);
  json::Array listed(const mcp::PrincipalPtr& who);

  Engine& engine() { return *engine_; }
  Executor& executor() { return engine_->executor(); }
  agent::AgentService& service() { return *service_; }

  ManualClock clock;
  mcp::PrincipalPtr owner;  // with every tool

 private:
  SeededRandom random_{1};
  NoMeter meter_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<agent::AgentService> service_;
};

// The URI of a depot.
std::string uri_of(const std::string& depot);

}  // namespace cairn::agent_testing
