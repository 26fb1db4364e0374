// Fields of a form, or of an address, that may come more than once.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cairn::pages {

class Fields final {
 public:
  // BAD_REQUEST for a bad escape.
  static Result<Fields> parse(std::string_view text);

  // The first of a name; empty when there is none.
  std::string_view get(std::string_view name) const;
  std::vector<std::string_view> all(std::string_view name) const;
  bool has(std::string_view name) const { return !all(name).empty(); }
  const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace cairn::pages
