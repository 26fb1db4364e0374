// A glob: the pattern by which find, grep and filters name files.
//
//   *        any run of characters, but not '/'      **       as a whole segment: zero or more
//   ?        one character, but not '/'                       segments; inside one, the same as *
//   [a-z_]   one character of a set                  {a,b/c}  either; nests
//   [!a-z]   one character not of it ([^…] too)      \x       the character x itself
//
// An alternative without '/' matches the last component at any depth (`*.ts`); with '/' the whole
// path (`src/*.ts`); a leading '/' anchors to the root (`/a.txt`). `a/**` matches `a` too. Case
// matters. A set never matches '/'.
//
// Invariants  a Glob can match something, save for sets that hold only '/'; pattern() is valid
//             UTF-8.
// Threads     immutable; copies share their program, use them anywhere.
// Fails with  INVALID_PATTERN: the message has position and reason, the detail `position` counts
//             characters from 1.
// Cost        parse: the pattern's length times its brace expansions, both limited. matches: at
//             most the length of the expansion times that of the path; in practice the path's.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn {

class Glob final {
 public:
  static constexpr std::size_t kMaxBytes = 4096;
  // Limits of brace expansion: so many alternatives, of so many characters together.
  static constexpr std::size_t kMaxAlternatives = 1000;
  static constexpr std::size_t kMaxExpandedCharacters = 65536;
  static constexpr int kMaxBraceDepth = 32;

  static Result<Glob> parse(std::string_view pattern);

  // `path` is relative and '/'-separated ("src/a.ts"). The root ("") has no name: nothing matches
  // it. A byte that is not UTF-8 counts as one character, listed in no set.
  bool matches(std::string_view path) const;

  // False only if nothing at any depth below the directory `dir` ("" is the root) can match: a walk
  // need not enter it.
  bool may_match_below(std::string_view dir) const;

  const std::string& pattern() const;

  bool operator==(const Glob& other) const { return pattern() == other.pattern(); }

 private:
  struct Program;
  explicit Glob(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const Program> program_;
};

}  // namespace cairn
