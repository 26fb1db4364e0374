#include "data/endpoint/hidden_keys.h"

#include "base/base32.h"
#include "data/endpoint/endpoint.h"

namespace cairn {

std::string with_keys_hidden(std::string text) {
  constexpr auto kPrefix = EndpointKey::kPrefix;
  for (auto at = text.find(kPrefix); at != std::string::npos; at = text.find(kPrefix, at)) {
    auto end = at + kPrefix.size();
    while (end < text.size() && (base32_digit(text[end]) || text[end] == '_')) ++end;
    text.replace(at, end - at, "(key)");
  }
  return text;
}

}  // namespace cairn
