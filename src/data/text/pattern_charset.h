// The characters a class such as `[^a-z\d]` stands for, as far as bytes can tell them apart.
#pragma once

#include <bitset>
#include <optional>
#include <string>
#include <string_view>

namespace cairn {

// Each character of ASCII by itself; all others as one, which are in the set if any of them may be.
// Meant for a set that can be too large but not too small: ASCII is exact, so that it can be
// negated.
struct CharSet {
  std::bitset<128> ascii;
  bool beyond = false;

  static CharSet everything();
  static CharSet of_range(char32_t first, char32_t last);
  // The set that RE2 means by \d, \s or \w. REQUIRES: name is one of d, s, w.
  static CharSet perl(char name);
  // The set that it means by [:alpha:] and its like; nullopt for an unknown name.
  static std::optional<CharSet> posix(std::string_view name);

  void add(const CharSet& other);
  // With both cases of its letters, by Unicode's simple folding.
  CharSet folded() const;
  CharSet negated() const;
  // Of ASCII within a line it has A and a, or another such pair, and nothing else.
  bool has_one_letter_in_both_cases() const;

  // The ranges for a bracket expression, without brackets: `\x09a-z`.
  std::string render_ascii() const;

 private:
  bool kelvin_sign_ = false;  // the two beyond ASCII
  bool long_s_ = false;       // that fold to a letter of it
};

// A byte as a regular expression: itself, or `\x2a`.
std::string render_byte(unsigned c);

}  // namespace cairn
