// The sets of a ShellGlob: `[a-z]`, `[^[:digit:]_]`.
#pragma once

#include <bitset>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace cairn::shell_glob {

// Threads     immutable once read.
class Set final {
 public:
  bool has(char32_t code) const;

  // A set with [:graph:] and others beside it is two sets, either of which will do.
  bool is_two() const { return outside_ != nullptr && lists_something_; }

 private:
  friend class SetReader;

  struct Range {
    char32_t first;
    char32_t last;
  };

  bool lists(char32_t code) const;
  bool compute(char32_t code) const;

  bool negated_ = false;
  bool lists_something_ = false;
  std::vector<Range> ranges_;
  std::shared_ptr<const re2::RE2> inside_;   // classes of Unicode whose characters are listed
  std::shared_ptr<const re2::RE2> outside_;  // those that list all characters but theirs
  std::bitset<128> ascii_;
};

struct SetRead {
  enum class Kind { kNone, kNever, kCharacter, kSet };
  Kind kind = Kind::kNone;  // kNone: no ']' closes it, so that '[' stands for itself
  std::size_t length = 0;   // of the pattern that was read
  char32_t code = 0;        // of kCharacter: `[x]` is just x
  std::shared_ptr<const Set> set;
  bool unicode = false;  // has a class for which the segment is matched by code points
};

// Reads the set that begins with the '[' at `at`.
SetRead read_set(std::u32string_view text, std::size_t at);

}  // namespace cairn::shell_glob
