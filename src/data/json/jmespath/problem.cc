#include "data/json/jmespath/problem.h"

#include <utility>

#include "base/quote.h"

namespace cairn::jmespath {
namespace {

std::string_view phrase(Kind kind) {
  switch (kind) {
    case Kind::kSyntax:
      return "syntax error";
    case Kind::kInvalidType:
      return "wrong type";
    case Kind::kInvalidArity:
      return "wrong number of arguments";
    case Kind::kUnknownFunction:
      return "unknown function";
    case Kind::kInvalidValue:
      return "wrong value";
  }
  std::unreachable();
}

std::string_view reason(const Budget& budget) {
  const auto limit = budget.stopped_by();
  if (!limit) return "the query is over its budget";
  switch (*limit) {
    case Budget::Limit::kEntries:
      return "the query visits or makes too many values";
    case Budget::Limit::kBytes:
      return "the query's results take too many bytes";
    case Budget::Limit::kTime:
      return "the query takes too long";
    case Budget::Limit::kCancelled:
      return "the query was cancelled";
  }
  std::unreachable();
}

}  // namespace

Error problem(Kind kind, std::string_view text, std::size_t offset, std::string_view what) {
  const auto place = offset < text.size() ? fmt::format(", at '{}'", shown(text.substr(offset), 24))
                                          : std::string(", at its end");
  return Error(Code::kInvalidQuery, fmt::format("{} at offset {} of the expression{}: {}",
                                                phrase(kind), offset, place, what))
      .with("kind", std::string(name(kind)))
      .with("offset", static_cast<std::int64_t>(offset));
}

Error over_budget(const Budget& budget) {
  const auto why = reason(budget);
  if (budget.stopped_by() == Budget::Limit::kCancelled) {
    return Error(Code::kBudgetExceeded, std::string(why));
  }
  return Error(Code::kBudgetExceeded,
               fmt::format("{}; narrow it with a filter or a slice ([?...], [:100]), select fewer "
                           "members ({{a: a}}), or search a smaller part of the document",
                           why));
}

}  // namespace cairn::jmespath
