#include "data/text/pattern_candidate.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "data/text/pattern_charset.h"

namespace cairn {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

struct Repeat {
  int least = 0;
  int most = CandidateWriter::kUnbounded;
};

// Reads a pattern that RE2 has accepted, token by token, and passes it on to the writer. A function
// returns false where it finds something it does not know.
class Reader final {
 public:
  Reader(std::string_view pattern, bool ignore_case, Dialect dialect)
      : pattern_(pattern), rest_(pattern), fold_(ignore_case), out_(dialect) {}

  Candidate loosened() {
    const bool known = read();
    Candidate result;
    result.wants_newline = wants_newline_;
    if (!known || !writable_) return result;
    if (only_literal_ && !literal_.empty()) result.literal = literal_;
    result.needs_last_line = out_.needs_last_line();
    result.expression = std::move(out_).finish();
    return result;
  }

  // If all is in both cases, it stays so in whatever class it gets into.
  std::string kept_apart() {
    if (!read() || !ends_in_pair_ || !has_single_case_) return std::string(pattern_);
    std::string out;
    std::size_t from = 0;
    for (const auto bar : bars_) {
      out += pattern_.substr(from, bar - from);
      out += "(?:)";
      from = bar;
    }
    out += pattern_.substr(from);
    return out;
  }

 private:
  // The piece before.
  enum class Last {
    kOther,
    kCharacter,  // a character or a set
    kPair,       // one letter of ASCII in both cases
  };

  bool read() {
    while (!rest_.empty()) {
      if (!token()) return false;
    }
    end_alternative();
    return !out_.in_group();
  }

  bool token() {
    switch (rest_.front()) {
      case '(':
        return open_group();
      case ')':
        return close_group();
      case '[':
        return bracket_expression();
      case '\\':
        return escape();
      case '|':
        return put_bar();
      case '.':
        rest_.remove_prefix(1);
        return put_set(CharSet::everything());
      case '^':
        rest_.remove_prefix(1);
        return put_assertion("^");
      case '$':
        rest_.remove_prefix(1);
        return put_line_end();
      case '*':
      case '+':
      case '?':
      case '{':
        if (auto repeat = read_repeat()) return put_repeat(*repeat);
        break;
      default:
        break;
    }
    return put_character(read_character());
  }

  bool put_bar() {
    if (last_ != Last::kOther) bars_.push_back(pattern_.size() - rest_.size());
    rest_.remove_prefix(1);
    only_literal_ = false;
    end_alternative();
    out_.alternative();
    return true;
  }

  void end_alternative() {
    ends_in_pair_ |= last_ == Last::kPair;
    last_ = Last::kOther;
  }

  bool put_set(const CharSet& set) {
    only_literal_ = false;
    has_single_case_ |= !fold_;
    last_ = set.has_one_letter_in_both_cases() ? Last::kPair : Last::kCharacter;
    writable_ &= out_.set(set);
    return true;
  }

  bool put_character(char32_t c) {
    wants_newline_ |= c == '\n';
    has_single_case_ |= !fold_;
    last_ = fold_ && is_letter(c) ? Last::kPair : Last::kCharacter;
    if (fold_ && (c >= 0x80 || is_letter(c))) {
      only_literal_ = false;
      out_.folded_character(c);
    } else {
      literal_ += to_utf8(c);
      out_.character(c);
    }
    return true;
  }

  bool put_assertion(std::string_view text) {
    only_literal_ = false;
    last_ = Last::kOther;
    out_.assertion(text);
    return true;
  }

  bool put_line_end() {
    only_literal_ = false;
    last_ = Last::kOther;
    out_.line_end(rest_.find_first_not_of(')') == rest_.npos ||
                  (!out_.in_group() && rest_.front() == '|'));
    return true;
  }

  bool put_repeat(Repeat repeat) {
    only_literal_ = false;
    last_ = Last::kOther;
    return out_.repeat(repeat.least, repeat.most);
  }

  bool take(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }

  char take_byte() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  char32_t read_character() {
    const auto lead = static_cast<std::uint8_t>(take_byte());
    if (lead < 0x80) return lead;
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    char32_t c = lead & (0x3F >> more);
    for (int i = 0; i < more && !rest_.empty(); ++i) {
      c = (c << 6) | (static_cast<std::uint8_t>(take_byte()) & 0x3F);
    }
    return c;
  }

  std::optional<int> read_number() {
    if (rest_.empty() || !is_digit(rest_.front())) return std::nullopt;
    if (rest_.size() > 1 && rest_[0] == '0' && is_digit(rest_[1])) {
      return std::nullopt;  // RE2 takes {01} as text
    }
    int number = 0;
    while (!rest_.empty() && is_digit(rest_.front())) {
      number = std::min(number * 10 + (take_byte() - '0'), 10'000);
    }
    return number;
  }

  // Consumes the operator, or nothing if the text is not one.
  std::optional<Repeat> read_repeat() {
    const auto before = rest_;
    const auto repeat = read_greedy_repeat();
    if (repeat) {
      take("?");
    } else {
      rest_ = before;
    }
    return repeat;
  }

  std::optional<Repeat> read_greedy_repeat() {
    if (take("*")) return Repeat{0, CandidateWriter::kUnbounded};
    if (take("+")) return Repeat{1, CandidateWriter::kUnbounded};
    if (take("?")) return Repeat{0, 1};
    if (!take("{")) return std::nullopt;
    const auto least = read_number();
    if (!least) return std::nullopt;
    if (take("}")) return Repeat{*least, *least};
    if (take(",}")) return Repeat{*least, CandidateWriter::kUnbounded};
    if (!take(",")) return std::nullopt;
    const auto most = read_number();
    if (!most || !take("}")) return std::nullopt;
    return Repeat{*least, *most};
  }

  bool open_group() {
    rest_.remove_prefix(1);
    const bool fold_outside = fold_;
    if (take("?")) {
      if (take("P<") || take("<")) {
        const auto end = rest_.find('>');
        if (end == rest_.npos) return false;
        rest_.remove_prefix(end + 1);
      } else {
        const auto end = read_flags();
        if (!end) return false;
        if (*end == ')') return true;
      }
    }
    only_literal_ = false;
    last_ = Last::kOther;
    fold_outside_.push_back(fold_outside);
    out_.open_group();
    return true;
  }

  // Up to and with the `:` or `)` behind them.
  std::optional<char> read_flags() {
    bool on = true;
    while (!rest_.empty()) {
      const char flag = take_byte();
      switch (flag) {
        case 'i':
          fold_ = on;
          break;
        case 'm':
        case 's':
        case 'U':
          break;  // say nothing new about single lines, or about what can match
        case '-':
          on = false;
          break;
        case ':':
        case ')':
          return flag;
        default:
          return std::nullopt;
      }
    }
    return std::nullopt;
  }

  bool close_group() {
    rest_.remove_prefix(1);
    if (!out_.in_group()) return false;
    end_alternative();
    last_ = Last::kCharacter;  // for all that is known
    out_.close_group();
    fold_ = fold_outside_.back();
    fold_outside_.pop_back();
    return true;
  }

  bool escape() {
    if (take("\\Q")) return quoted();
    if (take("\\b")) return put_assertion("\\b");
    if (take("\\B")) return put_assertion("\\B");
    if (take("\\A")) return put_assertion("^");
    if (take("\\z")) return put_line_end();
    if (take("\\C")) return put_any_byte();
    CharSet set;
    if (read_set_escape(set)) return put_set(set);
    const auto c = read_character_escape();
    return c && put_character(*c);
  }

  bool quoted() {
    while (!rest_.empty() && !take("\\E")) put_character(read_character());
    return true;
  }

  bool put_any_byte() {
    only_literal_ = false;
    last_ = Last::kOther;
    out_.any_byte();
    return true;
  }

  // \d \S \pL \P{Greek} and their like.
  bool read_set_escape(CharSet& set) {
    if (rest_.size() < 2) return false;
    const char name = rest_[1];
    switch (name) {
      case 'd':
      case 's':
      case 'w':
      case 'D':
      case 'S':
      case 'W': {
        rest_.remove_prefix(2);
        const bool negated = name < 'a';
        add_item(set, CharSet::perl(static_cast<char>(name | 32)), negated);
        return true;
      }
      case 'p':
      case 'P': {
        const auto end =
            rest_.starts_with("\\p{") || rest_.starts_with("\\P{") ? rest_.find('}') : 2;
        if (end >= rest_.size()) return false;
        rest_.remove_prefix(end);
        if (take("}") == false) read_character();
        set = CharSet::everything();
        inexact_ = true;
        return true;
      }
      default:
        return false;
    }
  }

  std::optional<char32_t> read_character_escape() {
    rest_.remove_prefix(1);
    if (rest_.empty()) return std::nullopt;
    const char32_t c = read_character();
    switch (c) {
      case 'a':
        return '\a';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'v':
        return '\v';
      case 'x':
        return read_hex();
      default:
        break;
    }
    if (c >= '0' && c <= '7') return read_octal(c - '0');
    if (is_alphanumeric(c)) return std::nullopt;
    return c;
  }

  std::optional<char32_t> read_hex() {
    const bool braced = take("{");
    char32_t value = 0;
    for (int digits = 0; !rest_.empty() && (braced || digits < 2); ++digits) {
      if (braced && take("}")) return value;
      const char c = take_byte();
      const auto digit = kHexDigits.find(static_cast<char>(c >= 'A' ? c | 32 : c));
      if (digit == std::string_view::npos || value > 0x10FFFF) return std::nullopt;
      value = value * 16 + static_cast<char32_t>(digit);
    }
    return braced ? std::nullopt : std::optional(value);
  }

  char32_t read_octal(char32_t value) {
    for (int i = 0; i < 2 && !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '7'; ++i) {
      value = value * 8 + static_cast<char32_t>(take_byte() - '0');
    }
    return value;
  }

  bool bracket_expression() {
    rest_.remove_prefix(1);
    CharSet set;
    inexact_ = false;
    const bool negated = take("^");
    for (bool first = true; first || !rest_.starts_with(']'); first = false) {
      if (rest_.empty() || !read_set_item(set)) return false;
    }
    rest_.remove_prefix(1);
    if (negated) set = set.negated();
    return put_set(inexact_ ? CharSet::everything() : set);
  }

  bool read_set_item(CharSet& set) {
    if (rest_.starts_with("[:")) return read_posix_set(set);
    if (rest_.front() == '\\' && read_set_escape(set)) return true;
    const auto first = read_set_character();
    if (!first) return false;
    auto last = first;
    if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
      rest_.remove_prefix(1);
      last = read_set_character();
      if (!last) return false;
    }
    add_item(set, CharSet::of_range(*first, *last), false);
    return true;
  }

  void add_item(CharSet& set, CharSet item, bool negated) const {
    if (fold_) item = item.folded();
    set.add(negated ? item.negated() : item);
  }

  std::optional<char32_t> read_set_character() {
    if (rest_.empty()) return std::nullopt;
    return rest_.front() == '\\' ? read_character_escape() : read_character();
  }

  bool read_posix_set(CharSet& set) {
    take("[:");
    const bool negated = take("^");
    const auto end = rest_.find(":]");
    if (end == rest_.npos) return false;
    const auto named = CharSet::posix(rest_.substr(0, end));
    if (!named) return false;
    rest_.remove_prefix(end + 2);
    add_item(set, *named, negated);
    return true;
  }

  const std::string_view pattern_;
  std::string_view rest_;
  bool fold_;
  CandidateWriter out_;
  std::vector<bool> fold_outside_;  // of each open group
  std::string literal_;
  Last last_ = Last::kOther;
  std::vector<std::size_t> bars_;  // in the pattern, behind what may be a single character
  bool only_literal_ = true;
  bool wants_newline_ = false;
  bool writable_ = true;          // no set was empty
  bool ends_in_pair_ = false;     // an alternative does, and could be left with no more than that
  bool has_single_case_ = false;  // something does not ignore case
  bool inexact_ = false;          // the bracket expression has a \p
};

}  // namespace

std::string keep_apart(std::string_view pattern, bool ignore_case) {
  return Reader(pattern, ignore_case, Dialect::kRe2).kept_apart();
}

Candidate loosen(std::string_view pattern, bool ignore_case, Dialect dialect) {
  return Reader(pattern, ignore_case, dialect).loosened();
}

}  // namespace cairn
