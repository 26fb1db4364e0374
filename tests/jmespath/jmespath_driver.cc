// Reads a line {"expression": "...", "given": VALUE} and answers with a line: {"result": VALUE}, or
// {"error": KIND, "offset": BYTE, "message": "..."}; until its input ends. A result is taken as a
// value and as text, and both must say the same.
#include <iostream>
#include <string>

#include <fmt/format.h>

#include "base/budget.h"
#include "base/clock.h"
#include "data/json/compare.h"
#include "data/json/jmespath/jmespath.h"
#include "data/json/json.h"

namespace {

namespace json = cairn::json;
using cairn::Budget;
using cairn::Result;
using cairn::jmespath::Expression;

Result<json::Value> searched(std::string_view expression, const json::Value& given) {
  const auto compiled = TRY(Expression::compile(expression));
  const cairn::SystemClock clock;
  Budget for_value(clock, {.entries = 10'000'000, .bytes = 100 << 20});
  Budget for_text(clock, {.entries = 10'000'000, .bytes = 100 << 20});
  auto value = compiled.search(given, for_value);
  const auto text = compiled.search_text(given, for_text);
  if (value.has_value() != text.has_value() || (value && json::write(*value) != *text)) {
    return cairn::fail(cairn::Code::kInternal, "as a value {}, as text {}",
                       value ? json::write(*value) : "none", text ? *text : "none");
  }
  return value;
}

json::Object answered(const cairn::Error& error) {
  json::Object answer{{"error", error.name()}, {"message", error.message}};
  const auto kind = error.details.find("kind");
  if (kind != error.details.end()) answer["error"] = std::get<std::string>(kind->second);
  const auto offset = error.details.find("offset");
  if (offset != error.details.end()) answer["offset"] = std::get<std::int64_t>(offset->second);
  return answer;
}

json::Object answered(std::string_view line) {
  const auto request = json::parse(line, {.max_depth = 1000});
  if (!request) return answered(request.error());
  const auto& object = request->as_object();
  auto result = searched(json::text(object.at("expression")), object.at("given"));
  if (!result) return answered(result.error());
  return {{"result", std::move(*result)}};
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << json::write(answered(line)) << '\n';
  }
  return 0;
}
