// Reading JSON contexts: get_schema, get_all, query, preview, select.
#include <boost/json/monotonic_resource.hpp>

#include "data/json/document/describe.h"
#include "data/json/document/select.h"
#include "data/json/jmespath/jmespath.h"
#include "tools/json/json_context.h"
#include "tools/json/tools.h"

namespace cairn {
namespace {

using json_context::add_cut;
using json_context::Shown;

constexpr Annotations kReads{.read_only = true, .idempotent = true};

Result<Reply> run_schema(Call& call, const Arguments& arguments) {
  const auto opened = TRY(json_context::open(call, arguments));
  document::DescribeLimits limits;
  limits.max_bytes = static_cast<std::size_t>(arguments.number("maxBytes", 16'000));
  return Reply(document::describe(*opened.value, limits));
}

Result<Reply> run_get_all(Call& call, const Arguments& arguments) {
  const auto opened = TRY(json_context::open(call, arguments));
  json::Object out;
  add_cut(call, arguments, out, "value", *opened.value);
  TRY(json_context::note_shown(call, opened, out["value"],
                               out["truncated"].as_bool() ? Shown::kSome : Shown::kValue));
  return Reply(std::move(out));
}

Result<Reply> run_query(Call& call, const Arguments& arguments) {
  const auto expression = TRY(jmespath::Expression::compile(arguments.text("expression")));
  const auto opened = TRY(json_context::open(call, arguments));
  auto limits = call.limits(50'000'000);
  limits.bytes = 64 << 20;
  Budget budget(call.clock(), limits);
  boost::json::monotonic_resource memory;
  const auto result = TRY(expression.search(*opened.value, budget, &memory));
  json::Object out;
  add_cut(call, arguments, out, "result", result);
  TRY(json_context::note_shown(call, opened, out["result"], Shown::kSome));
  return Reply(std::move(out));
}

Result<Reply> run_preview(Call& call, const Arguments& arguments) {
  const auto opened = TRY(json_context::open(call, arguments));
  document::PreviewOptions options;
  options.count = static_cast<std::size_t>(arguments.number("limit", 10));
  options.offset = static_cast<std::size_t>(arguments.number("offset", 0));
  options.fields = arguments.texts("keys").value_or(std::vector<std::string>());
  auto found = TRY(document::preview(*opened.value, options));
  auto items = std::move(found["items"]);
  found.erase("items");
  json::Object out;
  add_cut(call, arguments, out, "items", items);
  TRY(json_context::note_shown(call, opened, out["items"], Shown::kSome));
  for (auto& member : found) out.insert_or_assign(member.key(), std::move(member.value()));
  return Reply(std::move(out));
}

Result<Reply> run_select(Call& call, const Arguments& arguments) {
  const auto opened = TRY(json_context::open(call, arguments));
  document::SelectOptions options;
  options.field = arguments.text("field");
  options.keys = arguments.object().at("keys").get_array();
  options.max_matches = static_cast<std::size_t>(arguments.number("limit", 100));
  auto found = TRY(document::select(*opened.value, options));
  auto matches = std::move(found["matches"]);
  found.erase("matches");
  json::Object out;
  add_cut(call, arguments, out, "matches", matches);
  TRY(json_context::note_shown(call, opened, out["matches"], Shown::kSome));
  for (auto& member : found) out.insert_or_assign(member.key(), std::move(member.value()));
  return Reply(std::move(out));
}

}  // namespace

Tool json_get_schema() {
  return {
      .name = "json_get_schema",
      .title = "The shape of JSON data",
      .description =
          "Which keys, types and counts the data has, before reading it: for an array the merged "
          "shape of its elements. sampled is true when not all were looked at.",
      .input = json_context::input({json_context::max_bytes()}),
      .output = shape::object(
          {{"rootType", shape::text()},
           {"keyCount", shape::integer(), shape::kOptional},
           {"arrayLength", shape::integer(), shape::kOptional},
           {"schema", shape::any_of({"object"}, "Written like JSON Schema")},
           {"sampled", shape::flag()},
           {"sampledElements", shape::integer(), shape::kOptional},
           {"notes", shape::list_of(shape::text(), "What was left out"), shape::kOptional}}),
      .annotations = kReads,
      .audited = {"depotId", "path", "jsonPath"},
      .run = run_schema,
  };
}

Tool json_get_all() {
  return {
      .name = "json_get_all",
      .title = "All JSON data",
      .description =
          "The whole value. A large one is cut (truncated: true), and leftOut says where: use "
          "json_query or json_preview for those.",
      .input = json_context::input({json_context::max_bytes()}),
      .output = json_context::cut_shape({{"value", shape::any_json()}}),
      .annotations = kReads,
      .audited = {"depotId", "path", "jsonPath"},
      .run = run_get_all,
  };
}

Tool json_query() {
  return {
      .name = "json_query",
      .title = "Query JSON data",
      .description =
          "Evaluates a JMESPath expression on the value, e.g. \"orders[?total > `100`].{id: id}\", "
          "\"sort_by(@, &date)[-5:]\", \"length(@)\". null is a result: nothing matched.",
      .input = json_context::input(
          {{"expression", shape::text("JMESPath", 64 << 10)}, json_context::max_bytes()}),
      .output = json_context::cut_shape({{"result", shape::any_json()}}),
      .annotations = kReads,
      .audited = {"depotId", "path", "jsonPath"},
      .run = run_query,
  };
}

Tool json_preview() {
  return {
      .name = "json_preview",
      .title = "The first of JSON data",
      .description =
          "The first elements of an array, or members of an object, with the total; keys picks "
          "some fields of each.",
      .input = json_context::input(
          {{"limit", shape::integer("How many (default 10)", 0, 1000), shape::kOptional},
           {"offset", shape::integer("How many to skip", 0, 1'000'000'000), shape::kOptional},
           {"keys",
            shape::list_of(shape::text("", 1000), "Only these fields, or pointers ('/user/name')",
                           100),
            shape::kOptional},
           json_context::max_bytes()}),
      .output = json_context::cut_shape(
          {{"items", shape::any_of({"array", "object"}, "As the data is")},
           {"total", shape::integer()},
           {"shown", shape::integer()},
           {"offset", shape::integer(), shape::kOptional},
           {"missingFields", shape::list_of(shape::text()), shape::kOptional}}),
      .annotations = kReads,
      .audited = {"depotId", "path", "jsonPath"},
      .run = run_preview,
  };
}

Tool json_select() {
  return {
      .name = "json_select",
      .title = "Select JSON elements",
      .description =
          "The elements whose field is one of keys, e.g. field 'id' and keys [17, 18]; missing are "
          "the keys that no element has.",
      .input = json_context::input(
          {{"field", shape::text("Name of the field, or a pointer ('/user/id')", 1000)},
           {"keys", shape::list_of(shape::any_of({"string", "number", "boolean", "null"}),
                                   "Values to look for", 1000)},
           {"limit", shape::integer("Most to show (default 100)", 1, 1000), shape::kOptional},
           json_context::max_bytes()}),
      .output = json_context::cut_shape(
          {{"matches",
            shape::list_of(shape::object({{"index", shape::integer(), shape::kOptional},
                                          {"key", shape::text(), shape::kOptional},
                                          {"value", shape::any_json(), shape::kOptional}}))},
           {"matched", shape::integer()},
           {"shown", shape::integer()},
           {"total", shape::integer()},
           {"missing", shape::list_of(shape::any_of({"string", "number", "boolean", "null"})),
            shape::kOptional}}),
      .annotations = kReads,
      .audited = {"depotId", "path", "jsonPath"},
      .run = run_select,
  };
}

}  // namespace cairn
