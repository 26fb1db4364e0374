#include "data/json/jmespath/parser.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/quote.h"
#include "base/similar.h"
#include "data/json/jmespath/builder.h"
#include "data/json/jmespath/lexer.h"
#include "data/json/jmespath/problem.h"

namespace cairn::jmespath {
namespace {

// How strongly a token binds what is before it to what is after it. A projection goes on over
// tokens of kProjection and above.
enum Power : std::uint8_t {
  kNothing = 0,
  kPiping = 1,
  kOring = 2,
  kAnding = 3,
  kComparing = 5,
  kFlattening = 9,
  kProjection = 10,
  kStarring = 20,
  kFiltering = 21,
  kDotting = 40,
  kNegating = 45,
  kBracing = 50,
  kBracketing = 55,
  kCalling = 60,
};

Power power_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEnd:
    case TokenKind::kName:
    case TokenKind::kQuotedName:
    case TokenKind::kNumber:
    case TokenKind::kLiteral:
    case TokenKind::kComma:
    case TokenKind::kColon:
    case TokenKind::kCloseBracket:
    case TokenKind::kCloseBrace:
    case TokenKind::kCloseParen:
    case TokenKind::kAt:
    case TokenKind::kReference:
      return kNothing;
    case TokenKind::kPipe:
      return kPiping;
    case TokenKind::kOr:
      return kOring;
    case TokenKind::kAnd:
      return kAnding;
    case TokenKind::kEqual:
    case TokenKind::kNotEqual:
    case TokenKind::kLess:
    case TokenKind::kLessOrEqual:
    case TokenKind::kGreater:
    case TokenKind::kGreaterOrEqual:
      return kComparing;
    case TokenKind::kFlatten:
      return kFlattening;
    case TokenKind::kStar:
      return kStarring;
    case TokenKind::kFilter:
      return kFiltering;
    case TokenKind::kDot:
      return kDotting;
    case TokenKind::kNot:
      return kNegating;
    case TokenKind::kOpenBrace:
      return kBracing;
    case TokenKind::kOpenBracket:
      return kBracketing;
    case TokenKind::kOpenParen:
      return kCalling;
  }
  std::unreachable();
}

// REQUIRES: a comparison.
Comparison comparison_of(TokenKind kind) {
  return static_cast<Comparison>(std::to_underlying(kind) - std::to_underlying(TokenKind::kEqual));
}
static_assert(std::to_underlying(TokenKind::kGreaterOrEqual) -
                  std::to_underlying(TokenKind::kEqual) ==
              std::to_underlying(Comparison::kGreaterOrEqual));

// Precedence climbing: prefix() reads what can begin an expression, infix() what can follow one.
class Parser final {
 public:
  Parser(Program& program, const Tokens& tokens)
      : program_(program), build_(program), token_(tokens.data()), end_(&tokens.back()) {}

  Result<void> run() {
    program_.root = expression(kNothing);
    if (!at(TokenKind::kEnd)) {
      unexpected("the expression should end here, or go on with '.', '[', '|' or an operator");
    }
    return build_.finish();
  }

 private:
  bool at(TokenKind kind) const { return token_->kind == kind; }

  bool accept(TokenKind kind) {
    if (!at(kind)) return false;
    ++token_;
    return true;
  }

  void expect(TokenKind kind, std::string_view what) {
    if (!accept(kind)) unexpected(what);
  }

  // Goes to the end of the text, where every rule ends, so that none has to ask.
  NodeId wrong(Kind kind, std::size_t offset, std::string_view what) {
    token_ = end_;
    return build_.wrong(kind, offset, what);
  }
  NodeId unexpected(std::string_view what) { return wrong(Kind::kSyntax, token_->offset, what); }

  NodeId too_deep(std::size_t offset) {
    token_ = end_;
    return build_.too_deep(offset);
  }

  NodeId expression(Power power) {
    if (open_ >= kDeepestExpression) return too_deep(token_->offset);
    open_ += 1;
    auto left = prefix();
    left = rest(left, power);
    open_ -= 1;
    return left;
  }

  NodeId rest(NodeId left, Power power) {
    while (power < power_of(token_->kind)) left = infix(left);
    return left;
  }

  NodeId prefix() {
    const auto& token = *token_;
    switch (token.kind) {
      case TokenKind::kName:
      case TokenKind::kQuotedName:
        return name(kCurrent);
      case TokenKind::kLiteral:
        ++token_;
        return build_.add({.op = Op::kLiteral,
                           .offset = token.offset,
                           .first = static_cast<std::uint32_t>(token.number)});
      case TokenKind::kAt:
        ++token_;
        return kCurrent;
      case TokenKind::kNot:
        ++token_;
        return build_.add(
            {.op = Op::kNot, .offset = token.offset, .source = expression(kNegating)});
      case TokenKind::kStar:
        return values(kCurrent, kStarring);
      case TokenKind::kFilter:
        return filter(kCurrent);
      case TokenKind::kFlatten:
        return flatten(kCurrent);
      case TokenKind::kOpenBracket:
        return is_list() ? list() : bracket(kCurrent);
      case TokenKind::kOpenBrace:
        return record();
      case TokenKind::kOpenParen:
        return group();
      case TokenKind::kReference:
        return unexpected(
            "'&' stands only before an argument of a function, as in "
            "sort_by(@, &name)");
      case TokenKind::kNumber:
        return unexpected(
            "a number is written in backquotes, as in `1`; an index in brackets, as "
            "in [0]");
      case TokenKind::kEnd:
        return unexpected("an expression is missing");
      default:
        return unexpected("an expression should begin here");
    }
  }

  NodeId infix(NodeId left) {
    const auto& token = *token_;
    switch (token.kind) {
      case TokenKind::kDot:
        ++token_;
        return at(TokenKind::kStar) ? values(left, kDotting) : after_dot(left);
      case TokenKind::kPipe:
        return sequence(left, Op::kChain, kPiping);
      case TokenKind::kOr:
        return sequence(left, Op::kOr, kOring);
      case TokenKind::kAnd:
        return sequence(left, Op::kAnd, kAnding);
      case TokenKind::kFilter:
        return filter(left);
      case TokenKind::kFlatten:
        return flatten(left);
      case TokenKind::kOpenBracket:
        return bracket(left);
      case TokenKind::kEqual:
      case TokenKind::kNotEqual:
      case TokenKind::kLess:
      case TokenKind::kLessOrEqual:
      case TokenKind::kGreater:
      case TokenKind::kGreaterOrEqual:
        ++token_;
        return build_.add({.op = Op::kCompare,
                           .comparison = comparison_of(token.kind),
                           .offset = token.offset,
                           .source = left,
                           .right = expression(kComparing)});
      case TokenKind::kOpenBrace:
        return unexpected("a selection after a value needs a dot: a.{b: c}");
      case TokenKind::kOpenParen:
        return unexpected("only the plain name of a function can be called");
      default:
        return unexpected("an operator, '.' or '[' should stand here");
    }
  }

  // a || b || c, all of one operator.
  NodeId sequence(NodeId left, Op op, Power power) {
    const auto mark = build_.mark();
    const auto& token = *token_;
    build_.put_aside(left);
    while (accept(token.kind)) build_.put_aside(expression(power));
    return build_.add_with_children({.op = op, .offset = token.offset}, mark);
  }

  NodeId group() {
    ++token_;
    const auto inside = expression(kNothing);
    expect(TokenKind::kCloseParen, "expected ')'");
    return inside;
  }

  // `left.name`, or a call on what `left` gives.
  NodeId name(NodeId left) {
    const auto& token = *token_++;
    const bool called = at(TokenKind::kOpenParen);
    if (called && token.kind == TokenKind::kQuotedName) {
      return wrong(Kind::kSyntax, token.offset, "a function's name is written without quotes");
    }
    if (called) return build_.chained(left, call(token), token.offset);
    return build_.member(left, name_of(token), token.offset);
  }

  std::string_view name_of(const Token& token) const {
    return token.kind == TokenKind::kQuotedName
               ? std::string_view(program_.names[static_cast<std::size_t>(token.number)])
               : std::string_view(program_.text).substr(token.offset, token.size);
  }

  NodeId after_dot(NodeId left) {
    const auto& token = *token_;
    switch (token.kind) {
      case TokenKind::kName:
      case TokenKind::kQuotedName:
        return name(left);
      case TokenKind::kOpenBracket:
        return build_.chained(left, list(), token.offset);
      case TokenKind::kOpenBrace:
        return build_.chained(left, record(), token.offset);
      default:
        return unexpected("after '.' comes a name, a function, '*', '[' or '{'");
    }
  }

  // The expression that is applied to each element of a projection. A selection ends it, in all
  // implementations: the `.a` of `[*].{a: b}.a` is of the projection's outcome.
  NodeId applied(Power power) {
    if (power_of(token_->kind) < kProjection) return kCurrent;
    const auto& token = *token_;
    const bool dot = accept(TokenKind::kDot);
    if (dot && (at(TokenKind::kOpenBracket) || at(TokenKind::kOpenBrace))) {
      return after_dot(kCurrent);
    }
    if (open_ >= kDeepestExpression) return too_deep(token.offset);
    open_ += 1;
    const auto first = dot ? after_projection_dot() : after_projection();
    const auto right = rest(first, power);
    open_ -= 1;
    return right;
  }

  NodeId after_projection_dot() {
    return at(TokenKind::kStar) ? values(kCurrent, kStarring) : after_dot(kCurrent);
  }

  NodeId after_projection() {
    if (at(TokenKind::kOpenBracket)) return bracket(kCurrent);
    if (at(TokenKind::kFilter)) return filter(kCurrent);
    return unexpected("after a projection comes '.', '[', '|' or an operator");
  }

  // REQUIRES: at '*'.
  NodeId values(NodeId left, Power power) {
    const auto& token = *token_++;
    return build_.add(
        {.op = Op::kValues, .offset = token.offset, .source = left, .right = applied(power)});
  }

  NodeId filter(NodeId left) {
    const auto& token = *token_++;
    const auto condition = expression(kNothing);
    expect(TokenKind::kCloseBracket, "expected ']' after the condition of the filter");
    return build_.add({.op = Op::kFilter,
                       .offset = token.offset,
                       .source = left,
                       .right = applied(kFiltering),
                       .condition = condition});
  }

  NodeId flatten(NodeId left) {
    const auto& token = *token_++;
    return build_.add({.op = Op::kFlatten,
                       .offset = token.offset,
                       .source = left,
                       .right = applied(kFlattening)});
  }

  // Whether the '[' here opens [a, b] rather than [0], [1:2] or [*]. Only where no value precedes.
  bool is_list() const {
    const auto next = token_[1].kind;
    if (next == TokenKind::kNumber || next == TokenKind::kColon) return false;
    return next != TokenKind::kStar || token_[2].kind != TokenKind::kCloseBracket;
  }

  // [0], [1:2] or [*]
  NodeId bracket(NodeId left) {
    const auto& token = *token_++;
    if (at(TokenKind::kColon) || (at(TokenKind::kNumber) && token_[1].kind == TokenKind::kColon)) {
      return slice(left, token.offset);
    }
    if (at(TokenKind::kNumber)) {
      const auto index = token_++->number;
      expect(TokenKind::kCloseBracket, "expected ']' after the index");
      return build_.element(left, index, token.offset);
    }
    expect(TokenKind::kStar,
           "expected an index, a slice, '*' or '?'; a selection needs a dot: "
           "a.[b, c]");
    expect(TokenKind::kCloseBracket, "expected ']' after '*'");
    return build_.add(
        {.op = Op::kProject, .offset = token.offset, .source = left, .right = applied(kStarring)});
  }

  NodeId slice(NodeId left, std::uint32_t offset) {
    std::optional<std::int64_t> parts[3];
    auto last = token_->offset;
    for (std::size_t part = 0;; ++part) {
      last = token_->offset;
      if (at(TokenKind::kNumber)) parts[part] = token_++->number;
      if (part == 2 || !accept(TokenKind::kColon)) break;
    }
    expect(TokenKind::kCloseBracket, "expected ']' after the slice [begin:end:step]");
    if (parts[2] == 0) {
      return wrong(Kind::kInvalidValue, last,
                   "the step of a slice must not be 0; leave it out, or use -1 to go backwards");
    }
    program_.slices.push_back({parts[0], parts[1], parts[2].value_or(1)});
    const auto place = static_cast<std::uint32_t>(program_.slices.size() - 1);
    return build_.add({.op = Op::kSlice,
                       .offset = offset,
                       .source = left,
                       .right = applied(kStarring),
                       .first = place});
  }

  NodeId list() {
    const auto& token = *token_++;
    const auto mark = build_.mark();
    do {
      build_.put_aside(expression(kNothing));
    } while (accept(TokenKind::kComma));
    expect(TokenKind::kCloseBracket, "expected ',' or ']'");
    return build_.add_with_children({.op = Op::kList, .offset = token.offset}, mark);
  }

  NodeId record() {
    const auto& token = *token_++;
    std::vector<Entry> entries;
    std::unordered_map<std::string_view, std::uint32_t> places;
    do {
      if (!at(TokenKind::kName) && !at(TokenKind::kQuotedName)) {
        return unexpected("a name should stand here, as in {name: expression}");
      }
      const auto key = name_of(*token_++);
      expect(TokenKind::kColon, "expected ':' after the name");
      const auto place =
          places.try_emplace(key, static_cast<std::uint32_t>(places.size())).first->second;
      entries.push_back({key, expression(kNothing), place});
    } while (accept(TokenKind::kComma));
    expect(TokenKind::kCloseBrace, "expected ',' or '}'");
    return build_.add_record({.op = Op::kRecord,
                              .offset = token.offset,
                              .names = static_cast<std::uint32_t>(places.size())},
                             entries);
  }

  // REQUIRES: at '('.
  NodeId call(const Token& name_token) {
    const auto called = name_of(name_token);
    const auto* found = find_function(called);
    ++token_;
    const auto mark = build_.mark();
    const auto references = references_.size();
    if (!at(TokenKind::kCloseParen)) {
      do {
        references_.push_back(at(TokenKind::kReference) ? token_->offset + 1 : 0);
        accept(TokenKind::kReference);
        build_.put_aside(expression(kNothing));
      } while (accept(TokenKind::kComma));
    }
    expect(TokenKind::kCloseParen, "expected ',' or ')'");
    if (found == nullptr) return unknown_function(called, name_token.offset);
    check_arguments(*found, name_token.offset, references);
    references_.resize(references);
    return build_.add_with_children(
        {.op = Op::kCall, .function = found->function, .offset = name_token.offset}, mark);
  }

  NodeId unknown_function(std::string_view called, std::size_t offset) {
    std::vector<std::string> names;
    for (const auto& known : all_functions()) names.emplace_back(known.name);
    const auto all = fmt::format("; there are {}", fmt::join(names, ", "));
    return wrong(Kind::kUnknownFunction, offset,
                 fmt::format("there is no function '{}'{}", shown(called, 40),
                             hint_for(called, names, all)));
  }

  // Their number, and that expression references stand where they are expected.
  void check_arguments(const Signature& function, std::size_t offset, std::size_t references) {
    const auto given = references_.size() - references;
    if (function.variadic ? given == 0 : given != function.count()) {
      wrong(Kind::kInvalidArity, offset,
            fmt::format("{}() takes {}{} argument{}, not {}", function.name,
                        function.variadic ? "at least " : "", function.count(),
                        function.count() == 1 ? "" : "s", given));
      return;
    }
    for (unsigned i = 0; i < given; ++i) {
      const bool expected = function.expected(i) == kExpressionBit;
      const auto place = references_[references + i];
      if (expected == (place != 0)) continue;
      wrong(Kind::kInvalidType, place != 0 ? place - 1 : offset,
            expected ? fmt::format("argument {} of {}() must be an expression: put '&' "
                                   "before it",
                                   i + 1, function.name)
                     : fmt::format("argument {} of {}() must be a value: leave '&' out", i + 1,
                                   function.name));
    }
  }

  Program& program_;
  Builder build_;
  const Token* token_;
  const Token* const end_;
  unsigned open_ = 0;
  // For each argument: the offset of its '&' plus 1, or 0.
  boost::container::small_vector<std::uint32_t, 16> references_;
};

}  // namespace

Result<void> parse(Program& program) {
  Tokens tokens;
  TRY(read_tokens(program, tokens));
  // Two tokens for each name or operator, mostly.
  program.nodes.reserve(tokens.size() / 2);
  program.steps.reserve(tokens.size() / 2);
  return Parser(program, tokens).run();
}

}  // namespace cairn::jmespath
