// From the text of an expression to its tokens; private to the module's own sources.
#pragma once

#include <cstdint>

#include <boost/container/small_vector.hpp>

#include "base/result.h"
#include "data/json/jmespath/program.h"

namespace cairn::jmespath {

enum class TokenKind : std::uint8_t {
  kEnd,
  kName,
  kQuotedName,
  kNumber,
  kLiteral,
  kDot,
  kStar,
  kComma,
  kColon,
  kOpenBracket,
  kFilter,   // [?
  kFlatten,  // []
  kCloseBracket,
  kOpenBrace,
  kCloseBrace,
  kOpenParen,
  kCloseParen,
  kAt,
  kReference,  // &
  kPipe,
  kOr,
  kAnd,
  kNot,
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  // The number (kept within kFarthest), or the place in Program::names or Program::literals.
  std::int64_t number = 0;
};

using Tokens = boost::container::small_vector<Token, 128>;

// No array is that long: what is farther away means the same.
inline constexpr std::int64_t kFarthest = std::int64_t{1} << 40;

// Adds the tokens of program.text, the last one kEnd; names and literals go to the program.
// Fails with INVALID_QUERY.
Result<void> read_tokens(Program& program, Tokens& tokens);

}  // namespace cairn::jmespath
