// Finding the lines of a text that match a pattern: the engine under grep.
//
// RE2's syntax and RE2's answer for each line on its own define what matches, without a defect that
// those before 2024 have (see keep_apart()); Hyperscan, where it is built in and takes the pattern,
// only finds the lines worth asking about. No back-references, no look-around.
//
//   Lines       end at `\n` or `\r\n`, which are not part of them; a last line needs no end, an
//               empty text has no lines. Nothing matches across lines: `^` and `$` are the ends of
//               each line, `\s` and `[^x]` never take its terminator.
//   Characters  are UTF-8. A byte that is not valid UTF-8 matches no character and no class, only
//               `\C`; what is around it is matched as ever. Only what has the form of UTF-8 without
//               being it (surrogates, overlong forms, U+110000 and on) may be in a class, as in
//               RE2.
//   Words       a whole-word match has no letter, digit or `_` of ASCII before or after it, as with
//               grep -w: other ends and later places in the line are tried.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>

#include "base/bytes.h"
#include "base/result.h"
#include "data/text/pattern_accelerator.h"

namespace cairn {

struct PatternOptions {
  bool regex = false;        // else the text as it stands
  bool ignore_case = false;  // by Unicode's simple folding, as RE2's (?i)
  bool whole_word = false;
  // How the caller is told to search for the text as it stands.
  std::string_view as_text = "set 'literal'";
};

// How to search, not what matches; for tests and benchmarks.
struct PatternTuning {
  // Bytes searched with RE2 alone before a Hyperscan database is worth its compilation.
  std::uint64_t accelerate_after = 1 << 20;
  // Search for plain text without either.
  bool literal_finder = true;
};

struct LineMatch {
  std::size_t begin, end;              // the line without its terminator
  std::uint64_t number;                // from 1
  std::size_t match_begin, match_end;  // the first match in it; offsets into the whole text

  bool operator==(const LineMatch&) const = default;
};

// A compiled pattern.
//
// Threads     immutable to its users, copies share their program; the first thread that finds the
//             text long enough compiles the accelerator while the others go on without.
// Fails with  INVALID_PATTERN: the message says what is wrong and what to do, the detail `position`
//             where, in characters from 1.
// Costs       linear in the text whatever the pattern; at most some 16 MiB of automaton states.
class Pattern final {
 public:
  static constexpr std::size_t kMaxBytes = 4096;

  static Result<Pattern> compile(std::string_view text, PatternOptions options,
                                 PatternTuning tuning = {});

  // Hyperscan has taken over.
  bool accelerated() const;

 private:
  friend class Searcher;
  struct Program;
  explicit Pattern(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const Program> program_;
};

// Searches texts for one pattern, one after another.
//
// Threads   one each. A search allocates nothing once warm.
class Searcher final {
 public:
  explicit Searcher(const Pattern& pattern) : program_(pattern.program_) {}
  Searcher(const Searcher&) = delete;
  Searcher& operator=(const Searcher&) = delete;

  // Calls found(const LineMatch&) for each matching line, in order, until it returns false.
  // REQUIRES: found does not throw, and does not use this searcher.
  template <typename Found>
  void search(ByteView text, Found&& found) {
    run(text, {const_cast<void*>(static_cast<const void*>(&found)),
               [](void* target, const LineMatch& match) -> bool {
                 return std::invoke(*static_cast<std::remove_reference_t<Found>*>(target), match);
               }});
  }

  // Whether any line matches; stops at the first that does.
  bool any(ByteView text);

 private:
  struct Found {
    void* target;
    bool (*call)(void* target, const LineMatch& match);
    bool operator()(const LineMatch& match) const { return call(target, match); }
  };
  class Lines;

  void run(ByteView text, Found found);
  void search_literal(Lines& lines);
  void search_each_line(Lines& lines);
  void search_candidates(Lines& lines);
  void search_accelerated(Lines& lines, const Accelerator& accelerator);

  std::shared_ptr<const Pattern::Program> program_;
  Accelerator::Scratch scratch_;
};

}  // namespace cairn
