#include <iostream>

#include "base/quote.h"
#include "exposure/cli/commands.h"
#include "exposure/http/uri.h"
#include "exposure/rest/query_arguments.h"
#include "tools/table.h"

namespace cairn::cli {
namespace {

struct CallArguments {
  std::string tool;
  std::string json;
  std::vector<std::string> pairs;
};

Result<json::Object> from_json(const std::string& text) {
  auto value =
      TRY(json::parse(text == "-" ? std::string(std::istreambuf_iterator(std::cin), {}) : text));
  if (value.is_object()) return std::move(value.get_object());
  return fail(Code::kInvalidJson, "--args should be a JSON object");
}

// key=value becomes what the tool's schema says it is, as in a query string.
Result<void> add_pairs(json::Object& arguments, const CallArguments& given) {
  if (given.pairs.empty()) return {};
  std::string text;
  for (const auto& pair : given.pairs) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos) {
      return fail(Code::kInvalidArgument, "'{}' should be key=value", shown(pair));
    }
    if (!text.empty()) text += '&';
    text += http::percent_encode(pair.substr(0, equals)) + "=" +
            http::percent_encode(pair.substr(equals + 1));
  }
  auto query = TRY(http::Query::parse(text));
  auto table = TRY(ToolTable::make());
  return rest::add_query_arguments(arguments, query, TRY(table.find(given.tool))->tool.input);
}

Result<int> run_call(Context& context, const CallArguments& given) {
  json::Object arguments;
  if (!given.json.empty()) arguments = TRY(from_json(given.json));
  TRY(add_pairs(arguments, given));
  auto& session = *TRY(context.session());
  context.out.print_json(TRY(session.call(given.tool, arguments)));
  return 0;
}

}  // namespace

void add_call_command(Commands& commands) {
  auto given = std::make_shared<CallArguments>();
  auto* command = commands.add(
      {.name = "call",
       .description = "Call any tool by its name and print its JSON",
       .example = "cairn call fs_stat nodeKey=dpt_… path=src/main.ts",
       .more = "Lists in key=value are separated by commas. A server shows all tools at /api/docs.",
       .group = "Server"},
      [given](Context& context) { return run_call(context, *given); });
  add_argument(command, "TOOL", given->tool, "Its name, such as fs_read");
  add_argument(command, "KEY=VALUE", given->pairs, "Its arguments")->required(false);
  add_value(command, "--args", given->json, "JSON",
            "The arguments as one object; - reads it from standard input");
}

}  // namespace cairn::cli
