#include "data/text/json_text.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"
#include "data/text/lines.h"

namespace cairn {
namespace {

using Index = JsonText::Index;
using Span = JsonText::Span;
using Node = JsonText::Node;
using Kind = JsonText::Kind;

std::optional<std::uint32_t> hex4(ByteView text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    const auto digit = hex_value(c);
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<std::uint32_t>(digit);
  }
  return value;
}

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

void append_utf8(std::string& out, std::uint32_t point) {
  auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (point < 0x80) return put(point);
  if (point < 0x800) {
    put(0xC0 | point >> 6);
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3F));
  } else {
    put(0xF0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3F));
    put(0x80 | (point >> 6 & 0x3F));
  }
  put(0x80 | (point & 0x3F));
}

// Decodes the escape after a backslash at the front of `rest`, and drops it. REQUIRES: valid.
void decode_escape(ByteView& rest, std::string& out) {
  constexpr std::string_view kLetters = "bfnrt";
  constexpr std::string_view kMeanings = "\b\f\n\r\t";
  const char c = rest[1];
  rest.remove_prefix(2);
  if (c != 'u') {
    const auto letter = kLetters.find(c);
    out += letter == kLetters.npos ? c : kMeanings[letter];
    return;
  }
  auto point = hex4(rest).value_or(0);
  rest.remove_prefix(4);
  if (is_high_surrogate(point)) {
    const auto low = hex4(rest.substr(2)).value_or(0xDC00);
    point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    rest.remove_prefix(6);
  }
  append_utf8(out, point);
}

// REQUIRES: a valid string with its quotes.
std::string decode_string(ByteView lexeme) {
  auto rest = lexeme.substr(1, lexeme.size() - 2);
  std::string out;
  while (!rest.empty()) {
    const auto plain = rest.substr(0, rest.find('\\'));
    out += plain;
    rest.remove_prefix(plain.size());
    if (!rest.empty()) decode_escape(rest, out);
  }
  return out;
}

// Adds one to, or takes one from, a decimal integer above zero.
void step(std::string& digits, bool up) {
  auto at = digits.size();
  while (at > 0 && digits[at - 1] == (up ? '9' : '0')) digits[--at] = up ? '0' : '9';
  if (at == 0) {
    digits.insert(0, 1, '1');
  } else {
    digits[at - 1] = static_cast<char>(digits[at - 1] + (up ? 1 : -1));
  }
}

ByteView without_leading_zeros(ByteView digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

// The exponent `digits` (negative or not) plus `shift`, in decimal, whatever its length.
// REQUIRES: |shift| < 10^17.
std::string shifted_exponent(bool negative, ByteView digits, std::int64_t shift) {
  constexpr std::size_t kLow = 17;
  constexpr std::int64_t kLowRange = 100'000'000'000'000'000;
  digits = without_leading_zeros(digits);
  const bool is_small = digits.size() <= kLow;
  const auto low_digits = is_small ? digits : digits.substr(digits.size() - kLow);
  std::int64_t low = 0;
  for (const char c : low_digits) low = low * 10 + (c - '0');
  if (is_small) return fmt::format("{}", (negative ? -low : low) + shift);
  std::string high(digits.substr(0, digits.size() - kLow));
  low += negative ? -shift : shift;
  if (low < 0) step(high, false);
  if (low >= kLowRange) step(high, true);
  low = (low + kLowRange) % kLowRange;
  const auto sum = fmt::format("{}{:017}", high, low);
  return fmt::format("{}{}", negative ? "-" : "", without_leading_zeros(sum));
}

}  // namespace

std::string canonical_number(ByteView lexeme) {
  const bool negative = lexeme.starts_with('-');
  if (negative) lexeme.remove_prefix(1);
  const auto mantissa = lexeme.substr(0, lexeme.find_first_of("eE"));
  auto exponent = lexeme.substr(std::min(mantissa.size() + 1, lexeme.size()));
  const bool small = exponent.starts_with('-');
  if (small || exponent.starts_with('+')) exponent.remove_prefix(1);

  const auto whole = mantissa.substr(0, mantissa.find('.'));
  const auto fraction = mantissa.substr(std::min(whole.size() + 1, mantissa.size()));
  const auto digits = fmt::format("{}{}", whole, fraction);
  const auto end = digits.find_last_not_of('0') + 1;
  const auto significant = without_leading_zeros(ByteView(digits).substr(0, end));
  if (significant.empty()) return "0";
  const auto shift = std::ssize(digits) - static_cast<std::ptrdiff_t>(end) - std::ssize(fraction);
  return fmt::format("{}{}e{}", negative ? "-" : "", significant,
                     shifted_exponent(small, exponent, shift));
}

// Recursive descent. A function that says no has left the reason and the place behind.
class JsonParser final {
 public:
  JsonParser(ByteView source, unsigned max_depth) : text_(source), max_depth_(max_depth) {}

  Result<JsonText> run() {
    if (!accept()) return failure();
    return std::move(text_);
  }

 private:
  bool accept() {
    const auto source = text_.source_;
    if (source.size() >= std::numeric_limits<std::uint32_t>::max()) return refuse("too large");
    if (!valid_utf8(source)) return refuse_utf8();
    skip_space();
    if (!value({}, 0)) return false;
    skip_space();
    return at_end() || refuse("unexpected text after the end of the value");
  }

  bool refuse(std::string why) {
    why_ = std::move(why);
    return false;
  }
  bool refuse_at(std::size_t at, std::string why) {
    at_ = at;
    return refuse(std::move(why));
  }

  bool refuse_utf8() {
    std::size_t begin = 0;
    for (const auto line : split_lines(text_.source_)) {
      if (!valid_utf8(line)) break;
      begin += line.size();
    }
    return refuse_at(begin, "this line is not valid UTF-8");
  }

  Failure failure() const {
    const LineIndex index(text_.source_);
    const auto line = index.line_of(at_);
    const auto column = index.column_of(at_);
    auto failed = fail(Code::kInvalidArgument, "not valid JSON at line {}, column {}: {}", line,
                       column, why_);
    failed.error().details = {{"line", static_cast<std::int64_t>(line)},
                              {"column", static_cast<std::int64_t>(column)}};
    return failed;
  }

  bool at_end() const { return at_ == text_.source_.size(); }
  // NUL stands for the end: as a byte it is valid nowhere either.
  char peek() const { return at_end() ? '\0' : text_.source_[at_]; }
  ByteView rest() const { return text_.source_.substr(at_); }
  std::uint32_t here() const { return static_cast<std::uint32_t>(at_); }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void skip_space() {
    const auto next = text_.source_.find_first_not_of(" \t\r\n", at_);
    at_ = next == ByteView::npos ? text_.source_.size() : next;
  }

  // Parses a value into the node begun as `node`, which knows its parent and key.
  bool value(Node node, unsigned depth) {
    node.span.begin = here();
    const auto i = text_.size();
    text_.nodes_.push_back(node);
    if (!content(i, depth)) return false;
    text_.nodes_[i].span.end = here();
    text_.nodes_[i].next = text_.size();
    return true;
  }

  bool content(Index i, unsigned depth) {
    auto& kind = text_.nodes_[i].kind;
    switch (peek()) {
      case '{':
        kind = Kind::kObject;
        return object(i, depth + 1);
      case '[':
        kind = Kind::kArray;
        return array(i, depth + 1);
      case '"':
        kind = Kind::kString;
        return string();
      case 'n':
        kind = Kind::kNull;
        return word("null");
      case 't':
        kind = Kind::kTrue;
        return word("true");
      case 'f':
        kind = Kind::kFalse;
        return word("false");
      default:
        kind = Kind::kNumber;
        return number();
    }
  }

  bool word(std::string_view expected) {
    if (!rest().starts_with(expected)) return refuse("expected a value");
    at_ += expected.size();
    return true;
  }

  bool too_deep(unsigned depth) {
    if (depth <= max_depth_) return false;
    refuse(fmt::format("nested more than {} deep", max_depth_));
    return true;
  }

  bool array(Index i, unsigned depth) {
    if (too_deep(depth)) return false;
    ++at_;
    skip_space();
    if (take(']')) return true;
    do {
      skip_space();
      if (!value({.parent = i}, depth)) return false;
      skip_space();
    } while (take(','));
    return take(']') || refuse("expected ',' or ']'");
  }

  bool object(Index i, unsigned depth) {
    if (too_deep(depth)) return false;
    ++at_;
    skip_space();
    if (take('}')) return true;
    do {
      skip_space();
      if (!member(i, depth)) return false;
      skip_space();
    } while (take(','));
    if (!take('}')) return refuse("expected ',' or '}'");
    text_.nodes_[i].next = text_.size();
    return unique_names(i);
  }

  bool member(Index i, unsigned depth) {
    Node node{.parent = i};
    node.key.begin = here();
    if (peek() != '"') return refuse("expected a name in double quotes");
    if (!string()) return false;
    node.key.end = here();
    node.name = name(node.key);
    skip_space();
    if (!take(':')) return refuse("expected ':'");
    skip_space();
    return value(node, depth);
  }

  std::string_view name(Span key) {
    const auto lexeme = text_.slice(key);
    if (!lexeme.contains('\\')) return lexeme.substr(1, lexeme.size() - 2);
    return text_.decoded_names_.emplace_back(decode_string(lexeme));
  }

  bool unique_names(Index i) {
    auto members = text_.children(i);
    auto name_of = [&](Index child) { return text_[child].name; };
    std::ranges::sort(members, {}, [&](Index child) { return std::pair(name_of(child), child); });
    const auto twice = std::ranges::adjacent_find(members, {}, name_of);
    if (twice == members.end()) return true;
    const auto& second = text_[*std::next(twice)];
    return refuse_at(second.key.begin,
                     fmt::format("the name '{}' occurs twice", printable(second.name, 64)));
  }

  bool string() {
    for (++at_; !at_end(); ++at_) {
      const char c = peek();
      if (c == '"') return take('"');
      if (static_cast<unsigned char>(c) < 0x20) return refuse("a control character in a string");
      if (c == '\\' && !escape()) return false;
    }
    return refuse("a string without its closing quote");
  }

  // Leaves at_ on the last character of the escape.
  bool escape() {
    ++at_;
    if (peek() == 'u') return unicode_escape();
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    return (!at_end() && kEscapes.contains(peek())) || refuse("an unknown escape in a string");
  }

  bool unicode_escape() {
    const auto unit = hex4(rest().substr(1));
    if (!unit) return refuse("four hexadecimal digits must follow \\u");
    if (is_low_surrogate(*unit)) return refuse("half of a surrogate pair in a string");
    at_ += 4;
    if (!is_high_surrogate(*unit)) return true;
    if (!rest().substr(1).starts_with("\\u")) return refuse("half of a surrogate pair in a string");
    const auto low = hex4(rest().substr(3));
    if (!low || !is_low_surrogate(*low)) return refuse("half of a surrogate pair in a string");
    at_ += 6;
    return true;
  }

  bool digits() {
    const auto begin = at_;
    while (is_digit(peek())) ++at_;
    return at_ > begin;
  }

  bool number() {
    const bool negative = take('-');
    if (!take('0') && !digits()) return refuse(negative ? "expected a digit" : "expected a value");
    if (take('.') && !digits()) return refuse("expected a digit");
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!digits()) return refuse("expected a digit");
    }
    return true;
  }

  JsonText text_;
  unsigned max_depth_;
  std::size_t at_ = 0;
  std::string why_;
};

Result<JsonText> JsonText::parse(ByteView source, unsigned max_depth) {
  return JsonParser(source, max_depth).run();
}

std::vector<JsonText::Index> JsonText::children(Index i) const {
  std::vector<Index> found;
  if (nodes_[i].kind != Kind::kArray && nodes_[i].kind != Kind::kObject) return found;
  for (auto child = i + 1; child < nodes_[i].next; child = nodes_[child].next) {
    found.push_back(child);
  }
  return found;
}

std::optional<JsonText::Index> JsonText::member(Index object, std::string_view name) const {
  if (nodes_[object].kind != Kind::kObject) return std::nullopt;
  for (auto child = object + 1; child < nodes_[object].next; child = nodes_[child].next) {
    if (nodes_[child].name == name) return child;
  }
  return std::nullopt;
}

std::string JsonText::string_value(Index i) const { return decode_string(lexeme(i)); }

}  // namespace cairn
