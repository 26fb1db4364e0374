#include <array>

#include "fixture_questions.h"

namespace cairn::conformance {
namespace {

mcp::ToolOutcome failed(std::string_view text) {
  auto outcome = says(text);
  outcome.is_error = true;
  return outcome;
}

mcp::ToolOutcome greeting(const json::Object& answer) {
  const auto name = filled_in(answer, "name");
  if (!name.is_string()) return failed("No name was given.");
  return says("Hello, " + std::string(json::text(name)) + "!");
}

mcp::Rpc<mcp::ToolOutcome> ask_name(mcp::Exchange& exchange, const json::Object&) {
  return ask(exchange, form("user_name", "What is your name?", "name", "string"), greeting);
}

mcp::Rpc<mcp::ToolOutcome> ask_capital(mcp::Exchange& exchange, const json::Object&) {
  const auto question = sample("capital_question", "What is the capital of France?", 100);
  return ask(exchange, question, [](const json::Object& answer) { return says(sampled(answer)); });
}

std::string render_roots(const json::Object& answer) {
  const auto* roots = json::find(answer, "roots");
  return "Roots: " + json::write(roots == nullptr ? json::Value() : *roots);
}

mcp::Rpc<mcp::ToolOutcome> ask_roots(mcp::Exchange& exchange, const json::Object&) {
  return ask(exchange, list_roots("client_roots"),
             [](const json::Object& answer) { return says(render_roots(answer)); });
}

// Answers count only together with the state of the round that asked for them. In the legacy era
// there is but one round.
bool has_state(const mcp::Exchange& exchange, const json::Value& expected) {
  return !mcp::is_modern(exchange.revision()) || exchange.state() == expected;
}

mcp::Rpc<mcp::ToolOutcome> confirm(mcp::Exchange& exchange, const json::Object&) {
  const json::Value state = json::Object{{"asked", "confirm"}};
  exchange.keep(state);
  return ask(exchange, form("confirm", "Please confirm", "ok", "boolean"),
             [&](const json::Object& answer) {
               if (!has_state(exchange, state)) return failed("The state of the round is missing.");
               return says("state-ok, confirmed: " + json::write(filled_in(answer, "ok")));
             });
}

mcp::Rpc<mcp::ToolOutcome> ask_three(mcp::Exchange& exchange, const json::Object&) {
  const json::Value state = json::Object{{"asked", "three"}};
  exchange.keep(state);
  const std::array questions = {form("user_name", "What is your name?", "name", "string"),
                                sample("greeting", "Generate a greeting", 50),
                                list_roots("client_roots")};
  return ask(exchange, questions, [&](std::span<const json::Object> answers) {
    if (!has_state(exchange, state)) return failed("The state of the round is missing.");
    auto outcome = greeting(answers[0]);
    outcome.content.emplace_back(text_block(sampled(answers[1])));
    outcome.content.emplace_back(text_block(render_roots(answers[2])));
    return outcome;
  });
}

// The second question, for whoever has said their name.
mcp::Rpc<mcp::ToolOutcome> ask_color(mcp::Exchange& exchange, const json::Value& name) {
  exchange.keep(json::Object{{"name", name}});
  return ask(
      exchange, form("step2", "Step 2: What is your favorite color?", "color", "string"),
      [&](const json::Object& answer) {
        return says(json::write(name) + " likes " + json::write(filled_in(answer, "color")) + ".");
      });
}

mcp::Rpc<mcp::ToolOutcome> ask_two_rounds(mcp::Exchange& exchange, const json::Object&) {
  const auto& state = exchange.state();
  const auto* name = state.is_object() ? json::find(state.get_object(), "name") : nullptr;
  if (name != nullptr) return ask_color(exchange, *name);
  exchange.keep(json::Object{{"asked", "name"}});
  const std::array question = {form("step1", "Step 1: What is your name?", "name", "string")};
  const auto answers = exchange.ask(question);
  if (!answers) return std::unexpected(answers.error());
  if (!*answers) return mcp::ToolOutcome{};
  return ask_color(exchange, filled_in((*answers)->front(), "name"));
}

mcp::Rpc<mcp::ToolOutcome> ask_what_is_declared(mcp::Exchange& exchange, const json::Object&) {
  std::vector<mcp::Question> questions;
  const auto& can = exchange.client_capabilities();
  if (can.contains("elicitation")) {
    questions.push_back(form("user_name", "What is your name?", "name", "string"));
  }
  if (can.contains("sampling")) questions.push_back(sample("greeting", "Generate a greeting", 50));
  if (can.contains("roots")) questions.push_back(list_roots("client_roots"));
  if (questions.empty()) return says("There is nothing this client can be asked.");
  return ask(exchange, questions, [](std::span<const json::Object> answers) {
    return says(std::to_string(answers.size()) + " answers");
  });
}

FixtureTool tool(std::string name, std::string description, Call call) {
  return {std::move(name), std::move(description), no_arguments(), kTalks, std::move(call)};
}

}  // namespace

std::vector<FixtureTool> round_trip_tools() {
  return {
      tool("test_input_required_result_elicitation", "Greets the user by name", ask_name),
      tool("test_input_required_result_sampling", "Has the client's model name a capital",
           ask_capital),
      tool("test_input_required_result_list_roots", "Names the client's roots", ask_roots),
      tool("test_input_required_result_request_state", "Asks with state", confirm),
      tool("test_input_required_result_multiple_inputs", "Asks three things at once", ask_three),
      tool("test_input_required_result_multi_round", "Asks one thing after the other",
           ask_two_rounds),
      tool("test_input_required_result_tampered_state", "Asks with state that cannot be changed",
           confirm),
      tool("test_input_required_result_capabilities", "Asks what the client can be asked",
           ask_what_is_declared),
  };
}

}  // namespace cairn::conformance
