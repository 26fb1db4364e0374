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

struct Route {
  http::Method method;
  std::string_view pattern;
  std::string_view tool;

  // Whether the other arguments are a JSON body, for a tool whose body is not bytes; else they are
  // in the query.
  bool takes_json() const {
    return method == http::Method::kPost || method == http::Method::kPatch;
  }
};

std::span<const Route> routes();

struct Match {
  const Route* route = nullptr;
  std::vector<std::pair<std::string_view, std::string>> parameters;  // without the realm
  std::string realm;
};

// A list of methods, as the header Allow has it: what can be got has a head, too.
std::string with_head(std::string methods);

// The route of a request. NOT_FOUND, or METHOD_NOT_ALLOWED with `allow`.
Result<Match> match(http::Method method, std::span<const std::string> segments);

// One pattern against a path; the values of its parameters.
std::optional<std::vector<std::pair<std::string_view, std::string>>> match_pattern(
    std::string_view pattern, std::span<const std::string> segments);

}  // namespace cairn::rest
