// The server that the official conformance suite asks for: every fixture tool, resource, template
// and prompt of its scenarios, over the engine in src/exposure/mcp.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "data/json/schema.h"
#include "exposure/mcp/service.h"
#include "fixture_prompts.h"
#include "fixture_tool.h"

namespace cairn::conformance {

// Everybody: the suite has no way to say who it is.
class Anyone final : public mcp::Principal {
 public:
  std::string_view id() const override { return "anyone"; }
};

// Threads  as a Service: every function from any thread.
class FixtureService final : public mcp::Service {
 public:
  FixtureService();

  const mcp::Offer& offer() const override { return offer_; }

  mcp::Rpc<mcp::Page> list_tools(mcp::Exchange& exchange, std::string_view cursor) override;
  mcp::Manner manner(const mcp::Principal& principal, std::string_view tool,
                     const json::Object& arguments) const override;
  std::span<const mcp::ParamHeader> param_headers(const mcp::Principal& principal,
                                                  std::string_view tool) const override;
  mcp::Rpc<mcp::ToolOutcome> call_tool(mcp::Exchange& exchange, std::string_view tool,
                                       json::Object&& arguments) override;

  mcp::Rpc<mcp::Page> list_resources(mcp::Exchange& exchange, std::string_view cursor) override;
  mcp::Rpc<mcp::Page> list_templates(mcp::Exchange& exchange, std::string_view cursor) override;
  mcp::Rpc<mcp::ResourceContents> read_resource(mcp::Exchange& exchange,
                                                std::string_view uri) override;

  mcp::Rpc<mcp::Page> list_prompts(mcp::Exchange& exchange, std::string_view cursor) override;
  mcp::Rpc<json::Object> get_prompt(mcp::Exchange& exchange, std::string_view name,
                                    const json::Object& arguments) override;

  mcp::Rpc<mcp::Completion> complete(mcp::Exchange& exchange,
                                     const mcp::CompletionRequest& request) override;

  mcp::Rpc<mcp::Watched> watch(const mcp::Principal& principal,
                               const mcp::Subject& subject) override;
  bool still_valid(const mcp::Principal&) const override { return true; }
  void announce_to(mcp::Changes* changes) override;

 private:
  struct Tool {
    FixtureTool tool;
    json::Schema input;
    std::vector<mcp::ParamHeader> headers;  // as its schema says
  };
  struct State {
    mcp::Changes* changes = nullptr;
    std::map<std::string, int, std::less<>> versions;  // by topic; those not there are at 0
  };

  void add(std::vector<FixtureTool> tools);
  // Tools that change what is offered here.
  std::vector<FixtureTool> changing_tools();
  FixtureTool trigger(std::string name, std::string description, std::string topic);

  const Tool* find_tool(std::string_view name) const;
  const FixturePrompt* find_prompt(std::string_view name) const;
  // The last tool and the last prompt are there in every other version of their lists.
  bool has_last(std::string_view topic) const { return version(topic) % 2 == 1; }
  int version(std::string_view topic) const;
  void change(std::string_view topic);

  mcp::Offer offer_;
  std::vector<Tool> tools_;
  std::vector<FixturePrompt> prompts_;
  mutable Guarded<State> state_;
};

}  // namespace cairn::conformance
