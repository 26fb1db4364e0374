// Any text parses or is refused with a message that can be shown; what was parsed is valid UTF-8
// and survives writing, also prettily. Any value compiles as a schema or is refused, and a compiled
// schema answers for any value.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "data/json/compare.h"
#include "data/json/json.h"
#include "data/json/schema.h"

namespace {

namespace json = cairn::json;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_written(const json::Value& value) {
  const auto written = json::write(value);
  const auto again = json::parse(written);
  require(again && *again == value);
  require(json::write(*again) == written);
  require(json::same(*again, value));
  const auto pretty = json::parse(json::write_pretty(value));
  require(pretty && json::write(*pretty) == written);
}

void check_schema(const json::Value& value) {
  const auto schema = json::Schema::compile(value);
  if (!schema) {
    require(cairn::valid_utf8(schema.error().message));
    return;
  }
  for (const auto& instance : {value, json::Value("x"), json::Value(json::Array{value, 1, 1.5})}) {
    const auto checked = schema->check(instance);
    if (!checked) require(cairn::valid_utf8(checked.error().message));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = json::parse(text);
  if (!value) {
    require(cairn::valid_utf8(value.error().message));
    return 0;
  }
  require(cairn::valid_utf8(text));
  check_written(*value);
  check_schema(*value);
  return 0;
}
