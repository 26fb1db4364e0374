#include "fixture_tool.h"

namespace cairn::conformance {
namespace {

// A tool that always answers the same.
FixtureTool constant(std::string name, std::string description, mcp::ToolOutcome outcome) {
  return {std::move(name), std::move(description), no_arguments(), kQuick,
          [outcome = std::move(outcome)](mcp::Exchange&, const json::Object&) { return outcome; }};
}

// A tool that answers with the arguments it was given.
FixtureTool echo(std::string name, std::string description, std::string_view schema) {
  return {std::move(name), std::move(description), object_of(schema), kQuick,
          [](mcp::Exchange&, const json::Object& args) { return says(json::write(args)); }};
}

mcp::ToolOutcome only(json::Object block) {
  mcp::ToolOutcome outcome;
  outcome.content.emplace_back(std::move(block));
  return outcome;
}

mcp::ToolOutcome mixed() {
  auto outcome = says("Multiple content types test:");
  outcome.content.emplace_back(image_block());
  outcome.content.emplace_back(resource_block("test://mixed-content-resource", "application/json",
                                              R"({"test":"data","value":123})"));
  return outcome;
}

mcp::ToolOutcome refused() {
  auto outcome = says("This tool intentionally returns an error for testing");
  outcome.is_error = true;
  return outcome;
}

constexpr std::string_view kSchemaOf2020 = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
    }
  },
  "properties": {
    "name": {"type": "string"},
    "address": {"$ref": "#/$defs/address"},
    "contactMethod": {"type": "string", "enum": ["phone", "email"]},
    "phone": {"type": "string"},
    "email": {"type": "string"}
  },
  "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
  "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
  "then": {"required": ["phone"]},
  "else": {"required": ["email"]},
  "additionalProperties": false
})";

constexpr std::string_view kSchemaWithHeaders = R"({
  "type": "object",
  "properties": {
    "region": {"type": "string", "x-mcp-header": "Region"},
    "level": {"type": "integer", "x-mcp-header": "Level"}
  },
  "required": ["region", "level"],
  "additionalProperties": false
})";

}  // namespace

std::vector<FixtureTool> content_tools() {
  return {
      constant("test_simple_text", "Answers with a text",
               says("This is a simple text response for testing.")),
      constant("test_image_content", "Answers with an image", only(image_block())),
      constant("test_audio_content", "Answers with a sound", only(audio_block())),
      constant("test_embedded_resource", "Answers with a resource",
               only(resource_block("test://embedded-resource", "text/plain",
                                   "This is an embedded resource content."))),
      constant("test_multiple_content_types", "Answers with several kinds of content", mixed()),
      constant("test_error_handling", "Always fails", refused()),
      echo("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", kSchemaOf2020),
      echo("test_x_mcp_header", "Takes arguments that are repeated as headers", kSchemaWithHeaders),
  };
}

}  // namespace cairn::conformance
