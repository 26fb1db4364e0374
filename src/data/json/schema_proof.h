// The search for a proof that a case is part of what a rule accepts; private to the schema's own
// sources.
//
// A goal is a case and a rule. It is shown keyword by keyword of the rule; what is inside arrays
// and objects becomes goals of its own. When that fails, the case is cut along its own
// alternatives, or by kind, or shown to have no values. A goal met again while it is being shown
// holds if it is then about a smaller value: were there a value that breaks it, the smallest could
// have no cause. Met again about the same value it is not shown.
//
// Threads     one at a time: a proof is made for one question and dropped.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/json/schema_case.h"

namespace cairn::json {

// Why a goal was not shown.
struct Gap {
  std::string place;               // in the narrow schema, a JSON pointer
  std::string fact;                // `lets numbers above 10 through`
  std::string instead;             // `write a "maximum" of 10 or less`
  std::optional<Value> example{};  // in the case, refused by the rule
};
using MaybeGap = std::optional<Gap>;

class Proof final {
 public:
  // `size` is how many values the two schemas are written with.
  Proof(const SchemaRules& narrow, const SchemaRules& wide, std::size_t size);
  Proof(const Proof&) = delete;
  Proof& operator=(const Proof&) = delete;

  // None when every value of the narrow schema is shown to be one of the wide schema.
  MaybeGap run();
  // It gave up: that there is a gap says nothing.
  bool exhausted() const { return exhausted_; }

 private:
  struct Goal {
    Case values;
    Node rule;
    bool operator<(const Goal& other) const;
  };
  struct Open {
    std::size_t level;  // how deep inside the whole value
    std::size_t index;  // among the open goals
  };
  using Names = std::set<std::string, std::less<>>;
  // The case that unnamed members fit; and the pattern their names match, if that was a choice.
  struct Others {
    Case values;
    std::vector<std::string> patterns{};
  };

  // About the same value as the goal before.
  MaybeGap show(Case values, Node rule);
  // About a part of it.
  MaybeGap show_part(Case values, Node rule);
  bool shown_part(Case values, Node rule) { return !show_part(std::move(values), rule); }
  MaybeGap show_open(const Case& values, Node rule);
  MaybeGap show_directly(const Case& values, Node rule);
  MaybeGap show_values(const Case& values, const Array& list, Node rule);
  MaybeGap show_alternatives(const Case& values, Node rule);
  MaybeGap show_kinds_apart(const Case& values, Node rule);
  MaybeGap show_empty(const Case& values);

  MaybeGap show_types(const Case& values, Node rule);
  MaybeGap show_scalars(const Case& values, Node rule);
  MaybeGap show_numbers(const Case& values, Node rule);
  MaybeGap show_strings(const Case& values, Node rule);

  MaybeGap show_arrays(const Case& values, Node rule);
  MaybeGap show_items(const Case& values, Node rule, std::size_t from, RuleId id);
  MaybeGap show_element(const Case& values, std::size_t i, Node rule);
  MaybeGap show_contains(const Case& values, Node rule);
  MaybeGap show_unevaluated_items(const Case& values, Node rule);
  bool no_arrays(const Case& values);

  MaybeGap show_objects(const Case& values, Node rule);
  MaybeGap show_required(const Case& values, Node rule);
  MaybeGap show_member_counts(const Case& values, Node rule);
  MaybeGap show_members(const Case& values, Node rule);
  MaybeGap show_member(const Case& values, const std::string& name, Node rule);
  MaybeGap show_pattern_members(const Case& values, Node rule);
  MaybeGap show_other_members(const Case& values, const std::vector<Node>& speakers, Node rule);
  MaybeGap show_names(const Case& values, Node rule);
  MaybeGap show_unevaluated_members(const Case& values, Node rule);
  bool no_objects(const Case& values);

  MaybeGap show_in_place(const Case& values, Node rule);
  MaybeGap show_any_of(const Case& values, Node rule);
  MaybeGap show_one_of(const Case& values, Node rule);
  MaybeGap show_condition(const Case& values, Node rule);

  // Names that members of the case may have, and whether there may be more.
  Names names(const Case& values);
  bool names_are_listed(const Case& values);
  Case member(const Case& values, std::string_view name);
  std::vector<Others> others(const Case& values, std::string_view pattern);

  // False once too many steps were taken.
  bool step(std::size_t count = 1);
  Fit try_value(Node rule, const Value& value);
  bool excludes(const Case& values, const Value& value);
  bool accepts(Node rule, const Value& value);
  // The first that is in the case and not accepted.
  std::optional<Value> pick(const Case& values, Node rule, const Array& candidates);
  std::optional<Value> sample(const Case& values, int depth = 0);
  std::optional<Value> sample_scalar(const Case& values);
  std::optional<Value> sample_array(const Case& values, std::size_t count, int depth);
  std::optional<Value> sample_object(const Case& values, int depth);

  // The place of the keyword in the narrow schema, or of the case when it is not given there.
  template <typename Has>
  std::string place(const Case& values, std::string_view keyword, Has has) const {
    for (const auto& node : values.all) {
      if (node.schema == narrow_ && has(node.rule())) {
        return node.rule().place + "/" + std::string(keyword);
      }
    }
    return values.at;
  }
  template <typename Field>
  std::string place_of(const Case& values, std::string_view keyword, Field Rule::* field) const {
    return place(values, keyword, [&](const Rule& rule) { return bool(rule.*field); });
  }

  const SchemaRules* narrow_;
  const SchemaRules* wide_;
  SchemaRules constants_;
  Node nothing_;  // accepts no value

  std::map<Goal, MaybeGap> known_;
  std::map<Goal, Open> open_;
  std::size_t lowest_used_;  // the lowest open goal that was taken to hold
  std::size_t level_ = 0;
  std::size_t steps_;
  std::size_t check_steps_;
  std::size_t check_cost_;  // in steps, of trying one value
  bool exhausted_ = false;
};

}  // namespace cairn::json
