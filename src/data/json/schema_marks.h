// The marks that unevaluatedItems and unevaluatedProperties need; private to the schema's sources.
//
// Threads     one at a time: a check's own.
#pragma once

#include <cstddef>
#include <vector>

namespace cairn::json {

// Which elements or members of one instance some subschema has looked at.
class Marks {
 public:
  void add(std::size_t i) {
    if (i >= marks_.size()) marks_.resize(i + 1);
    marks_[i] = true;
  }
  void add(const Marks& other) {
    for (std::size_t i = 0; i < other.marks_.size(); ++i) {
      if (other.marks_[i]) add(i);
    }
  }
  bool has(std::size_t i) const { return i < marks_.size() && marks_[i]; }

 private:
  std::vector<bool> marks_;
};

}  // namespace cairn::json
