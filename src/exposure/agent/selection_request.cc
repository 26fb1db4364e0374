#include "exposure/agent/selection_request.h"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>

#include "base/quote.h"

namespace cairn::agent {
namespace {

std::optional<std::string> either(const HeaderLookup& header, const http::Query& query,
                                  std::string_view name) {
  if (const auto given = query.get(name)) return std::string(*given);
  const auto value = header("x-cairn-" + std::string(name));
  if (value.data() == nullptr) return std::nullopt;
  return std::string(value);
}

// A misspelt name would otherwise offer more than was meant.
Result<void> check_names(const http::Query& query) {
  static constexpr std::array<std::string_view, 4> kNames = {"toolsets", "tools", "exclude-tools",
                                                             "read-only"};
  for (const auto& [name, value] : query.entries()) {
    if (std::ranges::find(kNames, name) != kNames.end()) continue;
    return fail(Code::kInvalidArgument, "the query has '{}'; it may have {}", shown(name),
                fmt::join(kNames, ", "));
  }
  return {};
}

}  // namespace

Result<SelectionRequest> selection_of(const HeaderLookup& header, const http::Query& query) {
  TRY(check_names(query));
  SelectionRequest out;
  out.toolsets = either(header, query, "toolsets");
  out.tools = either(header, query, "tools");
  out.exclude_tools = either(header, query, "exclude-tools");
  const auto read_only = either(header, query, "read-only");
  if (!read_only || *read_only == "false" || *read_only == "0") return out;
  if (*read_only != "true" && *read_only != "1" && !read_only->empty()) {
    return fail(Code::kInvalidArgument, "read-only is '{}'; it should be true or false",
                shown(*read_only));
  }
  out.read_only = true;
  return out;
}

}  // namespace cairn::agent
