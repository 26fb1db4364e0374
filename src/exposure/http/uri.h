// Percent-encoding, query strings and paths of requests.
//
// Threads     values and plain functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cairn::http {

// Refuses escapes that are not two hex digits, and %00, with BAD_REQUEST. '+' stays '+'.
Result<std::string> percent_decode(std::string_view text);

// For one segment of a path: all but letters, digits and `-._~` is escaped.
std::string percent_encode(std::string_view text);

// The segments of a path that is still encoded, each decoded after the cut: an escaped slash stays
// inside its segment. A leading slash is not a segment; `/` has none, `/a/` has `a` and an empty
// one.
Result<std::vector<std::string>> split_path(std::string_view encoded_path);

// The part after the '?': names and values, decoded, in their order. '+' is a space here.
class Query final {
 public:
  // Fails with BAD_REQUEST on a bad escape and on a name that is given twice.
  static Result<Query> parse(std::string_view text);

  std::optional<std::string_view> get(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace cairn::http
