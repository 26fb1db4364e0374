#include "fixture_resources.h"

#include <fmt/format.h>

#include "fixture_tool.h"

namespace cairn::conformance {
namespace {

json::Object listed(std::string_view uri, std::string_view name, std::string_view description,
                    std::string_view type) {
  return {{"uri", uri}, {"name", name}, {"description", description}, {"mimeType", type}};
}

json::Object text_contents(std::string_view uri, std::string_view type, std::string_view text) {
  return {{"uri", uri}, {"mimeType", type}, {"text", text}};
}

// The value of `id` in `test://template/{id}/data`.
std::optional<std::string_view> template_id(std::string_view uri) {
  constexpr std::string_view kBefore = "test://template/";
  constexpr std::string_view kAfter = "/data";
  if (!uri.starts_with(kBefore) || !uri.ends_with(kAfter)) return std::nullopt;
  if (uri.size() <= kBefore.size() + kAfter.size()) return std::nullopt;
  const auto id = uri.substr(kBefore.size(), uri.size() - kBefore.size() - kAfter.size());
  if (id.contains('/')) return std::nullopt;
  return id;
}

}  // namespace

json::Array resource_list() {
  return {listed("test://static-text", "static-text", "A text", "text/plain"),
          listed("test://static-binary", "static-binary", "An image", "image/png"),
          listed(kWatchedResource, "watched-resource", "A text that changes", "text/plain")};
}

json::Array template_list() {
  return {json::Object{{"uriTemplate", "test://template/{id}/data"},
                       {"name", "template"},
                       {"description", "What there is for an id"},
                       {"mimeType", "application/json"}}};
}

std::optional<json::Object> read_resource(std::string_view uri, int version) {
  if (uri == "test://static-text") {
    return text_contents(uri, "text/plain", "This is the content of the static text resource.");
  }
  if (uri == "test://static-binary") {
    return json::Object{{"uri", uri}, {"mimeType", "image/png"}, {"blob", kPixel}};
  }
  if (uri == kWatchedResource) {
    return text_contents(uri, "text/plain", fmt::format("Version {} of the resource.", version));
  }
  const auto id = template_id(uri);
  if (!id) return std::nullopt;
  const json::Object data{
      {"id", *id}, {"templateTest", true}, {"data", fmt::format("Data for ID: {}", *id)}};
  return text_contents(uri, "application/json", json::write(data));
}

}  // namespace cairn::conformance
