// Answers that come in pages.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string_view>

#include "exposure/client/client.h"
#include "tools/executor/arguments.h"

namespace cairn::client {

using VisitRow = std::function<Result<More>(const json::Object& row)>;
using VisitPage = std::function<Result<More>(const json::Object& answer)>;

// Calls a tool again with nextCursor until there is none, or the visitor has seen enough.
Result<void> for_each_page(Client& client, std::string_view tool, json::Object arguments,
                           const VisitPage& visit);
// The same by the rows of the member `rows`.
Result<void> for_each(Client& client, std::string_view tool, json::Object arguments,
                      std::string_view rows, const VisitRow& visit);
// All pages as one answer, with at most so many rows.
Result<json::Value> collect(Client& client, std::string_view tool, json::Object arguments,
                            std::string_view rows,
                            std::size_t most = std::numeric_limits<std::size_t>::max());

// The member, when it is a list of objects; empty otherwise.
const json::Array& rows_of(const json::Object& answer, std::string_view name);
// The member, when it is an object; empty otherwise.
const json::Object& object_of(const json::Object& answer, std::string_view name);

}  // namespace cairn::client
