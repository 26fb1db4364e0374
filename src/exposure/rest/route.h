// The route table of the REST surface: which request is which tool.
//
// A pattern's segments are literals, `{name}` for one segment, or a last `{name...}` for the rest.
// What stands in a segment becomes the argument of that name; `{realm}` is whose realm is meant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exposure/http/http.h"

namespace cairn::rest {

// Where the other arguments come from.
enum class Body {
  kNone,    // the query
  kJson,    // a JSON object
  kBytes,   // the query; the body is a node
  kStream,  // the query; the body is a file of any size
};

struct Route {
  http::Method method;
  std::string_view pattern;
  std::string_view tool;
  Body body = Body::kNone;
};

std::span<const Route> routes();

struct Match {
  const Route* route = nullptr;
  std::vector<std::pair<std::string_view, std::string>> parameters;  // without the realm
  std::string realm;
};

// The route of a request. NOT_FOUND, or METHOD_NOT_ALLOWED with `allow`.
Result<Match> match(http::Method method, std::span<const std::string> segments);

// One pattern against a path; the values of its parameters.
std::optional<std::vector<std::pair<std::string_view, std::string>>> match_pattern(
    std::string_view pattern, std::span<const std::string> segments);

}  // namespace cairn::rest
