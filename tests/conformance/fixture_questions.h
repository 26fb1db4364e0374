// What the fixture asks of clients, and what it makes of their answers.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "fixture_tool.h"

namespace cairn::conformance {

// A form. REQUIRES: the schema is a JSON object.
mcp::Question form(std::string key, std::string_view message, std::string_view schema);
// A form with one field, which has to be filled in.
mcp::Question form(std::string key, std::string_view message, std::string_view field,
                   std::string_view type);
mcp::Question sample(std::string key, std::string_view prompt, int max_tokens);
mcp::Question list_roots(std::string key);

// What was filled in; null when the form was declined, or without the field.
json::Value filled_in(const json::Object& answer, std::string_view field);
// The text the client's model wrote.
std::string_view sampled(const json::Object& answer);

using Finish = std::function<mcp::ToolOutcome(std::span<const json::Object> answers)>;

// The outcome made of all answers. While one is missing, an empty outcome, which nobody sees.
mcp::Rpc<mcp::ToolOutcome> ask(mcp::Exchange& exchange, std::span<const mcp::Question> questions,
                               const Finish& finish);
mcp::Rpc<mcp::ToolOutcome> ask(mcp::Exchange& exchange, const mcp::Question& question,
                               const std::function<mcp::ToolOutcome(const json::Object&)>& finish);

}  // namespace cairn::conformance
