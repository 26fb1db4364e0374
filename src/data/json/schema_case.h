// The values a proof speaks about; private to the schema's own sources.
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "data/json/schema_rules.h"

namespace cairn::json {

// Bits of Case::kinds. Unlike those of Rule::types they do not overlap.
enum KindBit : std::uint8_t {
  kNulls = 1,
  kBooleans = 2,
  kIntegers = 4,
  kFractions = 8,
  kStrings = 16,
  kArrays = 32,
  kObjects = 64,
  kNumbers = kIntegers | kFractions,
  kEveryKind = 127,
};

std::uint8_t kinds_of_types(std::uint8_t types);
std::uint8_t kind_of(const Value& value);

// One rule of one of the two schemas.
struct Node {
  const SchemaRules* schema = nullptr;
  RuleId id = 0;

  const Rule& rule() const { return schema->rules[id]; }
  Node other(RuleId sibling) const { return {schema, sibling}; }
  auto operator<=>(const Node&) const = default;
};

// A keyword that offers a choice; what has been chosen is in the case.
enum class Choice : std::uint8_t { kAnyOf, kOneOf, kIf };

// A set of values: those that fit all of some rules and none of some others, are of certain kinds,
// and, if objects, have certain members.
struct Case {
  std::vector<Node> all;
  std::vector<Node> none{};
  std::uint8_t kinds = kEveryKind;
  std::set<std::string, std::less<>> present{};
  std::set<std::pair<Node, Choice>> chosen{};
  std::string at{};  // where in the narrow schema they come from; no part of what they are

  std::strong_ordering compare(const Case& other) const;

  Case with(Node node) const;
  Case without(Node node) const;
  Case of_kind(std::uint8_t bits) const;
};

// Adds what the rules say in other words (`$ref`, `allOf`, `not`, dependent schemas of members that
// are present), and takes away the kinds that contradict them. The rules are sorted afterwards.
// False when that takes more than `steps`.
bool expand(Case& values, std::size_t& steps);

// The strictest of the counts in all rules.
Rule::Count least(const Case& values, Rule::Count Rule::* field);
Rule::Count most(const Case& values, Rule::Count Rule::* field);

struct Bound {
  Value value;
  bool exclusive = false;
};
std::optional<Bound> lower(const Case& values);
std::optional<Bound> upper(const Case& values);

// The names all objects of the case have.
std::set<std::string, std::less<>> required(const Case& values);

// All values, when the rules list them or they are a few integers. Some may not fit all rules.
std::optional<Array> listed(const Case& values);

// The case that an array's element at that place fits.
Case element(const Case& values, std::size_t i);
// From there on all elements fit the same.
std::size_t prefix_size(const Case& values);

}  // namespace cairn::json
