// The groups of a segment, such as `a+(b|!(c))`, as a tree.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::shell_glob {

// Follows how minimatch builds and rebuilds its own, even where that is odd: it decides which names
// match.
class Tree final {
 public:
  using Id = std::size_t;
  static constexpr Id kNone = static_cast<Id>(-1);

  // Of a list: text and groups, in turn. Of a group: its alternatives, which are lists.
  struct Piece {
    std::u32string text;
    Id node = kNone;

    bool is_text() const { return node == kNone; }
  };

  // A list (type 0) or a group.
  struct Node {
    char type = 0;
    Id parent = kNone;
    std::size_t index = 0;    // among the pieces of the parent, where it was first put
    std::size_t pieces = 0;   // which two nodes can have in common
    bool ends_empty = false;  // a group whose last alternative ends with nothing or a group
  };

  // Reads the groups, makes one of two where that means the same, and appends to each `!(…)` what
  // follows it. `repeated` counts the characters that took.
  // Fails with INVALID_PATTERN, as read_segment() says.
  static Result<Tree> parse(std::u32string_view text, std::size_t& repeated);

  // The list that is the whole segment.
  static constexpr Id kRoot = 0;

  Node& at(Id id) { return nodes_[id]; }
  const Node& at(Id id) const { return nodes_[id]; }
  std::vector<Piece>& pieces(Id id) { return pieces_[nodes_[id].pieces]; }
  const std::vector<Piece>& pieces(Id id) const { return pieces_[nodes_[id].pieces]; }

  // Whether a match of the node begins where the name does. Negations before it are no hindrance.
  bool is_start(Id id) const;
  // Whether it ends where the name does.
  bool is_end(Id id) const;

  Id create(char type, Id parent);
  void add(Id id, std::u32string text);
  void add(Id id, Id child);

 private:
  Tree() { create(0, kNone); }

  std::vector<Node> nodes_;
  std::vector<std::vector<Piece>> pieces_;
};

}  // namespace cairn::shell_glob
