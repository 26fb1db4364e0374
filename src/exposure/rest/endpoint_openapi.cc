#include "exposure/rest/endpoint_openapi.h"

namespace cairn::rest {
namespace {

json::Object content(json::Value schema) {
  return {{"application/json", json::Object{{"schema", std::move(schema)}}}};
}

json::Object operation(const Tool& tool) {
  json::Object out;
  out["operationId"] = tool.name;
  if (!tool.title.empty()) out["summary"] = tool.title;
  out["description"] = tool.description;
  out["requestBody"] = json::Object{{"required", true}, {"content", content(tool.input)}};
  out["responses"] = json::Object{
      {"200",
       json::Object{{"description", "What the tool answers"}, {"content", content(tool.output)}}},
      {"default", json::Object{{"$ref", "#/components/responses/Error"}}}};
  return out;
}

json::Object components() {
  json::Object error{{"type", "object"},
                     {"properties", json::Object{{"error", json::Object{{"type", "string"}}},
                                                 {"message", json::Object{{"type", "string"}}},
                                                 {"details", json::Object{{"type", "object"}}}}},
                     {"required", json::Array{"error", "message"}}};
  json::Object answer{{"description", "What was wrong with which value, and what to do instead"},
                      {"content", content(json::Object{{"$ref", "#/components/schemas/Error"}})}};
  json::Object key{{"type", "http"},
                   {"scheme", "bearer"},
                   {"description", "The endpoint's key, for addresses with '-' in its place"}};
  return {{"securitySchemes", json::Object{{"key", std::move(key)}}},
          {"schemas", json::Object{{"Error", std::move(error)}}},
          {"responses", json::Object{{"Error", std::move(answer)}}}};
}

}  // namespace

json::Value endpoint_openapi(const EndpointToolbox& endpoint, std::string_view key_segment) {
  json::Object paths;
  for (const auto* tool : endpoint.offered()) {
    paths["/" + tool->name] = json::Object{{"post", operation(*tool)}};
  }
  const auto& about = endpoint.endpoint();
  json::Object info{{"title", about.name.empty() ? "Cairn endpoint" : about.name},
                    {"version", std::to_string(about.updated_at)}};
  if (!about.description.empty()) info["description"] = about.description;
  json::Array servers{json::Object{{"url", fmt::format("/api/v2/rest/{}", key_segment)}}};
  json::Object out{{"openapi", "3.1.0"},
                   {"info", std::move(info)},
                   {"servers", std::move(servers)},
                   {"paths", std::move(paths)},
                   {"components", components()}};
  // With the key in the address nothing else is asked for.
  if (key_segment == "-") out["security"] = json::Array{json::Object{{"key", json::Array{}}}};
  return out;
}

}  // namespace cairn::rest
