#include "data/json/jmespath/jmespath.h"

#include <utility>

#include "data/json/jmespath/parser.h"
#include "data/json/jmespath/problem.h"
#include "data/json/jmespath/search.h"

namespace cairn::jmespath {

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::kSyntax:
      return "syntax";
    case Kind::kInvalidType:
      return "invalid-type";
    case Kind::kInvalidArity:
      return "invalid-arity";
    case Kind::kUnknownFunction:
      return "unknown-function";
    case Kind::kInvalidValue:
      return "invalid-value";
  }
  std::unreachable();
}

Expression::Expression(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

Result<Expression> Expression::compile(std::string_view text) {
  if (text.size() > kLongestExpression) {
    return Failure(problem(Kind::kSyntax, text, kLongestExpression,
                           fmt::format("it has {} bytes, but may have {}; put constants into the "
                                       "document, or cut the query into several",
                                       text.size(), kLongestExpression)));
  }
  auto program = std::make_shared<Program>();
  program->text = text;
  TRY(parse(*program));
  return Expression(std::move(program));
}

Result<json::Value> Expression::search(const json::Value& document, Budget& budget,
                                       const boost::json::storage_ptr& storage) const {
  Search search(*program_, budget);
  return search.value(TRY(search.run(document)), storage);
}

Result<std::string> Expression::search_text(const json::Value& document, Budget& budget) const {
  Search search(*program_, budget);
  return search.text(TRY(search.run(document)));
}

}  // namespace cairn::jmespath
