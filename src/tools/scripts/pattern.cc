#include "tools/scripts/pattern.h"

#include <cctype>

#include "base/ascii.h"
#include "tools/scripts/meter.h"

namespace cairn::script {
namespace {

constexpr int kMaxDepth = 200;
// Characters to a step of the meter, and how many are looked at between two charges.
constexpr std::size_t kPerStep = 4;
constexpr std::size_t kPerCharge = 256;

// `%a` and the like; an upper-case letter means the contrary. Any other letter is itself.
bool in_class(unsigned char c, char name) {
  bool in = false;
  switch (std::tolower(static_cast<unsigned char>(name))) {
    case 'a':
      in = std::isalpha(c) != 0;
      break;
    case 'c':
      in = std::iscntrl(c) != 0;
      break;
    case 'd':
      in = std::isdigit(c) != 0;
      break;
    case 'g':
      in = std::isgraph(c) != 0;
      break;
    case 'l':
      in = std::islower(c) != 0;
      break;
    case 'p':
      in = std::ispunct(c) != 0;
      break;
    case 's':
      in = std::isspace(c) != 0;
      break;
    case 'u':
      in = std::isupper(c) != 0;
      break;
    case 'w':
      in = std::isalnum(c) != 0;
      break;
    case 'x':
      in = std::isxdigit(c) != 0;
      break;
    case 'z':  // of older Lua, and still there
      in = c == 0;
      break;
    default:
      return static_cast<unsigned char>(name) == c;
  }
  return std::isupper(static_cast<unsigned char>(name)) != 0 ? !in : in;
}

unsigned char byte(char c) { return static_cast<unsigned char>(c); }

}  // namespace

std::size_t Matcher::match(std::size_t begin) {
  captures_ = 0;
  depth_ = 0;
  return run(begin, 0);
}

std::size_t Matcher::search(std::size_t from, std::size_t& begin) {
  for (begin = from; begin <= subject_.size(); ++begin) {
    const auto end = match(begin);
    if (end != kNone) return end;
    if (problem_ != nullptr || stopped_) break;
  }
  return kNone;
}

bool Matcher::look_at(std::size_t characters) {
  looked_at_ += characters;
  if (looked_at_ >= kPerCharge) {
    stopped_ = !meter_.charge(static_cast<std::int64_t>(looked_at_ / kPerStep)) || stopped_;
    looked_at_ = 0;
  }
  return !stopped_ && problem_ == nullptr;
}

std::size_t Matcher::fail(const char* problem) {
  if (problem_ == nullptr) problem_ = problem;
  return kNone;
}

std::size_t Matcher::run(std::size_t s, std::size_t p) {
  if (!look_at(1)) return kNone;
  if (depth_ == kMaxDepth) return fail("the pattern is too complex for this subject");
  ++depth_;
  const auto end = item(s, p);
  --depth_;
  return end;
}

// The items from p on; calls run() again where there is a choice.
std::size_t Matcher::item(std::size_t s, std::size_t p) {
  while (p < pattern_.size()) {
    const char c = pattern_[p];
    const char next = pattern_at(p + 1);
    if (c == '(') {
      return next == ')' ? open_capture(s, p + 2, Capture::Kind::kPosition)
                         : open_capture(s, p + 1, Capture::Kind::kOpen);
    }
    if (c == ')') return close_capture(s, p + 1);
    if (c == '$' && p + 1 == pattern_.size()) return s == subject_.size() ? s : kNone;
    if (c == '%' && next == 'b') {
      s = balanced(s, p + 2);
      p += 4;
    } else if (c == '%' && next == 'f') {
      if (pattern_at(p + 2) != '[') return fail("'%f' in the pattern lacks its set: '%f[a-z]'");
      const auto end = item_end(p + 2);
      if (end == kNone || !at_frontier(s, p + 2, end)) return kNone;
      p = end;
    } else if (c == '%' && is_digit(next)) {
      s = repeated_capture(s, next);
      p += 2;
    } else {
      const auto end = item_end(p);
      if (end == kNone) return kNone;
      const char suffix = pattern_at(end);
      if (suffix == '*') return repeated_most(s, p, end);
      if (suffix == '-') return repeated_least(s, p, end);
      const bool matches = matches_one(s, p, end);
      if (suffix == '?') {
        const auto rest = matches ? run(s + 1, end + 1) : kNone;
        if (rest != kNone) return rest;
        p = end + 1;
        if (!look_at(1)) return kNone;
        continue;
      }
      if (!matches) return kNone;
      if (suffix == '+') return repeated_most(s + 1, p, end);
      ++s;
      p = end;
    }
    if (s == kNone || !look_at(1)) return kNone;
  }
  return s;
}

std::size_t Matcher::repeated_most(std::size_t s, std::size_t p, std::size_t end) {
  std::size_t count = 0;
  while (matches_one(s + count, p, end)) ++count;
  for (;; --count) {
    const auto rest = run(s + count, end + 1);
    if (rest != kNone) return rest;
    if (count == 0 || !look_at(1)) return kNone;
  }
}

std::size_t Matcher::repeated_least(std::size_t s, std::size_t p, std::size_t end) {
  for (;; ++s) {
    const auto rest = run(s, end + 1);
    if (rest != kNone) return rest;
    if (!matches_one(s, p, end)) return kNone;
  }
}

std::size_t Matcher::open_capture(std::size_t s, std::size_t p, Capture::Kind kind) {
  if (captures_ == kMaxCaptures) return fail("the pattern has too many captures");
  capture_[static_cast<std::size_t>(captures_)] = {.begin = s, .size = 0, .kind = kind};
  ++captures_;
  const auto end = run(s, p);
  if (end == kNone) --captures_;
  return end;
}

std::size_t Matcher::close_capture(std::size_t s, std::size_t p) {
  for (int i = captures_; i-- > 0;) {
    auto& capture = capture_[static_cast<std::size_t>(i)];
    if (capture.kind != Capture::Kind::kOpen) continue;
    capture.kind = Capture::Kind::kText;
    capture.size = s - capture.begin;
    const auto end = run(s, p);
    if (end == kNone) capture.kind = Capture::Kind::kOpen;
    return end;
  }
  return fail("the pattern closes a capture that it did not open");
}

// From an opening character to the closing one that belongs to it.
std::size_t Matcher::balanced(std::size_t s, std::size_t p) {
  if (p + 2 > pattern_.size()) return fail("'%b' in the pattern lacks its two characters: '%b()'");
  const char open = pattern_[p];
  const char close = pattern_[p + 1];
  if (s >= subject_.size() || subject_[s] != open) return kNone;
  std::size_t depth = 1;
  for (auto i = s + 1; i < subject_.size(); ++i) {
    if (!look_at(1)) return kNone;
    if (subject_[i] == close) {
      if (--depth == 0) return i + 1;
    } else if (subject_[i] == open) {
      ++depth;
    }
  }
  return kNone;
}

// Before the first and after the last character stands a zero.
bool Matcher::at_frontier(std::size_t s, std::size_t p, std::size_t end) {
  const auto before = s == 0 ? byte('\0') : byte(subject_[s - 1]);
  const auto here = s < subject_.size() ? byte(subject_[s]) : byte('\0');
  return !in_set(before, p, end) && in_set(here, p, end);
}

std::size_t Matcher::repeated_capture(std::size_t s, char digit) {
  const int i = digit - '1';
  if (i < 0 || i >= captures_ || capture(i).kind == Capture::Kind::kOpen) {
    return fail("the pattern refers to a capture that is not complete");
  }
  const auto& found = capture(i);
  // That of a position has no text: nothing repeats it.
  if (found.kind == Capture::Kind::kPosition) return kNone;
  if (!look_at(found.size)) return kNone;
  const auto text = subject_.substr(found.begin, found.size);
  return subject_.substr(s).starts_with(text) ? s + text.size() : kNone;
}

// Where the item for one character that begins at p ends: a character, `%x`, or a set.
std::size_t Matcher::item_end(std::size_t p) {
  const char c = pattern_[p];
  if (c == '%') return p + 1 < pattern_.size() ? p + 2 : fail("the pattern ends with '%'");
  if (c != '[') return p + 1;
  auto end = p + 1;
  if (pattern_at(end) == '^') ++end;
  // The first character is of the set, also if it is `]`.
  for (bool first = true; end < pattern_.size(); first = false) {
    if (pattern_[end] == ']' && !first) {
      look_at(end - p);
      return end + 1;
    }
    end += pattern_[end] == '%' ? 2 : 1;
  }
  return fail("a set in the pattern lacks its ']'");
}

bool Matcher::matches_one(std::size_t s, std::size_t p, std::size_t end) {
  if (s >= subject_.size() || !look_at(1)) return false;
  const auto c = byte(subject_[s]);
  switch (pattern_[p]) {
    case '.':
      return true;
    case '%':
      return in_class(c, pattern_[p + 1]);
    case '[':
      return in_set(c, p, end);
    default:
      return byte(pattern_[p]) == c;
  }
}

bool Matcher::in_set(unsigned char c, std::size_t p, std::size_t end) {
  look_at(end - p);
  const auto last = end - 1;  // the closing bracket
  const bool complement = pattern_[p + 1] == '^';
  for (auto i = complement ? p + 2 : p + 1; i < last;) {
    if (pattern_[i] == '%' && i + 1 < last) {
      if (in_class(c, pattern_[i + 1])) return !complement;
      i += 2;
    } else if (i + 2 < last && pattern_[i + 1] == '-') {
      if (byte(pattern_[i]) <= c && c <= byte(pattern_[i + 2])) return !complement;
      i += 3;
    } else {
      if (byte(pattern_[i]) == c) return !complement;
      ++i;
    }
  }
  return complement;
}

}  // namespace cairn::script
