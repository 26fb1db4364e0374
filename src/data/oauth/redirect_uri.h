// RedirectUri: where a client has an answer sent to.
//
//   https://…                        exactly as it was registered
//   http://localhost, 127.0.0.1, [::1]   the same but for the port, which programs choose when they
//                                    run (RFC 8252 section 7.3)
//   cursor://…                       a program's own scheme, of a few that are known; exactly
//
// Threads     values; share them freely.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::oauth {

class RedirectUri final {
 public:
  enum class Kind : std::uint8_t { kHttps, kLoopback, kProgram };

  // INVALID_ARGUMENT, with what is wrong. `schemes`: of programs, beside those that are known.
  static Result<RedirectUri> parse(std::string_view text,
                                   const std::set<std::string>& schemes = {});

  Kind kind() const { return kind_; }
  const std::string& text() const { return text_; }
  // Where that is, for people: `host:port`, or `cursor://`.
  std::string place() const;
  // Whether this is where a client that registered `registered` may have its answer sent to.
  bool fits(const RedirectUri& registered) const;
  // As it is compared: of a loopback address without its port.
  std::string canonical() const;

  bool operator==(const RedirectUri&) const = default;

 private:
  RedirectUri(std::string text, Kind kind) : text_(std::move(text)), kind_(kind) {}
  std::string text_;
  Kind kind_;
};

// `my-editor`: of letters, digits, `+`, `-` and `.`, and none that a browser runs or reads itself.
Result<void> check_program_scheme(std::string_view scheme);

}  // namespace cairn::oauth
