#include "exposure/login/pkce.h"

#include "base/base64.h"
#include "base/sha256.h"

namespace cairn::login {

std::string base64url(ByteView bytes) {
  auto out = base64_encode(bytes);
  while (out.ends_with('=')) out.pop_back();
  for (char& c : out) {
    if (c == '+') c = '-';
    if (c == '/') c = '_';
  }
  return out;
}

std::string unguessable(Random& random) {
  constexpr std::size_t kBytes = 32;
  return base64url(random.bytes(kBytes));
}

std::string challenge_of(std::string_view verifier) {
  const auto digest = sha256(verifier);
  return base64url(Bytes(digest.begin(), digest.end()));
}

}  // namespace cairn::login
