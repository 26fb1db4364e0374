#include "exposure/rest/docs_page.h"

#include <map>
#include <vector>

namespace cairn::rest {
namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Cairn API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #8886; text-transform: capitalize; }
details { margin: .4rem 0; border: 1px solid #8884; border-radius: 6px; padding: .3rem .8rem; }
summary { cursor: pointer; font-family: ui-monospace, monospace; font-size: 14px; }
summary b { display: inline-block; width: 4.5rem; }
summary span { float: right; font-family: system-ui, sans-serif; opacity: .7; }
table { border-collapse: collapse; margin: .6rem 0; }
td { padding: .15rem .8rem .15rem 0; vertical-align: top; }
td:first-child { font-family: ui-monospace, monospace; white-space: nowrap; }
pre { background: #8881; padding: .8rem; overflow: auto; border-radius: 6px; }
</style></head><body>
<h1>Cairn API</h1>
<p>Send <code>Authorization: Bearer &lt;access token&gt;</code> with every request. Errors are
<code>{"error": CODE, "message": …, "details": …}</code>. The machine-readable form of this page is
<a href="/api/openapi.json">/api/openapi.json</a>.</p>
<pre>curl -H "Authorization: Bearer $CAIRN_TOKEN" localhost:8765/api/realm/me/depots</pre>
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string_view member(const json::Object& object, std::string_view name) {
  const auto* value = json::find(object, name);
  return value == nullptr ? std::string_view() : json::text(*value);
}

std::string row(std::string_view name, std::string_view where, bool required,
                std::string_view description) {
  return fmt::format("<tr><td>{}{}</td><td>{}</td><td>{}</td></tr>", escaped(name),
                     required ? " *" : "", escaped(where), escaped(description));
}

std::string parameters(const json::Object& operation) {
  std::string out;
  if (const auto* list = json::find(operation, "parameters")) {
    for (const auto& item : list->as_array()) {
      const auto& parameter = item.as_object();
      out += row(member(parameter, "name"), member(parameter, "in"),
                 parameter.at("required").as_bool(), member(parameter, "description"));
    }
  }
  const auto* body = json::find(operation, "requestBody");
  if (body == nullptr) return out;
  const auto& content = body->as_object().at("content").as_object();
  const auto* json_content = content.if_contains("application/json");
  if (json_content == nullptr) return out + row("body", "bytes", true, "The bytes themselves");
  const auto& schema = json_content->as_object().at("schema").as_object();
  const auto* properties = schema.if_contains("properties");
  if (properties == nullptr) return out;
  for (const auto& [name, property] : properties->as_object()) {
    bool required = false;
    if (const auto* names = schema.if_contains("required")) {
      for (const auto& item : names->as_array()) required = required || json::text(item) == name;
    }
    out += row(name, "body", required, member(property.as_object(), "description"));
  }
  return out;
}

std::string section(std::string_view method, std::string_view path, const json::Object& operation) {
  std::string verb(method);
  for (auto& c : verb) c = static_cast<char>(c - 32);
  return fmt::format(
      "<details><summary><b>{}</b>{}<span>{}</span></summary><p>{}</p><table>{}</table></"
      "details>\n",
      verb, escaped(path), escaped(member(operation, "summary")),
      escaped(member(operation, "description")), parameters(operation));
}

}  // namespace

std::string docs_page(const json::Value& openapi) {
  std::vector<std::string> order;
  std::map<std::string, std::string> sections;
  for (const auto& [path, item] : openapi.as_object().at("paths").as_object()) {
    for (const auto& [method, operation] : item.as_object()) {
      const auto& object = operation.as_object();
      const std::string tag(json::text(object.at("tags").as_array().front()));
      if (!sections.contains(tag)) order.push_back(tag);
      sections[tag] += section(method, path, object);
    }
  }
  std::string out(kHead);
  for (const auto& tag : order) out += fmt::format("<h2>{}</h2>\n{}", tag, sections[tag]);
  return out + "</body></html>\n";
}

}  // namespace cairn::rest
