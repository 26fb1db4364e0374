#include <cstdlib>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/kit.h"
#include "exposure/client/remote_client.h"
#include "exposure/http/uri.h"
#include "exposure/rest/query_arguments.h"
#include "tools/engine/all_tools.h"

namespace cairn::cli {
namespace {

struct CallArguments {
  std::string tool;
  std::string json;
  std::string endpoint;
  std::string key;
  std::vector<std::string> pairs;
};

Result<json::Object> from_json(const std::string& text) {
  auto value =
      TRY(json::parse(text == "-" ? std::string(std::istreambuf_iterator(std::cin), {}) : text));
  if (value.is_object()) return std::move(value.get_object());
  return fail(Code::kInvalidJson, "the arguments should be a JSON object");
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
  auto table = all_tools();
  return rest::add_query_arguments(arguments, query, TRY(table.find(given.tool))->input);
}

// Through an endpoint: its key is all that is needed.
Result<int> call_endpoint(Kit& kit, const CallArguments& given) {
  const char* const known = std::getenv("CAIRN_ENDPOINT_KEY");
  const auto key = given.key.empty() && known != nullptr ? std::string(known) : given.key;
  if (key.empty()) {
    return fail(Code::kInvalidArgument,
                "the endpoint's key is missing; give --key, or CAIRN_ENDPOINT_KEY");
  }
  auto text = given.json;
  if (given.pairs.size() > 1 || (!text.empty() && !given.pairs.empty())) {
    return fail(Code::kInvalidArgument, "the arguments of an endpoint's tool are one JSON object");
  }
  if (!given.pairs.empty()) text = given.pairs.front();
  const auto arguments = text.empty() ? json::Object() : TRY(from_json(text));
  // The server's URL; an address of the endpoint itself does as well.
  const auto url = given.endpoint.substr(0, given.endpoint.find("/api/"));
  auto client = TRY(client::open_remote(
      {.url = url, .token = key, .ca_file = kit.options.ca_file, .tools = "/api/v2/rest/-/"}));
  kit.out.print_json(TRY(client->call(given.tool, arguments)));
  return 0;
}

Result<int> run_call(Kit& kit, const CallArguments& given) {
  if (!given.endpoint.empty()) return call_endpoint(kit, given);
  if (!given.key.empty()) {
    return fail(Code::kInvalidArgument, "--key goes with --endpoint, the server's URL");
  }
  json::Object arguments;
  if (!given.json.empty()) arguments = TRY(from_json(given.json));
  TRY(add_pairs(arguments, given));
  auto& client = *TRY(kit.client());
  kit.out.print_json(TRY(client.call(given.tool, arguments)));
  return 0;
}

}  // namespace

void add_call_command(Commands& commands) {
  auto given = std::make_shared<CallArguments>();
  auto command = commands.add(
      {.name = "call",
       .description = "Call any tool by its name and print its JSON",
       .example = "cairn call fs_stat nodeKey=dpt_… path=src/main.ts",
       .more = "Lists in key=value are separated by commas. A server shows all tools at /api/docs.",
       .group = "Server"},
      [given](Kit& kit) { return run_call(kit, *given); });
  command.add_argument("TOOL", given->tool, "Its name, such as fs_read");
  command.add_argument("KEY=VALUE", given->pairs, "Its arguments; with --endpoint: JSON")
      .required(false);
  command.add_value("--args", given->json, "JSON",
                    "The arguments as one object; - reads it from standard input");
  command.add_value("--endpoint", given->endpoint, "URL",
                    "Call a tool of an endpoint, on the server at this URL");
  command.add_value("--key", given->key, "KEY", "The endpoint's key [CAIRN_ENDPOINT_KEY]");
}

}  // namespace cairn::cli
