#include "fixture_questions.h"

namespace cairn::conformance {
namespace {

constexpr std::string_view kUserForm = R"({
  "type": "object",
  "properties": {
    "username": {"type": "string", "description": "User's response"},
    "email": {"type": "string", "description": "User's email address"}
  },
  "required": ["username", "email"]
})";

constexpr std::string_view kDefaultsForm = R"({
  "type": "object",
  "properties": {
    "name": {"type": "string", "description": "User name", "default": "John Doe"},
    "age": {"type": "integer", "description": "User age", "default": 30},
    "score": {"type": "number", "description": "User score", "default": 95.5},
    "status": {
      "type": "string",
      "description": "User status",
      "enum": ["active", "inactive", "pending"],
      "default": "active"
    },
    "verified": {"type": "boolean", "description": "Verification status", "default": true}
  }
})";

constexpr std::string_view kChoicesForm = R"({
  "type": "object",
  "properties": {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {
      "type": "string",
      "oneOf": [
        {"const": "value1", "title": "First Option"},
        {"const": "value2", "title": "Second Option"},
        {"const": "value3", "title": "Third Option"}
      ]
    },
    "legacyEnum": {
      "type": "string",
      "enum": ["opt1", "opt2", "opt3"],
      "enumNames": ["Option One", "Option Two", "Option Three"]
    },
    "untitledMulti": {
      "type": "array",
      "items": {"type": "string", "enum": ["option1", "option2", "option3"]}
    },
    "titledMulti": {
      "type": "array",
      "items": {
        "anyOf": [
          {"const": "value1", "title": "First Choice"},
          {"const": "value2", "title": "Second Choice"},
          {"const": "value3", "title": "Third Choice"}
        ]
      }
    }
  }
})";

// A tool without arguments that puts one question and shows the answer behind `lead`.
FixtureTool asks(std::string name, std::string description, mcp::Question question,
                 std::string lead) {
  return {std::move(name), std::move(description), no_arguments(), kTalks,
          [question = std::move(question), lead = std::move(lead)](mcp::Exchange& exchange,
                                                                   const json::Object&) {
            return ask(exchange, question, [&](const json::Object& answer) {
              return says(lead + json::write(answer));
            });
          }};
}

json::Object one_text(std::string_view argument, std::string_view description) {
  const json::Object property{{"type", "string"}, {"description", description}};
  return {{"type", "object"},
          {"properties", json::Object{{argument, property}}},
          {"required", json::Array{argument}},
          {"additionalProperties", false}};
}

mcp::Rpc<mcp::ToolOutcome> sample_prompt(mcp::Exchange& exchange, const json::Object& args) {
  const auto question = sample("completion", json::text(args.at("prompt")), 100);
  return ask(exchange, question, [](const json::Object& answer) {
    return says("LLM response: " + std::string(sampled(answer)));
  });
}

mcp::Rpc<mcp::ToolOutcome> ask_user(mcp::Exchange& exchange, const json::Object& args) {
  const auto question = form("user", json::text(args.at("message")), kUserForm);
  return ask(exchange, question, [](const json::Object& answer) {
    return says("User response: " + json::write(answer));
  });
}

}  // namespace

std::vector<FixtureTool> asking_tools() {
  return {
      {"test_sampling", "Has the client's model answer a prompt",
       one_text("prompt", "The prompt to send to the LLM"), kTalks, sample_prompt},
      {"test_elicitation", "Asks the user for a name and an address",
       one_text("message", "The message to show the user"), kTalks, ask_user},
      asks("test_elicitation_sep1034_defaults", "Shows a form with defaults of every type",
           form("user", "Please review the values and accept them", kDefaultsForm),
           "Elicitation completed: "),
      asks("test_elicitation_sep1330_enums", "Shows a form with every kind of choice",
           form("choices", "Please choose", kChoicesForm), "Elicitation completed: "),
      asks("test_missing_capability", "Works for clients with a model only",
           sample("completion", "Say something.", 100), "LLM response: "),
      asks("test_streaming_elicitation", "Asks the user while its answer is awaited",
           form("confirmation", "Shall it go on?", "ok", "boolean"), "User response: "),
  };
}

}  // namespace cairn::conformance
