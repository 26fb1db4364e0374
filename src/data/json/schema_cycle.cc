#include "data/json/schema_cycle.h"

namespace cairn::json {
namespace {

struct Visit {
  RuleId id;
  Rule::List left;
};

enum class State : std::uint8_t { kNew, kOpen, kDone };

}  // namespace

Rule::List in_place(const Rule& rule) {
  Rule::List out;
  for (const auto* list : {&rule.refs, &rule.all_of, &rule.any_of, &rule.one_of}) {
    out.insert(out.end(), list->begin(), list->end());
  }
  for (const auto* one : {&rule.negated, &rule.condition, &rule.consequence, &rule.alternative}) {
    if (*one) out.push_back(**one);
  }
  for (const auto& [name, id] : rule.dependent_schemas) out.push_back(id);
  return out;
}

// Without recursion: a chain of references may be as long as the schema.
std::optional<RuleId> endless_rule(const SchemaRules& schema) {
  std::vector<State> states(schema.rules.size(), State::kNew);
  std::vector<Visit> open;
  const auto enter = [&](RuleId id) {
    states[id] = State::kOpen;
    open.push_back({id, in_place(schema.rules[id])});
  };
  for (RuleId root = 0; root < schema.rules.size(); ++root) {
    if (states[root] == State::kNew) enter(root);
    while (!open.empty()) {
      auto& visit = open.back();
      if (visit.left.empty()) {
        states[visit.id] = State::kDone;
        open.pop_back();
        continue;
      }
      const auto next = visit.left.back();
      visit.left.pop_back();
      if (states[next] == State::kOpen) return next;
      if (states[next] == State::kNew) enter(next);
    }
  }
  return std::nullopt;
}

}  // namespace cairn::json
