// Any text compiles as a query or is refused with a message that can be shown. What compiles gives,
// for any document and within a small budget, a value or an error; as a value and as text it says
// the same, and that is JSON again. A larger budget changes no answer.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/budget.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "data/json/jmespath/jmespath.h"
#include "data/json/json.h"

namespace {

namespace json = cairn::json;
using cairn::Budget;
using cairn::jmespath::Expression;

constexpr std::string_view kDocuments[] = {
    R"({"a":{"b":{"c":1,"d":[1,2,3]},"c":"x"},"b":[{"a":1},{"a":2,"b":"y"},{"b":null}],"c":null})",
    R"([{"a":3,"b":"z","c":[1,2]},{"a":1,"b":"a","c":[]},{"a":2,"b":"é","c":[3,[4,5]]}])",
    R"([5,10,-1,0.5,1e300,9007199254740993,18446744073709551615,-9223372036854775808])",
    R"(["b","a","𝄞","","10","1e2"])",
    "null",
};

void require(bool condition) {
  if (!condition) std::abort();
}

void check_error(const cairn::Error& error) {
  require(cairn::valid_utf8(error.message));
  if (error.code == cairn::Code::kBudgetExceeded) return;
  require(error.code == cairn::Code::kInvalidQuery);
  require(error.details.contains("kind") && error.details.contains("offset"));
}

void check_search(const Expression& expression, const json::Value& document) {
  const cairn::ManualClock clock;
  Budget for_value(clock, {.entries = 20'000, .bytes = 1 << 20});
  Budget for_text(clock, {.entries = 40'000, .bytes = 1 << 22});
  const auto value = expression.search(document, for_value);
  const auto text = expression.search_text(document, for_text);
  if (!value) check_error(value.error());
  if (!text) check_error(text.error());
  if (value && text) require(json::write(*value) == *text);
  if (value) {
    const auto again = json::parse(json::write(*value), {.max_depth = 1000});
    require(again && *again == *value);
  }
  const auto is_wrong = [](const auto& result) {
    return !result && result.error().code == cairn::Code::kInvalidQuery;
  };
  if (value) require(!is_wrong(text));
  if (is_wrong(value)) require(is_wrong(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto documents = [] {
    std::array<json::Value, std::size(kDocuments)> parsed;
    for (std::size_t i = 0; i < parsed.size(); ++i) parsed[i] = json::parse(kDocuments[i]).value();
    return parsed;
  }();
  const auto expression = Expression::compile({reinterpret_cast<const char*>(data), size});
  if (!expression) {
    check_error(expression.error());
    return 0;
  }
  for (const auto& document : documents) check_search(*expression, document);
  return 0;
}
