// The prompts of the fixture server.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "exposure/mcp/exchange.h"

namespace cairn::conformance {

struct FixturePrompt {
  std::string name;
  std::string description;
  std::vector<std::string> arguments;  // all of them have to be given
  std::function<mcp::Rpc<json::Array>(mcp::Exchange& exchange, const json::Object& args)> messages;
};

std::vector<FixturePrompt> fixture_prompts();

json::Object listing(const FixturePrompt& prompt);
// `{description, messages}`; kInvalidParams when an argument is missing or is no text.
mcp::Rpc<json::Object> get(const FixturePrompt& prompt, mcp::Exchange& exchange,
                           const json::Object& args);

}  // namespace cairn::conformance
