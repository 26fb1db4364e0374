// Input: base, ours and theirs, with NUL between them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "data/text/json_merge.h"
#include "data/text/json_text.h"
#include "data/text/text_merge.h"
#include "data/text/unified_diff.h"

namespace {

using cairn::Bytes;
using cairn::ByteView;
using cairn::JsonText;

void require(bool holds) {
  if (!holds) std::abort();
}

ByteView take_field(ByteView& input) {
  const auto field = input.substr(0, input.find('\0'));
  input.remove_prefix(field.size() < input.size() ? field.size() + 1 : field.size());
  return field;
}

void check_text(ByteView base, ByteView ours, ByteView theirs) {
  require(cairn::merge_text(base, ours, base) == ours);
  require(cairn::merge_text(base, base, ours) == ours);
  require(cairn::merge_text(base, ours, ours) == ours);
  require(cairn::merge_text(base, ours, theirs) == cairn::merge_text(base, theirs, ours));
  require(cairn::unified_diff(base, ours, {}).empty() == (base == ours));
}

bool same_value(ByteView a, ByteView b) {
  const auto left = JsonText::parse(a);
  const auto right = JsonText::parse(b);
  require(left && right);
  cairn::JsonValues values;
  return values.number(*left)[0] == values.number(*right)[0];
}

void check_json(ByteView base, ByteView ours, ByteView theirs) {
  const auto merged = cairn::merge_json(base, ours, theirs);
  const auto swapped = cairn::merge_json(base, theirs, ours);
  require(merged.has_value() == swapped.has_value());
  if (merged) require(same_value(*merged, *swapped));
  if (!JsonText::parse(base) || !JsonText::parse(ours)) return;
  require(cairn::merge_json(base, ours, base) == ours);
  require(cairn::merge_json(base, base, ours) == ours);
  require(cairn::merge_json(base, ours, ours) == ours);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteView input(reinterpret_cast<const char*>(data), size);
  const auto base = take_field(input);
  const auto ours = take_field(input);
  const auto theirs = take_field(input);
  check_text(base, ours, theirs);
  check_json(base, ours, theirs);
  return 0;
}
