// Url: an absolute address taken apart, as strictly as registrations of OAuth clients want it: only
// printable ASCII, no blanks, no backslashes, nothing that programs read differently.
//
// Threads  values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cairn::oauth {

struct Url {
  std::string scheme;                 // lower case
  std::string host;                   // lower case; an IPv6 address in its brackets; may be empty
  std::optional<std::uint16_t> port;  // as it is written
  std::string path;                   // may be empty
  std::optional<std::string> query;   // without the '?'
  bool has_authority = false;         // `scheme://`
  bool has_user = false;              // `name@`
  bool has_fragment = false;

  // Nothing: it is no absolute URL.
  static std::optional<Url> parse(std::string_view text);

  // `host:port`, or the host.
  std::string place() const;
  // The port it is reached at; of another scheme than http and https: as it is written.
  std::optional<std::uint16_t> effective_port() const;
};

// With parameters put behind its query, or as its query.
std::string with_query(std::string_view url, std::string_view query);

}  // namespace cairn::oauth
