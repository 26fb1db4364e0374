#include "base/base64url.h"

#include <algorithm>

#include "base/base64.h"

namespace cairn {

std::string base64url_encode(ByteView bytes) {
  auto out = base64_encode(bytes);
  std::ranges::replace(out, '+', '-');
  std::ranges::replace(out, '/', '_');
  while (out.ends_with('=')) out.pop_back();
  return out;
}

std::optional<Bytes> base64url_decode(std::string_view text) {
  if (text.find_first_of("+/=") != std::string_view::npos) return std::nullopt;
  std::string standard(text);
  std::ranges::replace(standard, '-', '+');
  std::ranges::replace(standard, '_', '/');
  while (standard.size() % 4 != 0) standard.push_back('=');
  return base64_decode(standard);
}

}  // namespace cairn
