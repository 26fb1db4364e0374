// A glob as npm's minimatch reads it with {dot: true}: the dialect of file tools that other
// programs already speak.
//
//   *        any run of characters, but not '/'      **        as a whole segment: zero or more
//   ?        one character                           {a,b}     either; nests; {1..9..2}, {a..e}
//   [a-z_]   one character of a set                  ?(a|b)    none or one of them; also *(…),
//   [!a-z]   one not of it ([^…] too)                          +(…), @(…)
//   [[:alpha:]] and other classes                    !(a|b)    anything but these
//   \x       the character x itself                  !pattern  what the pattern does not match
//
// The whole path has to match (`*.ts` is a file of the root; Glob has other rules). Hidden files
// are files. '.' and '..' are matched by themselves only. A pattern that starts with '#' is a
// comment, which nothing matches; the empty pattern matches the empty path. What is not closed
// stands for itself. Case matters.
//
// minimatch is followed into its corners; where it fails or takes an escaped character for an
// operator, that character stands for itself. tests/workspace/minimatch lists the differences.
//
// Threads     immutable; copies share their program, use them anywhere.
// Fails with  INVALID_PATTERN: not UTF-8, or beyond a limit; the message says which.
// Cost        parse: what the braces expand to, which is limited. matches: at most that times the
//             length of the path.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn {

class ShellGlob final {
 public:
  static constexpr std::size_t kMaxBytes = 4096;
  // What braces may expand to: so many alternatives, of so many bytes together.
  static constexpr std::size_t kMaxAlternatives = 1000;
  static constexpr std::size_t kMaxExpandedBytes = 65536;
  static constexpr int kMaxBraceDepth = 32;
  static constexpr int kMaxGroupDepth = 32;
  // A `!(…)` also looks at what follows it: so many characters may be looked at again.
  static constexpr std::size_t kMaxRepeatedCharacters = 65536;

  static Result<ShellGlob> parse(std::string_view pattern);

  // `path` is relative and '/'-separated ("src/a.ts"). Characters are counted as JavaScript does:
  // one above U+FFFF is two for `?`. A byte that is not UTF-8 is one, listed in no set.
  bool matches(std::string_view path) const;

  // False only if no path of nonempty names at any depth below the directory `dir` ("" is the root)
  // can match: a walk need not enter it.
  bool may_match_below(std::string_view dir) const;

  const std::string& pattern() const;

  bool operator==(const ShellGlob& other) const { return pattern() == other.pattern(); }

 private:
  struct Program;
  explicit ShellGlob(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const Program> program_;
};

}  // namespace cairn
