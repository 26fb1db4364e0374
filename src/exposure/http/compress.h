// When an answer is sent compressed, and how.
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "exposure/http/http.h"

namespace cairn::http {

enum class Encoding { kIdentity, kGzip, kZstd };

// As Content-Encoding names it.
std::string_view name(Encoding encoding);

// The encoding that the client prefers by its Accept-Encoding; zstd when it likes both the same.
Encoding preferred_encoding(std::string_view accept_encoding);

// Whether this answer, whose whole body is at hand, is worth compressing for a client that asks for
// it.
bool worth_compressing(const Response& response, ByteView body);

// Empty when it would not become smaller. At fast levels: the time matters more than a percent.
Bytes compress(Encoding encoding, ByteView body);

}  // namespace cairn::http
