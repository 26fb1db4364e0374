// Proof Key for Code Exchange (RFC 7636), S256 only: whoever trades a code in shows that they began
// the request.
//
// Threads  plain functions of their arguments.
#pragma once

#include <string>
#include <string_view>

namespace cairn::oauth {

// 43 characters of base64url: what SHA-256 gives.
bool is_challenge(std::string_view text);
// 43 to 128 unreserved characters.
bool is_verifier(std::string_view text);
std::string challenge_of(std::string_view verifier);
// In constant time.
bool proves(std::string_view verifier, std::string_view challenge);

std::string base64url(std::string_view bytes);

}  // namespace cairn::oauth
