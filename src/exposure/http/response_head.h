// The head of an answer as bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "exposure/http/compress.h"
#include "exposure/http/http.h"

namespace cairn::http {

// The server's own decisions about an answer, beside what its Response says.
struct HeadChoices {
  std::string_view date;
  int minor_version = 1;  // of the request
  bool keep_alive = true;
  bool chunked = false;
  std::optional<std::uint64_t> length = {};
  bool vary = false;  // another Accept-Encoding could get other bytes
  Encoding encoding = Encoding::kIdentity;
};

// Appends the head with its blank line. Framing headers of the Response are left out: they are the
// server's to say. A line break in a header's value becomes a space.
void put_head(std::string& out, const Response& response, const HeadChoices& choices);

// An answer with this status never has a body.
bool bodiless(int status);

std::string_view reason(int status);

// `Sun, 06 Nov 1994 08:49:37 GMT`
std::string http_date(std::int64_t unix_seconds);

}  // namespace cairn::http
