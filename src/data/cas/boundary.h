// Where a long list of children is cut into nodes.
//
// A cut depends only on the children since the last cut: on how many there are, and on bits of the
// last one's name (directories) or key (pieces of files). So the nodes of a list depend on its
// content and never on the order of edits, and an edit moves cuts only nearby.
#pragma once

#include <cstdint>
#include <string_view>

#include "data/cas/node_key.h"

namespace cairn {

// A well-mixed hash of a name: FNV-1a, finished with a 64-bit avalanche. Part of the format.
std::uint64_t name_hash(std::string_view name);

struct DictBoundary {
  static constexpr std::size_t kMin = 32;
  static constexpr std::size_t kMax = 512;
  static constexpr unsigned kBits = 6;

  // True when a node of this level ends after its count-th child, whose (last) name is `name`.
  static bool ends(unsigned level, std::size_t count, std::string_view name) {
    if (count < kMin) return false;
    if (count >= kMax) return true;
    return ((name_hash(name) >> (kBits * (level % 10))) & ((1U << kBits) - 1)) == 0;
  }
};

struct PieceBoundary {
  static constexpr std::size_t kMin = 8;
  static constexpr std::size_t kMax = 256;
  static constexpr unsigned kBits = 5;

  // The same for a node of pieces (level 1 and up) whose count-th piece is `key`.
  static bool ends(unsigned level, std::size_t count, const NodeKey& key) {
    if (count < kMin) return false;
    if (count >= kMax) return true;
    return ((key.word() >> (kBits * (level % 10))) & ((1U << kBits) - 1)) == 0;
  }
};

}  // namespace cairn
