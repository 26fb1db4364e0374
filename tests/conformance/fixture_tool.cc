#include "fixture_tool.h"

#include <stdexcept>

namespace cairn::conformance {

json::Object object_of(std::string_view text) {
  auto value = json::parse(text);
  if (!value) throw std::logic_error(value.error().render());
  return std::move(value->as_object());
}

json::Object no_arguments() {
  return object_of(R"({"type": "object", "additionalProperties": false})");
}

json::Object text_block(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

json::Object image_block() {
  return {{"type", "image"}, {"data", kPixel}, {"mimeType", "image/png"}};
}

json::Object audio_block() {
  return {{"type", "audio"}, {"data", kSilence}, {"mimeType", "audio/wav"}};
}

json::Object resource_block(std::string_view uri, std::string_view type, std::string_view text) {
  const json::Object resource{{"uri", uri}, {"mimeType", type}, {"text", text}};
  return {{"type", "resource"}, {"resource", resource}};
}

mcp::ToolOutcome says(std::string_view text) {
  mcp::ToolOutcome outcome;
  outcome.content.emplace_back(text_block(text));
  return outcome;
}

}  // namespace cairn::conformance
