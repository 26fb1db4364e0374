// PKCE (RFC 7636) with S256, and the other random texts of a sign-in.
//
// Threads     plain functions of their arguments.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/random.h"

namespace cairn::login {

// Base64 for URLs, without padding.
std::string base64url(ByteView bytes);

// 43 characters of base64url: 256 bits. A verifier, or a state.
std::string unguessable(Random& random);

// What is sent first of a verifier, which is sent last.
std::string challenge_of(std::string_view verifier);

}  // namespace cairn::login
