// JSON (RFC 8259) as a tree of spans over its source, for comparing documents and for changing one
// in place: whoever replaces a span leaves every other byte as it was.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace cairn {

// One parsed document.
//
// Invariants  nodes are in the order of the source, a parent before its children, the root at 0;
//             member names within one object are unique once decoded.
// Lifetime    views the source, which must outlive it; moves, does not copy.
// Threads     immutable after parse(); share freely.
class JsonText final {
 public:
  enum class Kind : std::uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };

  using Index = std::uint32_t;

  // Bytes [begin, end) of the source.
  struct Span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  struct Node {
    Kind kind = Kind::kNull;
    Index parent = 0;
    Index next = 0;           // one past its last descendant: its next sibling, if it has one
    Span span{};              // the value, without white space around it
    Span key{};               // of a member: its name with the quotes
    std::string_view name{};  // of a member: its name, decoded
  };

  static constexpr unsigned kMaxDepth = 512;

  // Strict: no comments, trailing commas, byte order mark, duplicate names, lone surrogates,
  // control characters in strings or invalid UTF-8; arrays and objects at most `max_depth` deep.
  //
  // Fails with  INVALID_ARGUMENT and what is wrong where; details `line` and `column` from 1.
  // Costs       n log n in the members of an object, otherwise linear; recursion of `max_depth`.
  static Result<JsonText> parse(ByteView source, unsigned max_depth = kMaxDepth);

  JsonText(JsonText&&) = default;
  JsonText& operator=(JsonText&&) = default;

  ByteView source() const { return source_; }
  Index size() const { return static_cast<Index>(nodes_.size()); }
  const Node& operator[](Index i) const { return nodes_[i]; }

  ByteView slice(Span span) const { return source_.substr(span.begin, span.end - span.begin); }
  // The value as it is written.
  ByteView lexeme(Index i) const { return slice(nodes_[i].span); }

  // Elements or members in order; none for a scalar.
  std::vector<Index> children(Index i) const;
  // Looks through all members.
  std::optional<Index> member(Index object, std::string_view name) const;
  // The decoded string. REQUIRES: the node is a string.
  std::string string_value(Index i) const;

 private:
  friend class JsonParser;
  explicit JsonText(ByteView source) : source_(source) {}

  ByteView source_;
  std::vector<Node> nodes_;
  std::deque<std::string> decoded_names_;  // those that are not spelled as they read
};

// The one spelling of a number's exact decimal value: `1`, `1.0` and `10e-1` give the same. As long
// as the lexeme, however large the exponent. REQUIRES: a number of JSON.
std::string canonical_number(ByteView lexeme);

}  // namespace cairn
