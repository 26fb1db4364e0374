// cairn query: a JMESPath expression over JSON, from a file or a depot.
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "base/explain.h"
#include "data/json/jmespath/jmespath.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/json_argument.h"
#include "exposure/cli/kit.h"
#include "exposure/client/address.h"
#include "tools/executor/arguments.h"

namespace cairn::cli {
namespace {

struct QueryArguments {
  std::string expression;
  std::string file;
  std::string depot;
  std::string path;
  std::string json_path;
};

constexpr json::ParseLimits kDeep{.max_depth = 1000};

Result<json::Value> query_text(Kit& kit, const QueryArguments& given) {
  const auto expression = TRY(jmespath::Expression::compile(given.expression));
  const auto document =
      TRY(json::parse(TRY(read_whole(given.file.empty() ? "-" : given.file)), kDeep));
  Budget budget(kit.clock(), {});
  return expression.search(document, budget);
}

Result<json::Value> query_depot(Kit& kit, const QueryArguments& given) {
  if (given.path.empty()) {
    return fail(Code::kInvalidArgument, "--depot needs --path, the JSON file in it");
  }
  auto& client = *TRY(kit.client());
  json::Object arguments{{"depotId", TRY(resolve(client, given.depot)).key},
                         {"path", given.path},
                         {"expression", given.expression}};
  if (!given.json_path.empty()) arguments["jsonPath"] = given.json_path;
  auto answer = TRY(client.call("json_query", arguments));
  if (Arguments(answer.as_object()).flag("truncated")) {
    note("the result is larger than an answer and was cut; narrow the expression");
  }
  return std::move(answer.as_object().at("result"));
}

// `invalid-type: wrong type at offset 3 …`: the kind as the language's specification names it.
Error with_kind(Error error) {
  const auto kind = error.details.find("kind");
  if (error.code != Code::kInvalidQuery || kind == error.details.end()) return error;
  const auto name = std::get<std::string>(kind->second);
  return explained(std::move(error), name);
}

Result<int> run_query(Kit& kit, const QueryArguments& given) {
  const bool of_depot = !given.depot.empty();
  if (of_depot && !given.file.empty()) {
    return fail(Code::kInvalidArgument, "--file and --depot name two sources; give one");
  }
  if (!of_depot && (!given.path.empty() || !given.json_path.empty())) {
    return fail(Code::kInvalidArgument, "--path and --json-path go with --depot");
  }
  auto answer = of_depot ? query_depot(kit, given) : query_text(kit, given);
  if (!answer) return Failure(with_kind(std::move(answer).error()));
  const auto result = std::move(*answer);
  if (kit.options.json) {
    kit.out.print("{}\n", json::write(result));
  } else {
    kit.out.print("{}\n", json::write_pretty(result));
  }
  return 0;
}

}  // namespace

void add_query_command(Commands& commands) {
  auto given = std::make_shared<QueryArguments>();
  auto command = commands.add(
      {.name = "query",
       .description = "Evaluate a JMESPath expression on JSON",
       .example = "cairn query --file orders.json -- 'orders[?total > `100`].id'",
       .more = "Reads standard input without --file or --depot. With --json the result is one "
               "line.\n"
               "An expression that cannot be evaluated is INVALID_QUERY, with its kind and place.",
       .group = "Files"},
      [given](Kit& kit) { return run_query(kit, *given); });
  command.add_argument("EXPRESSION", given->expression, "JMESPath");
  command.add_value("--file", given->file, "FILE", "JSON to read [standard input]");
  command.add_value("--depot", given->depot, "DEPOT", "Query a JSON file in this depot");
  command.add_value("--path", given->path, "PATH", "The file in the depot");
  command.add_value("--json-path", given->json_path, "POINTER", "Where in it, e.g. /orders");
}

}  // namespace cairn::cli
