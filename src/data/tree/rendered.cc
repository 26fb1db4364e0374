#include "data/tree/rendered.h"

#include "base/quote.h"

namespace cairn {

std::size_t digits(std::uint64_t number) {
  std::size_t count = 1;
  for (; number >= 10; number /= 10) ++count;
  return count;
}

std::int64_t row_bytes(std::size_t label, const Entry& entry, const Rendering& rendering) {
  auto bytes = label + rendering.key_bytes;
  if (entry.is_dir()) {
    bytes += std::string_view(R"({"type":"dir","key":"","childCount":},)").size();
    bytes += digits(entry.children);
  } else {
    bytes += std::string_view(R"({"type":"file","key":"","size":,"contentType":""},)").size();
    bytes += digits(entry.bytes) + json_bytes(entry.type);
  }
  return static_cast<std::int64_t>(bytes);
}

std::int64_t branch_bytes(std::string_view name, const EntryValue& value,
                          const Rendering& rendering) {
  auto bytes = json_bytes(name) + rendering.key_bytes;
  if (value.kind == Kind::kDict) {
    // Collapsed or with its children: `"children":{}` takes a byte or two less.
    bytes += std::string_view(R"("":{"hash":"","kind":"dir","count":,"collapsed":true},)").size();
    bytes += digits(value.children);
  } else {
    bytes += std::string_view(R"("":{"hash":"","kind":"file","type":"","size":},)").size();
    bytes += digits(value.bytes) + json_bytes(value.type);
  }
  return static_cast<std::int64_t>(bytes);
}

}  // namespace cairn
