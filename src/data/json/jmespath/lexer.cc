#include "data/json/jmespath/lexer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/quote.h"
#include "base/utf8.h"
#include "data/json/jmespath/problem.h"

namespace cairn::jmespath {
namespace {

enum Class : std::uint8_t { kOther, kSpace, kLetter, kDigit };

constexpr std::array<Class, 256> kClasses = [] {
  std::array<Class, 256> classes{};
  for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = kLetter;
  for (unsigned c = 'A'; c <= 'Z'; ++c) classes[c] = kLetter;
  for (unsigned c = '0'; c <= '9'; ++c) classes[c] = kDigit;
  classes['_'] = kLetter;
  for (const unsigned c : {' ', '\t', '\n', '\r'}) classes[c] = kSpace;
  return classes;
}();

Class class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }

// The first byte that is no UTF-8. REQUIRES: there is one.
std::size_t bad_byte(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (!valid_utf8(text.substr(at, size))) return at;
    at += size;
  }
  return at;
}

class Lexer final {
 public:
  Lexer(Program& program, Tokens& tokens)
      : program_(program), text_(program.text), tokens_(tokens) {}

  Result<void> run() {
    if (!valid_utf8(text_)) wrong(bad_byte(text_), "this byte is not UTF-8");
    while (at_ < text_.size()) next();
    add(TokenKind::kEnd, 0);
    if (error_) return Failure(std::move(*error_));
    return {};
  }

 private:
  // Nothing is read after it.
  void wrong(std::size_t offset, std::string_view what) {
    error_ = problem(Kind::kSyntax, text_, offset, what);
    at_ = text_.size();
  }

  char peek(std::size_t ahead = 1) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void add(TokenKind kind, std::size_t size, std::int64_t number = 0) {
    tokens_.emplace_back(kind, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(size),
                         number);
    at_ += size;
  }

  // The two-character token when `second` follows, otherwise the other one.
  void add_either(char second, TokenKind two, TokenKind one) {
    return peek() == second ? add(two, 2) : add(one, 1);
  }

  void next() {
    switch (class_of(text_[at_])) {
      case kSpace:
        at_ += 1;
        return;
      case kLetter:
        return add_name();
      case kDigit:
        return add_number();
      case kOther:
        return add_sign();
    }
  }

  void add_sign() {
    switch (text_[at_]) {
      case '.':
        return add(TokenKind::kDot, 1);
      case '*':
        return add(TokenKind::kStar, 1);
      case ',':
        return add(TokenKind::kComma, 1);
      case ':':
        return add(TokenKind::kColon, 1);
      case ']':
        return add(TokenKind::kCloseBracket, 1);
      case '{':
        return add(TokenKind::kOpenBrace, 1);
      case '}':
        return add(TokenKind::kCloseBrace, 1);
      case '(':
        return add(TokenKind::kOpenParen, 1);
      case ')':
        return add(TokenKind::kCloseParen, 1);
      case '@':
        return add(TokenKind::kAt, 1);
      case '[':
        if (peek() == '?') return add(TokenKind::kFilter, 2);
        return add_either(']', TokenKind::kFlatten, TokenKind::kOpenBracket);
      case '&':
        return add_either('&', TokenKind::kAnd, TokenKind::kReference);
      case '|':
        return add_either('|', TokenKind::kOr, TokenKind::kPipe);
      case '!':
        return add_either('=', TokenKind::kNotEqual, TokenKind::kNot);
      case '<':
        return add_either('=', TokenKind::kLessOrEqual, TokenKind::kLess);
      case '>':
        return add_either('=', TokenKind::kGreaterOrEqual, TokenKind::kGreater);
      case '=':
        if (peek() == '=') return add(TokenKind::kEqual, 2);
        return wrong(at_, "a single '=' means nothing; compare with '=='");
      case '-':
        if (class_of(peek()) == kDigit) return add_number();
        return wrong(at_,
                     "'-' must be followed by the digits of an index; a name with '-' in it "
                     "must be in double quotes");
      case '"':
        return add_quoted_name();
      case '\'':
        return add_raw_string();
      case '`':
        return add_literal();
      default:
        return wrong(at_,
                     "no expression has this character here; put a name that is not made of "
                     "letters, digits and '_' in double quotes");
    }
  }

  void add_name() {
    auto end = at_ + 1;
    while (end < text_.size() && class_of(text_[end]) >= kLetter) ++end;
    return add(TokenKind::kName, end - at_);
  }

  void add_number() {
    const bool negative = text_[at_] == '-';
    auto end = at_ + (negative ? 1 : 0);
    std::int64_t number = 0;
    for (; end < text_.size() && class_of(text_[end]) == kDigit; ++end) {
      number = std::min(kFarthest, number * 10 + (text_[end] - '0'));
    }
    return add(TokenKind::kNumber, end - at_, negative ? -number : number);
  }

  // The size of what begins at the quote here, with both quotes; a backslash takes the character
  // after it along. 0 when it does not end.
  std::size_t quoted_size() const {
    const char quote = text_[at_];
    const auto first = text_.find(quote, at_ + 1);
    if (first == text_.npos) return 0;
    const auto backslash = text_.substr(0, first).find('\\', at_ + 1);
    if (backslash == text_.npos) return first + 1 - at_;
    for (auto end = backslash; end < text_.size(); ++end) {
      if (text_[end] == quote) return end + 1 - at_;
      if (text_[end] == '\\') ++end;
    }
    return 0;
  }

  // The text between the quotes, with `\QUOTE` as QUOTE and every other backslash unchanged.
  std::string unquoted(std::size_t size) const {
    const char quote = text_[at_];
    const auto inside = text_.substr(at_ + 1, size - 2);
    std::string out;
    out.reserve(size);
    for (std::size_t i = 0; i < inside.size(); ++i) {
      if (inside[i] == '\\') {
        if (inside[i + 1] != quote) out += '\\';
        ++i;
      }
      out += inside[i];
    }
    return out;
  }

  void add_quoted_name() {
    const auto size = quoted_size();
    if (size == 0) return wrong(at_, "the double quote that opens here is never closed");
    auto name = json::parse(text_.substr(at_, size));
    if (!name) {
      return wrong(at_, fmt::format("a name in double quotes is spelled like a JSON string, but {}",
                                    name.error().message));
    }
    program_.names.emplace_back(json::text(*name));
    return add(TokenKind::kQuotedName, size, last(program_.names));
  }

  void add_raw_string() {
    const auto size = quoted_size();
    if (size == 0) return wrong(at_, "the single quote that opens here is never closed");
    const auto inside = text_.substr(at_ + 1, size - 2);
    if (inside.find('\\') == inside.npos) {
      program_.literals.emplace_back(inside);
    } else {
      program_.literals.emplace_back(unquoted(size));
    }
    return add(TokenKind::kLiteral, size, last(program_.literals));
  }

  void add_literal() {
    const auto size = quoted_size();
    if (size == 0) return wrong(at_, "the backquote that opens here is never closed");
    const auto written = unquoted(size);
    auto value = json::parse(written);
    if (!value) {
      return wrong(at_, fmt::format("what is in backquotes must be JSON, but {}; a string is "
                                    "written '{}'",
                                    value.error().message, shown(written, 40)));
    }
    program_.literals.push_back(std::move(*value));
    return add(TokenKind::kLiteral, size, last(program_.literals));
  }

  template <typename List>
  static std::int64_t last(const List& list) {
    return static_cast<std::int64_t>(list.size()) - 1;
  }

  Program& program_;
  const std::string_view text_;
  std::size_t at_ = 0;
  Tokens& tokens_;
  std::optional<Error> error_;
};

}  // namespace

Result<void> read_tokens(Program& program, Tokens& tokens) { return Lexer(program, tokens).run(); }

}  // namespace cairn::jmespath
