// JMESPath (jmespath.org, the specification of 2013 to 2020 with all its functions): queries that
// pick, filter and reshape JSON.
//
// Read strictly: a literal in backquotes is JSON, and `&` stands only before an argument of a
// function. What can be seen without a document is refused when compiled: an unknown function, a
// wrong number of arguments, a slice with step 0.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <boost/json/storage_ptr.hpp>

#include "base/budget.h"
#include "base/result.h"
#include "data/json/json.h"

namespace cairn::jmespath {

// The fault of a query; the detail `kind` of its error.
enum class Kind { kSyntax, kInvalidType, kInvalidArity, kUnknownFunction, kInvalidValue };

// `syntax`, `invalid-type`, `invalid-arity`, `unknown-function`, `invalid-value`
std::string_view name(Kind kind);

// In bytes.
inline constexpr std::size_t kLongestExpression = 64 << 10;
// How many expressions may stand inside each other, or after each other in pipes and projections.
inline constexpr unsigned kDeepestExpression = 300;

struct Program;

// An expression, ready to search documents. Copies share what was compiled.
//
// Threads     immutable; search from any number of them.
// Fails with  INVALID_QUERY: details `kind` (name(Kind)) and `offset`, the byte of the expression.
// Costs       a search keeps references into the document; only its result is copied.
class Expression final {
 public:
  // Linear time.
  static Result<Expression> compile(std::string_view text);

  // Spends an entry for each value visited or made, and about the bytes that intermediate results
  // and the result take. Deadline and cancellation are looked at every few thousand entries.
  //
  // Fails with  INVALID_QUERY for an argument of a wrong type; BUDGET_EXCEEDED, also when
  //             cancelled: budget.stopped_by() says which.
  //
  // The result is made in `storage`; in a monotonic one it takes half the time. REQUIRES: a storage
  // that is not shared outlives the result.
  Result<json::Value> search(const json::Value& document, Budget& budget,
                             const boost::json::storage_ptr& storage = {}) const;
  // As json::write() spells it, without making the value first.
  Result<std::string> search_text(const json::Value& document, Budget& budget) const;

 private:
  explicit Expression(std::shared_ptr<const Program> program);

  std::shared_ptr<const Program> program_;
};

}  // namespace cairn::jmespath
