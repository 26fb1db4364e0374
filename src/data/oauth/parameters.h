// The parameters of an OAuth request, decoded, in their order, with those that came twice.
//
// Threads  plain functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cairn::oauth {

using Parameters = std::vector<std::pair<std::string, std::string>>;

// The first of this name; an empty one counts as left out (RFC 6749 section 3.1).
std::optional<std::string_view> parameter(const Parameters& all, std::string_view name);
std::vector<std::string_view> every_parameter(const Parameters& all, std::string_view name);
// A name that came twice, but for those that may.
std::optional<std::string_view> repeated(const Parameters& all, std::string_view but_for = {});

// `application/x-www-form-urlencoded`: a body, or the part of an address behind the '?'. Nothing:
// a bad escape, or a NUL.
std::optional<Parameters> parse_form(std::string_view text);
// One part of an address; '+' is itself. Nothing: a bad escape, or a NUL.
std::optional<std::string> percent_decoded(std::string_view text);
// A space becomes %20.
std::string write_form(const Parameters& all);
std::string form_encoded(std::string_view text);

}  // namespace cairn::oauth
