#include "fixture_questions.h"

namespace cairn::conformance {

mcp::Question form(std::string key, std::string_view message, std::string_view schema) {
  return {std::move(key),
          "elicitation/create",
          {{"message", message}, {"requestedSchema", object_of(schema)}}};
}

mcp::Question form(std::string key, std::string_view message, std::string_view field,
                   std::string_view type) {
  const json::Object schema{{"type", "object"},
                            {"properties", json::Object{{field, json::Object{{"type", type}}}}},
                            {"required", json::Array{field}}};
  return {
      std::move(key), "elicitation/create", {{"message", message}, {"requestedSchema", schema}}};
}

mcp::Question sample(std::string key, std::string_view prompt, int max_tokens) {
  const json::Object message{{"role", "user"}, {"content", text_block(prompt)}};
  return {std::move(key),
          "sampling/createMessage",
          {{"messages", json::Array{message}}, {"maxTokens", max_tokens}}};
}

mcp::Question list_roots(std::string key) { return {std::move(key), "roots/list"}; }

json::Value filled_in(const json::Object& answer, std::string_view field) {
  const auto* content = json::find(answer, "content");
  if (content == nullptr || !content->is_object()) return nullptr;
  const auto* value = json::find(content->get_object(), field);
  return value == nullptr ? json::Value() : *value;
}

std::string_view sampled(const json::Object& answer) {
  const auto* content = json::find(answer, "content");
  if (content == nullptr || !content->is_object()) return {};
  const auto* text = json::find(content->get_object(), "text");
  return text == nullptr ? std::string_view() : json::text(*text);
}

mcp::Rpc<mcp::ToolOutcome> ask(mcp::Exchange& exchange, std::span<const mcp::Question> questions,
                               const Finish& finish) {
  const auto answers = exchange.ask(questions);
  if (!answers) return std::unexpected(answers.error());
  if (!*answers) return mcp::ToolOutcome{};
  return finish(**answers);
}

mcp::Rpc<mcp::ToolOutcome> ask(mcp::Exchange& exchange, const mcp::Question& question,
                               const std::function<mcp::ToolOutcome(const json::Object&)>& finish) {
  return ask(exchange, std::span(&question, 1),
             [&](std::span<const json::Object> answers) { return finish(answers.front()); });
}

}  // namespace cairn::conformance
