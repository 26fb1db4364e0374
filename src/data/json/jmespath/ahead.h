// Brings the next elements of an array into the cache while one is looked at; private to the
// module's own sources.
//
// Threads     one at a time, like the search it belongs to.
#pragma once

#include <array>
#include <cstdint>

#include "data/json/jmespath/item.h"
#include "data/json/jmespath/program.h"

namespace cairn::jmespath {

// For expressions that are applied to every element of an array. An object, the names of its
// members and what these are lie in different places; without it, each element waits for one after
// the other. It reads what the document has and changes nothing.
class Ahead final {
 public:
  // `hints` is where the member of each step was in the object before.
  Ahead(const Program& program, const std::uint32_t* hints, Elements elements)
      : program_(program), hints_(hints), elements_(elements) {}

  // Looks for the members that this expression wants of an element.
  void wants(NodeId expression);

  // Call it before element i is looked at.
  void at(std::size_t i) const {
    if (i + kFar < elements_.size()) far(i + kFar);
    if (i + kNear < elements_.size()) near(i + kNear);
  }

 private:
  static constexpr std::size_t kFar = 8;
  static constexpr std::size_t kNear = 4;
  static constexpr std::size_t kMostNodes = 64;

  void want_children(const Node& node);
  void far(std::size_t i) const;
  void near(std::size_t i) const;

  const Program& program_;
  const std::uint32_t* hints_;
  Elements elements_;
  std::array<std::uint32_t, 32> steps_{};
  std::size_t count_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace cairn::jmespath
