// A page of a list: as many rows as were asked for, and as an answer has room for.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tools/executor/arguments.h"
#include "tools/executor/call.h"
#include "tools/executor/tool.h"

namespace cairn {

struct RowPage {
  json::Array rows;
  std::optional<std::string> next_cursor;
};

// `{name: rows, nextCursor}` for the arguments `limit` and `cursor`. A page that is too long is
// read again with fewer rows, so that the cursor is that of the last one shown.
Result<Reply> list_page(
    const Call& call, const Arguments& arguments, std::string_view name,
    const std::function<Result<RowPage>(std::size_t limit, std::optional<std::string_view> cursor)>&
        read);

// The rows of a page of `Page`, each rendered.
template <typename Page, typename Rows, typename Render>
RowPage rendered(Page page, Rows Page::* rows, Render render) {
  RowPage out{{}, std::move(page.next_cursor)};
  for (const auto& row : page.*rows) out.rows.emplace_back(render(row));
  return out;
}

}  // namespace cairn
