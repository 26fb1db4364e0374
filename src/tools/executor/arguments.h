// The arguments of one call, after its tool's input schema has accepted them.
//
// Threads     one at a time; a view of an object that has to outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "data/json/json.h"

namespace cairn {

class Arguments final {
 public:
  explicit Arguments(const json::Object& object) : object_(object) {}
  // Of an object that is the call's own: what is taken of it is moved.
  explicit Arguments(json::Object& object) : object_(object), own_(&object) {}

  const json::Object& object() const { return object_; }
  bool has(std::string_view name) const { return object_.contains(name); }
  // An absent argument is empty, zero or false, unless a fallback is given.
  std::string_view text(std::string_view name) const;
  std::optional<std::string_view> maybe_text(std::string_view name) const;
  std::int64_t number(std::string_view name, std::int64_t fallback = 0) const;
  std::optional<std::int64_t> maybe_number(std::string_view name) const;
  bool flag(std::string_view name) const;
  // Absent or a list of texts.
  std::optional<std::vector<std::string>> texts(std::string_view name) const;
  // All of them, to be kept or handed on: without a copy where the object is the call's own, which
  // is empty then.
  json::Object take();

 private:
  const json::Object& object_;
  json::Object* own_ = nullptr;
};

}  // namespace cairn
