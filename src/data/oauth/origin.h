// Origin: where this server is, as its clients see it: `https://cairn.example`. It is the issuer of
// RFC 8414, and all other addresses that clients are told begin with it, byte for byte.
//
// Invariants  scheme, host and a port that is not the scheme's own; lower case, no slash at the
// end. Threads     immutable; share it freely.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::oauth {

class Origin final {
 public:
  // INVALID_ARGUMENT for what is no origin. A slash at the end and the scheme's own port are left
  // out.
  static Result<Origin> parse(std::string_view text);

  const std::string& text() const { return text_; }
  bool is_https() const { return text_.starts_with("https:"); }
  // Of this machine only.
  bool is_loopback() const;
  // With a path behind it, which begins with a slash.
  std::string at(std::string_view path) const { return text_ + std::string(path); }

  bool operator==(const Origin&) const = default;

 private:
  explicit Origin(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// A host that names this machine: localhost, 127.0.0.1 or [::1], as URLs have it.
bool is_loopback_host(std::string_view host);

}  // namespace cairn::oauth
