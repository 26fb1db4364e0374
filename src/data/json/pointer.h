// JSON pointers (RFC 6901): the way to one value inside another.
//
// Threads     a value; share it freely as long as nobody changes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/json/json.h"

namespace cairn::json {

// A list of names and indices, kept decoded; parse() and render() are inverses. Empty is the whole
// document.
class Pointer final {
 public:
  // `/a/0/b~1c`, or nothing. Fails with INVALID_ARGUMENT.
  static Result<Pointer> parse(std::string_view text);

  Pointer() = default;

  std::string render() const;
  Pointer child(std::string_view token) const;
  const std::vector<std::string>& tokens() const { return tokens_; }

  bool operator==(const Pointer&) const = default;

 private:
  std::vector<std::string> tokens_;
};

// The value it leads to, or nullptr. `-`, the element after the last, leads nowhere.
const Value* get(const Value& document, const Pointer& pointer);

}  // namespace cairn::json
