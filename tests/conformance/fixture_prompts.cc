#include "fixture_prompts.h"

#include <array>

#include "fixture_questions.h"

namespace cairn::conformance {
namespace {

json::Object from_user(json::Object content) {
  return {{"role", "user"}, {"content", std::move(content)}};
}

mcp::Rpc<json::Array> simple(mcp::Exchange&, const json::Object&) {
  return json::Array{from_user(text_block("This is a simple prompt for testing."))};
}

mcp::Rpc<json::Array> with_arguments(mcp::Exchange&, const json::Object& args) {
  const auto text = fmt::format("Prompt with arguments: arg1='{}', arg2='{}'",
                                json::text(args.at("arg1")), json::text(args.at("arg2")));
  return json::Array{from_user(text_block(text))};
}

mcp::Rpc<json::Array> with_resource(mcp::Exchange&, const json::Object& args) {
  const auto uri = json::text(args.at("resourceUri"));
  return json::Array{
      from_user(resource_block(uri, "text/plain", "Embedded resource content for testing.")),
      from_user(text_block("Please process the embedded resource above."))};
}

mcp::Rpc<json::Array> with_image(mcp::Exchange&, const json::Object&) {
  return json::Array{from_user(image_block()),
                     from_user(text_block("Please analyze the image above."))};
}

mcp::Rpc<json::Array> with_answer(mcp::Exchange& exchange, const json::Object&) {
  const std::array question = {
      form("user_context", "What context should the prompt use?", "context", "string")};
  const auto answers = exchange.ask(question);
  if (!answers) return std::unexpected(answers.error());
  if (!*answers) return json::Array{};
  const auto context = filled_in((*answers)->front(), "context");
  return json::Array{from_user(text_block("Use this context: " + json::write(context)))};
}

}  // namespace

std::vector<FixturePrompt> fixture_prompts() {
  return {
      {"test_simple_prompt", "A prompt without arguments", {}, simple},
      {"test_prompt_with_arguments", "A prompt with arguments", {"arg1", "arg2"}, with_arguments},
      {"test_prompt_with_embedded_resource",
       "A prompt that holds a resource",
       {"resourceUri"},
       with_resource},
      {"test_prompt_with_image", "A prompt that holds an image", {}, with_image},
      {"test_input_required_result_prompt", "A prompt that asks the user", {}, with_answer},
  };
}

json::Object listing(const FixturePrompt& prompt) {
  json::Object object{{"name", prompt.name}, {"description", prompt.description}};
  if (prompt.arguments.empty()) return object;
  json::Array arguments;
  for (const auto& name : prompt.arguments) {
    arguments.emplace_back(
        json::Object{{"name", name}, {"description", "A test argument"}, {"required", true}});
  }
  object["arguments"] = std::move(arguments);
  return object;
}

mcp::Rpc<json::Object> get(const FixturePrompt& prompt, mcp::Exchange& exchange,
                           const json::Object& args) {
  for (const auto& name : prompt.arguments) {
    const auto* value = json::find(args, name);
    if (value != nullptr && value->is_string()) continue;
    return mcp::rpc_fail(mcp::rpc_code::kInvalidParams,
                         fmt::format("the prompt {} needs a text as '{}'", prompt.name, name));
  }
  auto messages = prompt.messages(exchange, args);
  if (!messages) return std::unexpected(messages.error());
  return json::Object{{"description", prompt.description}, {"messages", std::move(*messages)}};
}

}  // namespace cairn::conformance
