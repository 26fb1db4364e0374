// How the schema's sources speak of values and places; private to them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/json/json.h"
#include "data/json/schema_rules.h"

namespace cairn::json {

// The way from the whole instance to a part of it, on the stack of the function that walks there.
struct InstancePath {
  const InstancePath* parent = nullptr;  // none: the whole
  std::string_view name{};
  std::optional<std::size_t> index{};

  InstancePath member(std::string_view key) const { return {this, key, {}}; }
  InstancePath element(std::size_t i) const { return {this, {}, i}; }

  // `edits[2].old`; empty for the whole.
  std::string render() const;
  // `'edits[2].old'`, or `the value`.
  std::string quoted() const;
};

// Why an instance does not fit: `FACT; it should EXPECTED`, or the fact alone.
struct Problem {
  std::string argument;
  std::string fact;
  std::string expected{};

  std::string message() const;
  Error error() const;
};

// A value in a few words: `"ten"`, `12`, `an object`.
std::string brief(const Value& value);

// `be a string or null`
std::string expected_types(std::uint8_t types);
// `be one of "a", "b"`, and the nearest of them
std::string expected_values(const Array& values, const Value& instance);

// Of a member that is not allowed, with the names that are.
Problem unknown_member(const InstancePath& path, std::string_view key, const Rule& rule);
// Of an instance for which every one of the alternatives has a problem.
Problem no_alternative(const InstancePath& path, const std::vector<Problem>& problems);

}  // namespace cairn::json
