// A glob as npm's minimatch reads it with {dot: true}: the dialect of file tools that other
// programs already speak.
//
//   *        any run of characters, but not '/'      **        as a whole segment: zero or more
//   ?        one character                           {a,b}     either; nests; {1..9..2}, {a..e}
//   [a-z_]   one character of a set                  ?(a|b)    none or one of them; also *(…),
//   [!a-z]   one not of it ([^…] too)                          +(…), @(…)
//   [[:alpha:]] and other classes                    !(a|b)    anything but these, once
//   \x       the character x itself                  !pattern  what the pattern does not match
//
// The whole path has to match (`*.ts` is a file of the root; Glob has other rules). Hidden files
// are files. A pattern that starts with '#' is a comment, which nothing matches. What is not closed
// stands for itself. Case matters.
//
// As minimatch does, it writes the pattern as a regular expression; ours is RE2's, so that no
// pattern takes long. RE2 cannot say `!(…)`, which is put together from three expressions: one of
// them may stand in each alternative of the braces, and in no other group.
// tests/workspace/minimatch lists where the two differ.
//
// Threads     immutable; copies share their program, use them anywhere.
// Fails with  INVALID_PATTERN: not UTF-8, or beyond a limit; the message says which.
// Cost        parse: what the braces expand to, which is limited. matches: the length of the path,
//             times itself for a `!(…)`.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace cairn {

class ShellGlob final {
 public:
  static constexpr std::size_t kMaxBytes = 4096;
  // Limits of brace expansion: so many alternatives, of so many bytes together.
  static constexpr std::size_t kMaxAlternatives = 1000;
  static constexpr std::size_t kMaxExpandedBytes = 65536;
  // In all of them: classes such as [:alpha:], which are large, and `!(…)`.
  static constexpr std::size_t kMaxClasses = 256;
  static constexpr std::size_t kMaxNegations = 32;
  static constexpr int kMaxBraceDepth = 32;
  static constexpr int kMaxGroupDepth = 32;

  static Result<ShellGlob> parse(std::string_view pattern);

  // A byte of the path that is not UTF-8 is read as U+FFFD. A character above U+FFFF is two for `?`
  // and sets, as in JavaScript, unless the pattern has a class such as [:alpha:].
  // REQUIRES: `path` is relative; its names are not empty, "." or "..".
  bool matches(std::string_view path) const;

 private:
  struct Program;
  explicit ShellGlob(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const Program> program_;
};

}  // namespace cairn
