// Scopes: what an OAuth client may do with what it sees. Reading is always among them.
//
//   cas:read      reading: a delegate that may do nothing else
//   cas:write     writing, which needs reading: canUpload
//   depot:manage  making and removing depots: canManageDepot; never asked for by itself
//
// Threads  values and plain functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn::oauth {

struct Scopes {
  bool write = false;
  bool manage = false;

  // `cas:read cas:write`
  std::string render() const;
  bool covers(const Scopes& other) const {
    return (write || !other.write) && (manage || !other.manage);
  }
  bool operator==(const Scopes&) const = default;
};

// What is asked for by whoever names no scope, and what the metadata announces.
inline constexpr Scopes kBaseline{.write = true, .manage = false};

// What of a text is known. Those of OpenID are passed over; nothing: of the others none is known.
std::optional<Scopes> parse_scopes(std::string_view text);

}  // namespace cairn::oauth
