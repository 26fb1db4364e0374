#include <algorithm>
#include <charconv>
#include <string>

#include "exposure/mcp/service.h"

namespace cairn::mcp {

// A cursor is the number of items before the page: lists are stable while nothing changes.
Rpc<Page> page_of(const json::Array& items, std::string_view cursor, std::size_t size,
                  Caching caching) {
  std::size_t from = 0;
  if (!cursor.empty()) {
    const char* end = cursor.data() + cursor.size();
    const auto [read, error] = std::from_chars(cursor.data(), end, from);
    if (error != std::errc() || read != end || from > items.size()) {
      return rpc_fail(rpc_code::kInvalidParams,
                      "the cursor is not one this server gave; ask without one for the first page");
    }
  }
  const std::size_t to = std::min(items.size(), from + size);
  Page page;
  page.caching = caching;
  page.items = json::Array(items.begin() + from, items.begin() + to);
  if (to < items.size()) page.next_cursor = std::to_string(to);
  return page;
}

}  // namespace cairn::mcp
