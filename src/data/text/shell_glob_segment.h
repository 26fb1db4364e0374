// One segment of a ShellGlob, between two '/': a name has to match it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "data/text/shell_glob_machine.h"
#include "data/text/shell_glob_sequence.h"

namespace cairn::shell_glob {

// Threads     immutable; copies share their machine.
class Segment final {
 public:
  // Fails with what read_segment() does.
  static Result<Segment> parse(std::string_view text, Reading& reading);

  // `**`: any number of names, which is up to who holds the segment.
  bool is_any_depth() const { return kind_ == Kind::kAnyDepth; }

  // REQUIRES: !is_any_depth().
  bool matches(std::string_view name) const;

 private:
  enum class Kind { kAnyDepth, kText, kAnyName, kSuffix, kLength, kMachine };

  explicit Segment(Kind kind) : kind_(kind) {}

  Kind kind_;
  bool by_code_points_ = false;             // of kMachine
  std::size_t length_ = 0;                  // of kLength
  std::string text_;                        // of kText the name, of kSuffix and kLength its end
  std::shared_ptr<const Machine> machine_;  // of kMachine
};

}  // namespace cairn::shell_glob
