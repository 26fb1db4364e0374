#include "exposure/rest/query_arguments.h"

#include <charconv>

#include "base/quote.h"

namespace cairn::rest {
namespace {

// The declared type of an argument; "string" for what is not declared.
std::string_view type_of(const json::Value& schema, std::string_view name) {
  const auto* properties = json::find(schema.get_object(), "properties");
  if (properties == nullptr) return "string";
  const auto* property = json::find(properties->get_object(), name);
  if (property == nullptr) return "string";
  const auto* type = json::find(property->get_object(), "type");
  return type == nullptr ? "string" : json::text(*type);
}

Result<json::Value> convert(std::string_view name, std::string_view text, std::string_view type) {
  if (type == "integer") {
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
    return fail(Code::kInvalidArgument, "'{}' is '{}'; it should be a whole number", name,
                shown(text));
  }
  if (type == "boolean") {
    if (text == "true" || text == "1" || text.empty()) return true;
    if (text == "false" || text == "0") return false;
    return fail(Code::kInvalidArgument, "'{}' is '{}'; it should be true or false", name,
                shown(text));
  }
  if (type == "array") {
    json::Array items;
    while (true) {
      const auto comma = text.find(',');
      items.emplace_back(text.substr(0, comma));
      if (comma == std::string_view::npos) return items;
      text.remove_prefix(comma + 1);
    }
  }
  return json::Value(text);
}

}  // namespace

Result<void> add_query_arguments(json::Object& arguments, const http::Query& query,
                                 const json::Value& schema) {
  for (const auto& [name, text] : query.entries()) {
    if (arguments.contains(name)) {
      return fail(Code::kInvalidArgument, "'{}' is in the path already; leave it out of the query",
                  shown(name));
    }
    arguments.emplace(name, TRY(convert(name, text, type_of(schema, name))));
  }
  return {};
}

}  // namespace cairn::rest
