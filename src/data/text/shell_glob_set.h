// The sets of a ShellGlob: `[a-z]`, `[^[:digit:]_]`.
#pragma once

#include <bitset>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace cairn::shell_glob {

// A class such as [:alpha:].
class NamedClass final {
 public:
  // `expression` is RE2's.
  explicit NamedClass(std::string_view expression);
  ~NamedClass();

  bool has(char32_t code) const;

 private:
  bool matches(char32_t code) const;

  std::unique_ptr<const re2::RE2> expression_;
  std::bitset<128> ascii_;
};

// The classes that the sets of one pattern name, each made once: they are large.
class NamedClasses final {
 public:
  std::shared_ptr<const NamedClass> get(std::string_view expression);

 private:
  std::map<std::string_view, std::shared_ptr<const NamedClass>> known_;
};

// Threads     immutable once read.
class Set final {
 public:
  bool has(char32_t code) const { return code < ascii_.size() ? ascii_[code] : compute(code); }

  // A set with [:graph:] and others beside it is two sets, either of which will do.
  bool is_two() const { return lists_something() && !outside_.empty(); }

 private:
  friend class SetReader;

  struct Range {
    char32_t first;
    char32_t last;
  };
  using Classes = std::vector<std::shared_ptr<const NamedClass>>;

  bool lists_something() const { return !ranges_.empty() || !inside_.empty(); }
  bool lists(char32_t code) const;
  bool compute(char32_t code) const;

  bool negated_ = false;
  std::vector<Range> ranges_;
  Classes inside_;   // whose characters are listed
  Classes outside_;  // all characters but theirs
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
SetRead read_set(std::u32string_view text, std::size_t at, NamedClasses& classes);

}  // namespace cairn::shell_glob
