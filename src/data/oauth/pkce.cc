#include "data/oauth/pkce.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/sha256.h"

namespace cairn::oauth {

std::string base64url(std::string_view bytes) {
  auto out = base64_encode(bytes);
  for (char& c : out) {
    if (c == '+') c = '-';
    if (c == '/') c = '_';
  }
  out.erase(std::min(out.find('='), out.size()));
  return out;
}

bool is_challenge(std::string_view text) {
  return text.size() == 43 && std::ranges::all_of(text, [](char c) {
           return is_alphanumeric(c) || c == '-' || c == '_';
         });
}

bool is_verifier(std::string_view text) {
  return text.size() >= 43 && text.size() <= 128 && std::ranges::all_of(text, [](char c) {
           return is_alphanumeric(c) || std::string_view("-._~").contains(c);
         });
}

std::string challenge_of(std::string_view verifier) {
  const auto digest = sha256(verifier);
  return base64url({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

bool proves(std::string_view verifier, std::string_view challenge) {
  return is_verifier(verifier) && same_secret(challenge_of(verifier), challenge);
}

}  // namespace cairn::oauth
