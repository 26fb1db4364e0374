#include "data/text/glob.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "data/text/glob_character.h"

namespace cairn {
namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }

// ---- Compiled form ----------------------------------------------------------------------------

struct Range {
  char32_t first;
  char32_t last;
};

struct CharacterSet {
  std::vector<Range> ranges;
  bool negated = false;

  bool has(char32_t code) const {
    bool listed = std::ranges::any_of(
        ranges, [&](Range range) { return range.first <= code && code <= range.last; });
    return listed != negated;
  }
};

// One step of a segment: literal text, `?`, `*` or `[…]`.
struct Step {
  enum class Kind { kText, kOne, kRun, kSet };
  Kind kind;
  std::string text;
  std::size_t set = 0;
};

struct Segment {
  bool any_depth = false;  // `**`
  std::vector<Step> steps;
};

struct Alternative {
  bool name_only = false;  // one segment, for the last component
  std::vector<Segment> segments;
};

// ---- Lexer ------------------------------------------------------------------------------------

// A token is a step with at most one character of text, or structure.
struct Token {
  enum class Kind { kStep, kSlash, kOpen, kComma, kClose };
  Kind kind;
  std::size_t at;  // byte offset in the pattern
  Step step{Step::Kind::kText, {}, 0};
};
using Tokens = std::vector<Token>;

// The start of the pattern, for messages.
std::string_view excerpt(std::string_view pattern) {
  std::size_t end = std::min<std::size_t>(pattern.size(), 80);
  while (end < pattern.size() && !starts_character(pattern[end])) --end;
  return pattern.substr(0, end);
}

Failure wrong(std::string_view pattern, std::size_t at, std::string_view reason) {
  auto position = 1 + std::ranges::count_if(pattern.substr(0, at), starts_character);
  return Failure(
      Error(Code::kInvalidPattern, fmt::format("the pattern '{}' is wrong at character {}: {}",
                                               excerpt(pattern), position, reason))
          .with("position", static_cast<std::int64_t>(position)));
}

class Lexer final {
 public:
  Lexer(std::string_view pattern, std::vector<CharacterSet>& sets)
      : pattern_(pattern), sets_(sets) {}

  Result<Tokens> run() {
    while (at_ < pattern_.size()) TRY(token());
    if (!open_.empty()) return wrong(pattern_, open_.back(), kUnclosedBrace);
    return std::move(tokens_);
  }

 private:
  static constexpr std::string_view kUnclosedBrace =
      "'{' has no closing '}'; write '\\{' for the character itself";

  Result<void> token() {
    switch (pattern_[at_]) {
      case '/':
        return structure(Token::Kind::kSlash);
      case '{':
        return open();
      case '}':
        return close();
      case ',':
        return open_.empty() ? literal() : structure(Token::Kind::kComma);
      case '*':
        return wildcard(Step::Kind::kRun);
      case '?':
        return wildcard(Step::Kind::kOne);
      case '[':
        return set();
      case '\\':
        return escape();
      default:
        return literal();
    }
  }

  Result<void> structure(Token::Kind kind) {
    tokens_.push_back({kind, at_++});
    return {};
  }

  Result<void> open() {
    if (open_.size() == Glob::kMaxBraceDepth) {
      return wrong(pattern_, at_, fmt::format("braces nest at most {} deep", Glob::kMaxBraceDepth));
    }
    open_.push_back(at_);
    return structure(Token::Kind::kOpen);
  }

  Result<void> close() {
    if (open_.empty()) {
      return wrong(pattern_, at_, "'}' has no '{' before it; write '\\}' for the character itself");
    }
    open_.pop_back();
    return structure(Token::Kind::kClose);
  }

  Result<void> wildcard(Step::Kind kind) {
    tokens_.push_back({Token::Kind::kStep, at_++, {kind, {}, 0}});
    return {};
  }

  Result<void> literal() {
    auto length = first_character(pattern_.substr(at_)).length;
    std::string text(pattern_.substr(at_, length));
    tokens_.push_back({Token::Kind::kStep, at_, {Step::Kind::kText, std::move(text), 0}});
    at_ += length;
    return {};
  }

  Result<void> escape() {
    TRY(skip_backslash());
    // No name has a '/', so that an escaped one can only be the separator.
    return pattern_[at_] == '/' ? structure(Token::Kind::kSlash) : literal();
  }

  Result<void> skip_backslash() {
    if (at_ + 1 == pattern_.size()) {
      return wrong(pattern_, at_,
                   "'\\' has nothing after it; write '\\\\' for the character itself");
    }
    ++at_;
    return {};
  }

  Result<void> set() {
    const auto start = at_++;
    CharacterSet set;
    set.negated = next_is('!') || next_is('^');
    if (set.negated) ++at_;
    // A ']' that comes first is a member, as in every shell.
    for (bool first = true; first || !next_is(']'); first = false) TRY(member(start, set));
    ++at_;
    tokens_.push_back({Token::Kind::kStep, start, {Step::Kind::kSet, {}, sets_.size()}});
    sets_.push_back(std::move(set));
    return {};
  }

  Result<void> member(std::size_t start, CharacterSet& set) {
    const auto at = at_;
    auto first = TRY(set_character(start));
    auto last = first;
    bool range = next_is('-') && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']';
    if (range) {
      ++at_;
      last = TRY(set_character(start));
    }
    if (last < first) return wrong(pattern_, at, "the range is backwards; write it as [a-z]");
    set.ranges.push_back({first, last});
    return {};
  }

  Result<char32_t> set_character(std::size_t start) {
    if (at_ == pattern_.size()) {
      return wrong(pattern_, start, "'[' has no closing ']'; write '\\[' for the character itself");
    }
    if (pattern_.substr(at_).starts_with("[:")) {
      return wrong(pattern_, at_,
                   "classes such as [:alpha:] are not known; write a range such as [a-z]");
    }
    if (next_is('\\')) TRY(skip_backslash());
    auto [code, length] = first_character(pattern_.substr(at_));
    at_ += length;
    return code;
  }

  bool next_is(char c) const { return at_ < pattern_.size() && pattern_[at_] == c; }

  std::string_view pattern_;
  std::vector<CharacterSet>& sets_;
  Tokens tokens_;
  std::vector<std::size_t> open_;  // offsets of the braces not yet closed
  std::size_t at_ = 0;
};

// ---- Braces -----------------------------------------------------------------------------------

// Writes the alternatives out: tokens with braces to lists of tokens without. The lexer has
// balanced the braces.
class Expander final {
 public:
  Expander(std::string_view pattern, const Tokens& tokens) : pattern_(pattern), tokens_(tokens) {}

  // Up to the comma or brace that ends it, or the end.
  Result<std::vector<Tokens>> sequence() {
    std::vector<Tokens> heads(1);
    while (!at_end_of_sequence()) {
      if (kind() == Token::Kind::kOpen) {
        const auto at = tokens_[next_].at;
        auto tails = TRY(group());
        TRY(check(heads.size() * tails.size(), joined_size(heads, tails), at));
        heads = join(heads, tails);
      } else {
        TRY(check(heads.size(), total(heads) + heads.size(), tokens_[next_].at));
        for (auto& head : heads) head.push_back(tokens_[next_]);
        ++next_;
      }
    }
    return heads;
  }

 private:
  Token::Kind kind() const { return tokens_[next_].kind; }

  bool at_end_of_sequence() const {
    return next_ == tokens_.size() || kind() == Token::Kind::kComma ||
           kind() == Token::Kind::kClose;
  }

  Result<std::vector<Tokens>> group() {
    std::vector<Tokens> all;
    const auto at = tokens_[next_].at;
    do {
      ++next_;  // the opening brace or a comma
      auto some = TRY(sequence());
      std::ranges::move(some, std::back_inserter(all));
      TRY(check(all.size(), total(all), at));
    } while (kind() == Token::Kind::kComma);
    ++next_;
    return all;
  }

  static std::size_t total(const std::vector<Tokens>& lists) {
    std::size_t sum = 0;
    for (const auto& list : lists) sum += list.size();
    return sum;
  }

  static std::size_t joined_size(const std::vector<Tokens>& heads,
                                 const std::vector<Tokens>& tails) {
    return total(heads) * tails.size() + total(tails) * heads.size();
  }

  static std::vector<Tokens> join(const std::vector<Tokens>& heads,
                                  const std::vector<Tokens>& tails) {
    std::vector<Tokens> joined;
    joined.reserve(heads.size() * tails.size());
    for (const auto& head : heads) {
      for (const auto& tail : tails) {
        joined.push_back(head);
        joined.back().insert(joined.back().end(), tail.begin(), tail.end());
      }
    }
    return joined;
  }

  Result<void> check(std::size_t alternatives, std::size_t characters, std::size_t at) const {
    if (alternatives <= Glob::kMaxAlternatives && characters <= Glob::kMaxExpandedCharacters) {
      return {};
    }
    return wrong(pattern_, at,
                 fmt::format("the braces stand for more than {} alternatives or {} characters; use "
                             "a wildcard, or several patterns",
                             Glob::kMaxAlternatives, Glob::kMaxExpandedCharacters));
  }

  std::string_view pattern_;
  const Tokens& tokens_;
  std::size_t next_ = 0;
};

// ---- Compiler ---------------------------------------------------------------------------------

bool is_run(const Token& token) {
  return token.kind == Token::Kind::kStep && token.step.kind == Step::Kind::kRun;
}

// Joins neighbouring characters into one text, and neighbouring stars into one.
void append(std::vector<Step>& steps, const Step& step) {
  bool same = !steps.empty() && steps.back().kind == step.kind;
  if (same && step.kind == Step::Kind::kRun) return;
  if (same && step.kind == Step::Kind::kText) {
    steps.back().text += step.text;
  } else {
    steps.push_back(step);
  }
}

bool is_text(const Segment& segment, std::string_view text) {
  return segment.steps.size() == 1 && segment.steps[0].kind == Step::Kind::kText &&
         segment.steps[0].text == text;
}

class Compiler final {
 public:
  explicit Compiler(std::string_view pattern) : pattern_(pattern) {}

  Result<Alternative> alternative(const Tokens& tokens) const {
    if (tokens.empty()) return wrong(pattern_, 0, "one of its alternatives is empty");
    if (tokens.back().kind == Token::Kind::kSlash) {
      return wrong(pattern_, tokens.back().at,
                   "it ends with '/'; leave that out and filter by kind to find directories");
    }
    Alternative result;
    auto slashes = std::ranges::count(tokens, Token::Kind::kSlash, &Token::kind);
    result.name_only = slashes == 0;
    auto begin = tokens.begin() + (tokens.front().kind == Token::Kind::kSlash ? 1 : 0);
    while (true) {
      auto end = std::find_if(begin, tokens.end(),
                              [](const Token& token) { return token.kind == Token::Kind::kSlash; });
      if (begin == end) return wrong(pattern_, begin->at, "there is nothing between two '/'");
      add(result.segments, TRY(segment(begin, end)));
      if (end == tokens.end()) return result;
      begin = end + 1;
    }
  }

 private:
  using Iterator = Tokens::const_iterator;

  Result<Segment> segment(Iterator begin, Iterator end) const {
    Segment result;
    result.any_depth = end - begin == 2 && is_run(begin[0]) && is_run(begin[1]);
    for (auto token = begin; token != end; ++token) append(result.steps, token->step);
    if (is_text(result, ".") || is_text(result, "..")) {
      return wrong(pattern_, begin->at,
                   "'.' and '..' are not names; write the path from the root, without them");
    }
    return result;
  }

  static void add(std::vector<Segment>& segments, Segment segment) {
    bool repeated = segment.any_depth && !segments.empty() && segments.back().any_depth;
    if (!repeated) segments.push_back(std::move(segment));
  }

  std::string_view pattern_;
};

// ---- Matcher ----------------------------------------------------------------------------------

// The components of a path, one after the other, without copying.
class Components final {
 public:
  explicit Components(std::string_view path) : rest_(path), done_(path.empty()) {}

  bool done() const { return done_; }
  std::string_view front() const { return rest_.substr(0, rest_.find('/')); }
  void pop() {
    auto slash = rest_.find('/');
    done_ = slash == std::string_view::npos;
    if (!done_) rest_.remove_prefix(slash + 1);
  }

 private:
  std::string_view rest_;
  bool done_;
};

// Two pointers each, in the name and in the pattern: on a mismatch the last star takes one more.
// Giving an earlier star more never helps, as the last one can take the same characters.
class Matcher final {
 public:
  explicit Matcher(const std::vector<CharacterSet>& sets) : sets_(sets) {}

  bool path(const std::vector<Segment>& segments, std::string_view path) const {
    Components rest(path);
    std::size_t next = 0;
    std::optional<std::pair<std::size_t, Components>> retry;
    while (!rest.done()) {
      if (next < segments.size() && segments[next].any_depth) {
        if (++next == segments.size()) return true;
        retry.emplace(next, rest);
      } else if (next < segments.size() && name(segments[next], rest.front())) {
        ++next;
        rest.pop();
      } else if (retry) {
        retry->second.pop();
        std::tie(next, rest) = *retry;
      } else {
        return false;
      }
    }
    return next == segments.size() || (segments[next].any_depth && next + 1 == segments.size());
  }

  bool name(const Segment& segment, std::string_view name) const {
    const auto& steps = segment.steps;
    std::size_t next = 0;
    std::optional<std::pair<std::size_t, std::string_view>> retry;
    while (true) {
      if (next < steps.size() && steps[next].kind == Step::Kind::kRun) {
        if (++next == steps.size()) return true;
        if (is_last_text(steps, next)) return name.ends_with(steps[next].text);  // `*.ts`
        retry.emplace(next, name);
      } else if (next < steps.size() && consume(steps[next], name)) {
        ++next;
      } else if (next == steps.size() && name.empty()) {
        return true;
      } else if (retry && !retry->second.empty()) {
        retry->second.remove_prefix(first_character(retry->second).length);
        std::tie(next, name) = *retry;
      } else {
        return false;
      }
    }
  }

  // Whether something below `dir` can match: the segments before the first `**` decide.
  bool below(const std::vector<Segment>& segments, std::string_view dir) const {
    Components rest(dir);
    for (const auto& segment : segments) {
      if (rest.done() || segment.any_depth) return true;
      if (!name(segment, rest.front())) return false;
      rest.pop();
    }
    return false;
  }

 private:
  static bool is_last_text(const std::vector<Step>& steps, std::size_t next) {
    return next + 1 == steps.size() && steps[next].kind == Step::Kind::kText;
  }

  // Takes what a step other than `*` matches off the front of `name`.
  bool consume(const Step& step, std::string_view& name) const {
    if (step.kind == Step::Kind::kText) {
      if (!name.starts_with(step.text)) return false;
      name.remove_prefix(step.text.size());
      return true;
    }
    if (name.empty()) return false;
    auto [code, length] = first_character(name);
    if (step.kind == Step::Kind::kSet && !sets_[step.set].has(code)) return false;
    name.remove_prefix(length);
    return true;
  }

  const std::vector<CharacterSet>& sets_;
};

std::string_view last_component(std::string_view path) { return path.substr(path.rfind('/') + 1); }

Result<void> check_text(std::string_view pattern) {
  if (pattern.empty()) {
    return fail(Code::kInvalidPattern, "the pattern is empty; write '*' to match every name");
  }
  if (pattern.size() > Glob::kMaxBytes) {
    return fail(Code::kInvalidPattern, "the pattern has {} bytes; {} is the most", pattern.size(),
                Glob::kMaxBytes);
  }
  if (!valid_utf8(pattern)) return fail(Code::kInvalidPattern, "the pattern is not valid UTF-8");
  return {};
}

}  // namespace

struct Glob::Program {
  std::string pattern;
  std::vector<CharacterSet> sets;
  std::vector<Alternative> alternatives;
};

Result<Glob> Glob::parse(std::string_view pattern) {
  TRY(check_text(pattern));
  auto program = std::make_shared<Program>();
  program->pattern = pattern;
  auto tokens = TRY(Lexer(pattern, program->sets).run());
  auto expansion = TRY(Expander(pattern, tokens).sequence());
  for (const auto& expanded : expansion) {
    program->alternatives.push_back(TRY(Compiler(pattern).alternative(expanded)));
  }
  return Glob(std::move(program));
}

bool Glob::matches(std::string_view path) const {
  if (path.empty()) return false;
  Matcher matcher(program_->sets);
  return std::ranges::any_of(program_->alternatives, [&](const Alternative& alternative) {
    return alternative.name_only ? matcher.name(alternative.segments[0], last_component(path))
                                 : matcher.path(alternative.segments, path);
  });
}

bool Glob::may_match_below(std::string_view dir) const {
  Matcher matcher(program_->sets);
  return std::ranges::any_of(program_->alternatives, [&](const Alternative& alternative) {
    return alternative.name_only || matcher.below(alternative.segments, dir);
  });
}

const std::string& Glob::pattern() const { return program_->pattern; }

}  // namespace cairn
