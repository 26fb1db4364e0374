// Any bytes are run as a script within small limits, or refused: in time, without a leak, with a
// message that can be shown. What came out is JSON.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "tools/scripts/script.h"

namespace {

namespace json = cairn::json;
namespace script = cairn::script;

void require(bool condition) {
  if (!condition) std::abort();
}

cairn::Result<json::Value> answer(std::string_view, std::string_view operation,
                                  const json::Object& arguments) {
  if (operation == "get") return cairn::fail(cairn::Code::kKeyNotFound, "there is no such key");
  return json::Value(arguments);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const auto arguments = json::parse(R"({"list":[1,2.5,"x",null,[],{}],"text":"a b c"})");
  const script::Handle handles[] = {{"a", {"get", "echo"}}};
  const cairn::SystemClock clock;
  const script::Limits limits{.memory = 1 << 20,
                              .instructions = 200'000,
                              .time = std::chrono::milliseconds(200),
                              .output = 2000,
                              .log = 500};
  const auto begin = clock.monotonic();
  const auto outcome = script::run(source, *arguments, handles, answer, clock, limits);
  require(clock.monotonic() - begin < std::chrono::seconds(5));
  if (!outcome) {
    require(cairn::valid_utf8(outcome.error().message));
    require(outcome.error().code == cairn::Code::kScriptError ||
            outcome.error().code == cairn::Code::kScriptLimit);
    return 0;
  }
  require(script::check(source).has_value());
  const auto text = json::write(outcome->value);
  require(text.size() <= limits.output && json::parse(text, {.max_depth = 200}).has_value());
  for (const auto& line : outcome->log) require(cairn::valid_utf8(line));
  return 0;
}
