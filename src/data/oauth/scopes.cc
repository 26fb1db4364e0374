#include "data/oauth/scopes.h"

#include <algorithm>

namespace cairn::oauth {
namespace {

// Libraries ask for these by themselves.
bool is_passed_over(std::string_view word) {
  return word == "openid" || word == "profile" || word == "email" || word == "offline_access";
}

}  // namespace

std::string Scopes::render() const {
  std::string out = "cas:read";
  if (write) out += " cas:write";
  if (manage) out += " depot:manage";
  return out;
}

std::optional<Scopes> parse_scopes(std::string_view text) {
  Scopes out;
  bool known = false;
  bool strange = false;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word == "cas:read") {
      known = true;
    } else if (word == "cas:write") {
      known = out.write = true;
    } else if (word == "depot:manage") {
      known = out.manage = true;
    } else if (!word.empty() && !is_passed_over(word)) {
      strange = true;
    }
  }
  if (known) return out;
  // What was asked for is only what everybody may leave out: the same as nothing.
  return strange ? std::nullopt : std::optional(kBaseline);
}

}  // namespace cairn::oauth
