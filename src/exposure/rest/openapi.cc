#include "exposure/rest/openapi.h"

#include <algorithm>
#include <map>

#include "exposure/rest/route.h"
#include "tools/executor/shape.h"

namespace cairn::rest {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (auto& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return out;
}

// `{navigation...}` is one parameter in OpenAPI, which has no way to say more.
std::string openapi_path(std::string_view pattern) {
  std::string out(pattern);
  if (auto dots = out.find("...}"); dots != std::string::npos) out.erase(dots, 3);
  return out;
}

// `/a/{b}/c` → `/a/{}/c`
std::string without_names(std::string_view path) {
  std::string out;
  bool inside = false;
  for (const char c : path) {
    if (c == '}') inside = false;
    if (!inside) out += c;
    if (c == '{') inside = true;
  }
  return out;
}

std::vector<std::string> path_parameters(std::string_view pattern) {
  std::vector<std::string> out;
  const auto path = openapi_path(pattern);
  for (auto open = path.find('{'); open != std::string::npos; open = path.find('{', open + 1)) {
    out.push_back(path.substr(open + 1, path.find('}', open) - open - 1));
  }
  return out;
}

const json::Object& properties_of(const json::Value& schema) {
  return schema.as_object().at("properties").as_object();
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

json::Object parameter(std::string_view name, std::string_view in, bool required,
                       json::Value schema) {
  json::Object out;
  out["name"] = name;
  out["in"] = in;
  out["required"] = required;
  auto& object = schema.as_object();
  if (auto* description = object.if_contains("description")) {
    out["description"] = *description;
    object.erase("description");
  }
  const bool list = json::text(object["type"]) == "array";
  out["schema"] = std::move(schema);
  if (list) {
    out["style"] = "form";
    out["explode"] = false;
  }
  return out;
}

json::Value path_schema(const json::Value& input, std::string_view name) {
  if (name == "realm") {
    return json::Object{{"type", "string"}, {"description", "'me', or the id of your realm"}};
  }
  const auto* schema = json::find(properties_of(input), name);
  return schema != nullptr ? *schema : json::Value(json::Object{{"type", "string"}});
}

// The members of the body's object: all that is not in the path.
json::Value body_schema(const json::Value& input, const std::vector<std::string>& in_path) {
  auto out = input;
  auto& object = out.as_object();
  auto& properties = object["properties"].as_object();
  for (const auto& name : in_path) properties.erase(name);
  if (auto* required = object.if_contains("required")) {
    json::Array left;
    for (const auto& item : required->as_array()) {
      if (!contains(in_path, json::text(item))) left.push_back(item);
    }
    if (left.empty()) {
      object.erase("required");
    } else {
      *required = std::move(left);
    }
  }
  return out;
}

json::Object content(std::string_view type, json::Value schema) {
  return json::Object{{std::string(type), json::Object{{"schema", std::move(schema)}}}};
}

json::Value binary() { return json::Object{{"type", "string"}, {"format", "binary"}}; }

json::Object responses(const Tool& tool) {
  const bool bytes = tool.gives != Gives::kValue;
  json::Object ok;
  ok["description"] = "Done";
  ok["content"] =
      bytes ? content(tool.gives == Gives::kFile ? "*/*" : "application/octet-stream", binary())
            : content("application/json", tool.output);
  if (tool.rows) {
    ok["content"].as_object()["application/x-ndjson"] = json::Object{
        {"schema",
         json::Object{{"type", "string"},
                      {"description",
                       "One JSON object a line, while it is found; the last has a summary"}}}};
  }
  json::Object out;
  out["200"] = std::move(ok);
  if (tool.gives == Gives::kFile) {
    out["206"] = json::Object{{"description", "A range of the bytes"},
                              {"content", content("*/*", binary())}};
  }
  if (tool.annotations.read_only) out["304"] = json::Object{{"description", "You have it"}};
  out["default"] = json::Object{{"$ref", "#/components/responses/Error"}};
  return out;
}

json::Object describe(const Tool& tool, std::string operation, std::string_view tag) {
  json::Object out;
  out["operationId"] = std::move(operation);
  out["summary"] = tool.title;
  out["description"] = fmt::format("{}\n\nNeeds: {}.", tool.description, name(tool.right));
  out["tags"] = json::Array{tag};
  return out;
}

std::string_view tag_of(std::string_view pattern) {
  if (pattern.starts_with("/api/admin")) return "admin";
  if (pattern.contains("/depots")) return "depots";
  if (pattern.contains("/delegates")) return "delegates";
  if (pattern.contains("/nodes/fs")) return "files";
  if (pattern.contains("/nodes")) return "nodes";
  return "realm";
}

// Some tools have several routes: the method and what comes last tell them apart.
std::string operation_id(const Route& route) {
  auto id = fmt::format("{}_{}", lower(name(route.method)), route.tool);
  if (route.pattern.contains("...}")) id += "_below";
  if (route.pattern == "/api/me/sign-ins" && route.method == http::Method::kDelete) id += "_others";
  if (route.pattern.ends_with("/file") && route.method == http::Method::kGet) id += "_as_file";
  return id;
}

// REQUIRES: the path is the route's, whatever it calls its parameters.
json::Object operation(const Route& route, std::string_view path, const Tool& tool) {
  auto out = describe(tool, operation_id(route), tag_of(route.pattern));
  const bool takes_json = route.takes_json() && tool.body == Body::kArguments;
  const auto in_path = path_parameters(route.pattern);
  const auto called = path_parameters(path);
  json::Array parameters;
  for (std::size_t i = 0; i < in_path.size(); ++i) {
    parameters.push_back(parameter(called[i], "path", true, path_schema(tool.input, in_path[i])));
  }
  if (!takes_json) {
    for (const auto& [name, schema] : properties_of(tool.input)) {
      if (contains(in_path, name)) continue;
      parameters.push_back(
          parameter(name, "query", shape::is_required(tool.input.as_object(), name), schema));
    }
  }
  if (tool.name == "depot_commit") {
    parameters.push_back(parameter(
        "If-Match", "header", false,
        json::Object{{"type", "string"},
                     {"description", "The root you started from: never merge, 412 instead"}}));
  }
  if (properties_of(tool.input).contains("ifKey")) {
    const auto header = [&](std::string_view name, std::string_view description) {
      parameters.push_back(parameter(
          name, "header", false, json::Object{{"type", "string"}, {"description", description}}));
    };
    header("If-Match", "The file's ETag as it should be now, as ifKey; 412 otherwise");
    header("If-None-Match", "*: only if there is no such file yet; 412 otherwise");
  }
  if (!parameters.empty()) out["parameters"] = std::move(parameters);
  if (takes_json) {
    out["requestBody"] = json::Object{
        {"required", body_schema(tool.input, in_path).as_object().contains("required")},
        {"content", content("application/json", body_schema(tool.input, in_path))}};
  } else if (tool.body != Body::kArguments) {
    out["requestBody"] = json::Object{{"required", true},
                                      {"content", content("application/octet-stream", binary())}};
  }
  out["responses"] = responses(tool);
  return out;
}

json::Object tool_operation(const Tool& tool) {
  auto out = describe(tool, "call_" + std::string(tool.name), "tools");
  out["parameters"] =
      json::Array{parameter("realm", "path", true, path_schema(tool.input, "realm"))};
  out["requestBody"] = json::Object{{"required", tool.input.as_object().contains("required")},
                                    {"content", content("application/json", tool.input)}};
  out["responses"] = responses(tool);
  return out;
}

json::Object plain(std::string_view id, std::string_view summary, std::string_view tag) {
  json::Object out;
  out["operationId"] = id;
  out["summary"] = summary;
  out["tags"] = json::Array{tag};
  out["security"] = json::Array{};
  out["responses"] = json::Object{
      {"200",
       json::Object{{"description", "Done"},
                    {"content", content("application/json", json::Object{{"type", "object"}})}}},
      {"default", json::Object{{"$ref", "#/components/responses/Error"}}}};
  return out;
}

json::Object list_operation() {
  auto out = plain("tools", "Every tool with its schemas", "tools");
  out.erase("security");
  out["parameters"] = json::Array{parameter("realm", "path", true, path_schema({}, "realm"))};
  return out;
}

json::Object with_body(json::Object operation, std::initializer_list<std::string_view> names) {
  json::Object properties;
  json::Array required;
  for (auto name : names) {
    properties[name] = json::Object{{"type", "string"}};
    required.emplace_back(name);
  }
  json::Object schema{{"type", "object"}};
  schema["properties"] = std::move(properties);
  schema["required"] = std::move(required);
  operation["requestBody"] =
      json::Object{{"required", true}, {"content", content("application/json", std::move(schema))}};
  return operation;
}

json::Object components() {
  json::Object error{{"type", "object"}};
  json::Array codes;
  for (const auto& row : all_codes()) codes.emplace_back(row.name);
  error["properties"] =
      json::Object{{"error", json::Object{{"type", "string"}, {"enum", std::move(codes)}}},
                   {"message", json::Object{{"type", "string"}}},
                   {"details", json::Object{{"type", "object"}}}};
  error["required"] = json::Array{"error", "message"};
  json::Object out;
  out["securitySchemes"] =
      json::Object{{"token", json::Object{{"type", "http"},
                                          {"scheme", "bearer"},
                                          {"description", "A delegate's access token"}}}};
  out["schemas"] = json::Object{{"Error", std::move(error)}};
  out["responses"] = json::Object{
      {"Error",
       json::Object{{"description", "What was wrong with which value, and what to do instead"},
                    {"content", content("application/json",
                                        json::Object{{"$ref", "#/components/schemas/Error"}})}}}};
  return out;
}

void add_special(json::Object& paths) {
  paths["/healthz"] = json::Object{
      {"get",
       plain("healthz",
             "Whether the process lives and its store can be read and written; otherwise why not",
             "server")}};
  paths["/readyz"] =
      json::Object{{"get", plain("readyz", "The same, and whether it takes requests", "server")}};
  paths["/api/info"] =
      json::Object{{"get", plain("info", "Name, version, where to go on", "server")}};
  paths["/api/openapi.json"] = json::Object{{"get", plain("openapi", "This document", "server")}};
  paths["/api/auth/refresh"] = json::Object{
      {"post", with_body(plain("refresh", "Trade a refresh token in for new tokens", "auth"),
                         {"refreshToken"})}};
  paths["/api/auth/login"] =
      json::Object{{"post", with_body(plain("login", "Sign in with a name and password", "auth"),
                                      {"name", "password"})}};
}

}  // namespace

json::Value openapi(const ToolTable& table, std::string_view version) {
  json::Object paths;
  // Paths that differ in what they call their parameters are one: the first route says how.
  std::map<std::string, std::string> first;
  for (const auto& route : routes()) {
    auto tool = table.find(route.tool);
    if (!tool) continue;
    const auto own = openapi_path(route.pattern);
    const auto& path = first.emplace(without_names(own), own).first->second;
    auto& item = paths[path];
    if (!item.is_object()) item = json::Object();
    item.as_object()[lower(name(route.method))] = operation(route, path, **tool);
  }
  for (const auto& tool : table.tools()) {
    if (tool.body != Body::kArguments) continue;
    paths[fmt::format("/api/realm/{{realm}}/tools/{}", tool.name)] =
        json::Object{{"post", tool_operation(tool)}};
  }
  paths["/api/realm/{realm}/tools"] = json::Object{{"get", list_operation()}};
  add_special(paths);
  json::Object info;
  info["title"] = "Cairn";
  info["version"] = version;
  info["description"] =
      "A content-addressed, versioned store of files and JSON for AI agents. Every tool is also "
      "a POST below /tools; the other routes are the same tools, shaped for HTTP.";
  info["license"] = json::Object{{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}};
  json::Object out;
  out["openapi"] = "3.1.0";
  out["info"] = std::move(info);
  out["servers"] = json::Array{json::Object{{"url", "/"}}};
  out["security"] = json::Array{json::Object{{"token", json::Array{}}}};
  out["paths"] = std::move(paths);
  out["components"] = components();
  return out;
}

json::Value describe_tools(const ToolTable& table) {
  json::Array tools;
  for (const auto& tool : table.tools()) {
    json::Object out;
    out["name"] = tool.name;
    out["title"] = tool.title;
    out["description"] = tool.description;
    out["right"] = name(tool.right);
    out["inputSchema"] = tool.input;
    out["outputSchema"] = tool.output;
    out["annotations"] = json::Object{{"readOnlyHint", tool.annotations.read_only},
                                      {"destructiveHint", tool.annotations.destructive},
                                      {"idempotentHint", tool.annotations.idempotent}};
    tools.push_back(std::move(out));
  }
  return json::Object{{"tools", std::move(tools)}};
}

}  // namespace cairn::rest
