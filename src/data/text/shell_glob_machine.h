// What a segment of a ShellGlob was read as, and the machine that matches a name against it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "data/text/shell_glob_set.h"

namespace cairn::shell_glob {

struct Item;
using Sequence = std::vector<Item>;

struct Item {
  enum class Kind {
    kCharacter,
    kAny,      // one character
    kRun,      // any number of them
    kSet,      // one of a set
    kNever,    // nothing
    kNotDots,  // no character, unless the whole name is "." or ".."
    kGroup,    // `type`(alternatives)
  };
  Kind kind;
  char32_t code = 0;
  std::shared_ptr<const Set> set = {};
  char type = 0;                            // ? * + @ !
  std::vector<Sequence> alternatives = {};  // of a `!`: with all that may follow it in the name
};

// A nondeterministic automaton that reads a name from its end to its start. A `!` asks whether the
// rest of the name is something; in this direction the rest has been read already, by a machine
// that ran beside.
//
// Threads     immutable.
// Cost        matches: the size of the sequence times the length of the name.
class Machine final {
 public:
  explicit Machine(const Sequence& sequence);

  bool matches(std::u32string_view name) const;

 private:
  friend class MachineWriter;
  friend class MachineRun;

  struct Step {
    enum class Kind { kCharacter, kAny, kSet, kNever, kNotDots, kSplit, kJump, kUnless, kAccept };
    Kind kind;
    char32_t code = 0;
    std::shared_ptr<const Set> set = {};
    std::size_t target = 0;  // of kSplit and kJump a step, of kUnless a part
  };
  using Part = std::vector<Step>;

  std::vector<Part> parts_;  // each uses only those before it; the last is the whole
};

}  // namespace cairn::shell_glob
