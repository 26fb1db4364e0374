// The form an expression is compiled to; private to the module's own sources.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "data/json/jmespath/functions.h"
#include "data/json/json.h"

namespace cairn::jmespath {

using NodeId = std::uint32_t;
// As a source: the current value. As what is applied to each element: the element itself.
inline constexpr NodeId kCurrent = 0xffff'ffff;

enum class Op : std::uint8_t {
  kLiteral,  // literals[first]
  kPath,     // steps[first, count] from `source`
  kChain,    // children[first, count], each on the outcome of the one before: a pipe
  kAnd,      // children[first, count]
  kOr,       // children[first, count]
  kNot,      // source
  kCompare,  // source, right
  kProject,  // right on each element of source
  kFlatten,  // right on each element of source, and on each of those that are arrays
  kFilter,   // right on each element of source for which `condition` holds
  kValues,   // right on the value of each member of source
  kSlice,    // right on each element of slices[first] of source
  kList,     // [a, b]: children[first, count]
  kRecord,   // {a: x, b: y}: entries[first, count], `names` different names
  kCall,     // function(children[first, count])
};

enum class Comparison : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual
};

struct Node {
  Op op = Op::kPath;
  Comparison comparison = Comparison::kEqual;
  Function function = Function::kAbs;
  std::uint16_t depth = 1;   // see Builder
  std::uint32_t offset = 0;  // in the text
  NodeId source = kCurrent;
  NodeId right = kCurrent;
  NodeId condition = kCurrent;
  std::uint32_t names = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// One `.name` or `[index]` of a path.
struct Step {
  const char* chars = nullptr;  // of the name; nullptr for an index
  std::int64_t number = 0;      // the size of the name, or the index

  bool is_index() const { return chars == nullptr; }
  std::string_view name() const { return {chars, static_cast<std::size_t>(number)}; }
};

struct Slice {
  std::optional<std::int64_t> begin;
  std::optional<std::int64_t> end;
  std::int64_t step = 1;
};

// One `name: value`. Of two with one name, the later value stands at the place of the first.
struct Entry {
  std::string_view name;
  NodeId value = kCurrent;
  std::uint32_t place = 0;
};

// The tree is flat and nothing in it owns another part: nothing recurses when it is dropped.
// A short one is a single piece of memory.
struct Program {
  std::string text;
  std::vector<std::string> names;  // quoted ones, decoded
  std::vector<json::Value> literals;
  boost::container::small_vector<Node, 8> nodes;
  boost::container::small_vector<NodeId, 8> children;
  boost::container::small_vector<Step, 8> steps;
  std::vector<Slice> slices;
  std::vector<Entry> entries;
  NodeId root = kCurrent;
};

}  // namespace cairn::jmespath
