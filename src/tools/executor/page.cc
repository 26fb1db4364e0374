#include "tools/executor/page.h"

#include <cstddef>
#include <utility>

#include "tools/executor/render.h"

namespace cairn {

Result<Reply> list_page(
    const Call& call, const Arguments& arguments, std::string_view name,
    const std::function<Result<RowPage>(std::size_t limit, std::optional<std::string_view> cursor)>&
        read) {
  constexpr std::int64_t kUsual = 100;
  const auto cursor = arguments.maybe_text("cursor");
  auto page = TRY(read(static_cast<std::size_t>(arguments.number("limit", kUsual)), cursor));
  if (const auto fits = fitting(call, page.rows); fits < page.rows.size()) {
    page = TRY(read(fits, cursor));
  }
  json::Object out;
  out[name] = std::move(page.rows);
  out["nextCursor"] = or_null(page.next_cursor);
  return Reply(std::move(out));
}

}  // namespace cairn
