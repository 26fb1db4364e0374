#include "data/json/schema_proof.h"

#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "base/quote.h"
#include "data/json/schema_message.h"

namespace cairn::json {
namespace {

constexpr std::size_t kSteps = 300'000;
constexpr std::size_t kCheckSteps = 3'000'000;  // of fit(), which are small
constexpr std::size_t kCheapSize = 500;         // of schemas in which one fit() is one step
constexpr std::size_t kMaxOpen = 200;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

Gap too_complicated(std::string place) {
  return Gap{std::move(place), "is too complicated to be compared", "write it simpler"};
}

}  // namespace

Proof::Proof(const SchemaRules& narrow, const SchemaRules& wide, std::size_t size)
    : narrow_(&narrow),
      wide_(&wide),
      nothing_{&constants_, 0},
      lowest_used_(kNone),
      steps_(kSteps),
      check_steps_(kCheckSteps),
      check_cost_(1 + size / kCheapSize) {
  constants_.rules.emplace_back().always = false;
}

MaybeGap Proof::run() {
  auto gap = show(Case{.all = {Node{narrow_, 0}}}, Node{wide_, 0});
  // A part that was left out on the way may have been the one that mattered.
  if (!gap && exhausted_) gap = too_complicated("");
  return gap;
}

bool Proof::Goal::operator<(const Goal& other) const {
  if (rule != other.rule) return rule < other.rule;
  return values.compare(other.values) < 0;
}

bool Proof::step(std::size_t count) {
  if (steps_ < count) exhausted_ = true;
  if (!exhausted_) steps_ -= count;
  return !exhausted_;
}

Fit Proof::try_value(Node rule, const Value& value) {
  if (!step(check_cost_)) return Fit::kUnknown;
  return fit(*rule.schema, rule.id, value, check_steps_);
}

MaybeGap Proof::show(Case values, Node rule) {
  if (!step() || !expand(values, steps_) || open_.size() >= kMaxOpen) exhausted_ = true;
  if (exhausted_) return too_complicated(values.at);
  if (values.kinds == 0) return std::nullopt;
  const Goal goal{std::move(values), rule};
  if (const auto known = known_.find(goal); known != known_.end()) return known->second;
  if (const auto open = open_.find(goal); open != open_.end()) {
    if (open->second.level >= level_) {
      return Gap{goal.values.at, "refers to itself without end", "write out what it refers to"};
    }
    lowest_used_ = std::min(lowest_used_, open->second.index);
    return std::nullopt;
  }
  const auto index = open_.size();
  const auto used_before = std::exchange(lowest_used_, kNone);
  open_.emplace(goal, Open{level_, index});
  auto gap = show_open(goal.values, rule);
  open_.erase(goal);
  // A result that rests on a goal which is still open is not known yet.
  if (gap || lowest_used_ >= index) known_.emplace(goal, gap);
  if (lowest_used_ >= index) lowest_used_ = kNone;
  lowest_used_ = std::min(lowest_used_, used_before);
  return gap;
}

MaybeGap Proof::show_part(Case values, Node rule) {
  const auto* from = &values.at;
  for (const auto& node : values.all) {
    if (node.schema != narrow_) continue;
    from = &node.rule().place;
    break;
  }
  values.at = std::string(*from);
  level_ += 1;
  auto gap = show(std::move(values), rule);
  level_ -= 1;
  return gap;
}

MaybeGap Proof::show_open(const Case& values, Node rule) {
  if (rule.rule().always == true) return std::nullopt;
  if (const auto list = listed(values)) return show_values(values, *list, rule);
  if (auto gap = show_values(values, Array{nullptr, false, true}, rule)) return gap;
  const auto rest = values.of_kind(kEveryKind & ~(kNulls | kBooleans));
  if (rest.kinds == 0) return std::nullopt;
  auto gap = show_directly(rest, rule);
  if (!gap) return std::nullopt;
  if (auto finer = show_alternatives(rest, rule); !finer) {
    return std::nullopt;
  } else if (!finer->fact.empty()) {
    gap = std::move(finer);
  }
  if (auto finer = show_kinds_apart(rest, rule); !finer) {
    return std::nullopt;
  } else if (finer->example) {
    gap = std::move(finer);
  }
  if (rule != nothing_ && !show(rest, nothing_)) return std::nullopt;
  return gap;
}

// Exact: each value is tried.
MaybeGap Proof::show_values(const Case& values, const Array& list, Node rule) {
  for (const auto& value : list) {
    if (!step()) return too_complicated(values.at);
    if ((kind_of(value) & values.kinds) == 0 || excludes(values, value)) continue;
    if (accepts(rule, value)) continue;
    auto at = place(values, "enum", [](const Rule& r) { return r.one_of_values.has_value(); });
    if (at == values.at) at = place_of(values, "const", &Rule::constant);
    if (at == values.at) at = place_of(values, "type", &Rule::types);
    return Gap{std::move(at), fmt::format("lets {} through", shown(write(value), 60)),
               "leave it out", value};
  }
  return std::nullopt;
}

MaybeGap Proof::show_directly(const Case& values, Node rule) {
  const auto& wanted = rule.rule();
  if (wanted.always == false) return show_empty(values);
  if (auto gap = show_types(values, rule)) return gap;
  if (auto gap = show_scalars(values, rule)) return gap;
  if ((values.kinds & kArrays) != 0) {
    if (auto gap = show_arrays(values, rule)) return gap;
  }
  if ((values.kinds & kObjects) != 0) {
    if (auto gap = show_objects(values, rule)) return gap;
  }
  return show_in_place(values, rule);
}

// A gap without words: there was nothing to choose from.
MaybeGap Proof::show_alternatives(const Case& values, Node rule) {
  for (const auto& node : values.all) {
    const auto& said = node.rule();
    const auto choose = [&](Choice choice, bool given) -> std::optional<Case> {
      if (!given || values.chosen.contains({node, choice})) return std::nullopt;
      auto chosen = values;
      chosen.chosen.insert({node, choice});
      return chosen;
    };
    if (const auto chosen = choose(Choice::kAnyOf, !said.any_of.empty())) {
      for (const auto id : said.any_of) {
        if (auto gap = show(chosen->with(node.other(id)), rule)) return gap;
      }
      return std::nullopt;
    }
    if (const auto chosen = choose(Choice::kOneOf, !said.one_of.empty())) {
      for (std::size_t i = 0; i < said.one_of.size(); ++i) {
        auto only = chosen->with(node.other(said.one_of[i]));
        for (std::size_t j = 0; j < said.one_of.size(); ++j) {
          if (i != j) only.none.push_back(node.other(said.one_of[j]));
        }
        if (auto gap = show(std::move(only), rule)) return gap;
      }
      return std::nullopt;
    }
    if (const auto chosen = choose(Choice::kIf, said.condition.has_value())) {
      const auto condition = node.other(*said.condition);
      auto then = chosen->with(condition);
      if (said.consequence) then.all.push_back(node.other(*said.consequence));
      if (auto gap = show(std::move(then), rule)) return gap;
      auto otherwise = chosen->without(condition);
      if (said.alternative) otherwise.all.push_back(node.other(*said.alternative));
      return show(std::move(otherwise), rule);
    }
  }
  return Gap{};
}

// For a rule with alternatives, of which each may accept one kind.
MaybeGap Proof::show_kinds_apart(const Case& values, Node rule) {
  const auto& wanted = rule.rule();
  const bool chooses = !wanted.any_of.empty() || !wanted.one_of.empty() || wanted.condition;
  if (!chooses || std::popcount(values.kinds) < 2) return Gap{};
  for (int bit = 1; bit <= kObjects; bit *= 2) {
    auto of_kind = values.of_kind(static_cast<std::uint8_t>(bit));
    if (of_kind.kinds == 0) continue;
    if (auto gap = show(std::move(of_kind), rule)) return gap;
  }
  return std::nullopt;
}

MaybeGap Proof::show_empty(const Case& values) {
  const auto gap = [&] {
    return Gap{values.at, "lets a value through where none is allowed", "write false here",
               sample(values)};
  };
  for (const auto& node : values.none) {
    if (node.rule().always == true) return std::nullopt;
    auto rest = values;
    std::erase(rest.none, node);
    if (!show(std::move(rest), node)) return std::nullopt;
  }
  auto kinds = values.kinds;
  if ((kinds & kArrays) != 0 && no_arrays(values)) kinds &= kEveryKind & ~kArrays;
  if ((kinds & kObjects) != 0 && no_objects(values)) kinds &= kEveryKind & ~kObjects;
  return kinds == 0 ? MaybeGap{} : gap();
}

MaybeGap Proof::show_in_place(const Case& values, Node rule) {
  const auto& wanted = rule.rule();
  for (const auto& list : {wanted.refs, wanted.all_of}) {
    for (const auto id : list) {
      if (auto gap = show(values, rule.other(id))) return gap;
    }
  }
  if (auto gap = show_any_of(values, rule)) return gap;
  if (auto gap = show_one_of(values, rule)) return gap;
  if (wanted.negated) {
    if (auto gap = show(values.with(rule.other(*wanted.negated)), nothing_)) return gap;
  }
  for (const auto& [name, id] : wanted.dependent_schemas) {
    if ((values.kinds & kObjects) == 0) break;
    auto having = values.of_kind(kObjects);
    having.present.insert(name);
    if (auto gap = show(std::move(having), rule.other(id))) return gap;
  }
  if (auto gap = show_condition(values, rule)) return gap;
  if (auto gap = show_unevaluated_items(values, rule)) return gap;
  return show_unevaluated_members(values, rule);
}

MaybeGap Proof::show_any_of(const Case& values, Node rule) {
  if (rule.rule().any_of.empty()) return std::nullopt;
  MaybeGap inner;  // of a form that is not just of another type
  const auto type_place = place_of(values, "type", &Rule::types);
  for (const auto id : rule.rule().any_of) {
    auto gap = show(values, rule.other(id));
    if (!gap) return std::nullopt;
    if (gap->place != values.at && gap->place != type_place) inner = std::move(gap);
  }
  if (inner && inner->example && accepts(rule, *inner->example)) inner->example.reset();
  if (inner) return inner;
  return Gap{values.at, "is not shown to fit any one of the forms the value may have",
             "give one of those forms", pick(values, rule, Array{sample(values).value_or(0)})};
}

MaybeGap Proof::show_one_of(const Case& values, Node rule) {
  const auto& forms = rule.rule().one_of;
  if (forms.empty()) return std::nullopt;
  MaybeGap inner;  // of a form that is not just of another type
  const auto type_place = place_of(values, "type", &Rule::types);
  for (const auto id : forms) {
    auto gap = show(values, rule.other(id));
    for (const auto other : forms) {
      if (!gap && other != id) gap = show(values.with(rule.other(other)), nothing_);
    }
    if (!gap) return std::nullopt;
    if (gap->place != values.at && gap->place != type_place) inner = std::move(gap);
  }
  if (inner) return inner;
  return Gap{values.at, "is not shown to fit exactly one of the forms the value may have",
             "give one of those forms", pick(values, rule, Array{sample(values).value_or(0)})};
}

MaybeGap Proof::show_condition(const Case& values, Node rule) {
  const auto& wanted = rule.rule();
  if (!wanted.condition) return std::nullopt;
  const auto condition = rule.other(*wanted.condition);
  if (wanted.consequence) {
    if (auto gap = show(values.with(condition), rule.other(*wanted.consequence))) return gap;
  }
  if (!wanted.alternative) return std::nullopt;
  return show(values.without(condition), rule.other(*wanted.alternative));
}

bool Proof::excludes(const Case& values, const Value& value) {
  if (const auto* object = value.if_object()) {
    for (const auto& name : values.present) {
      if (!object->contains(name)) return true;
    }
  }
  const auto says = [&](Node node, Fit answer) { return try_value(node, value) == answer; };
  return std::ranges::any_of(values.all, [&](Node node) { return says(node, Fit::kNo); }) ||
         std::ranges::any_of(values.none, [&](Node node) { return says(node, Fit::kYes); });
}

bool Proof::accepts(Node rule, const Value& value) {
  const auto answer = try_value(rule, value);
  if (answer == Fit::kUnknown && check_steps_ == 0) exhausted_ = true;
  return answer == Fit::kYes;
}

std::optional<Value> Proof::pick(const Case& values, Node rule, const Array& candidates) {
  for (const auto& value : candidates) {
    if ((kind_of(value) & values.kinds) == 0 || excludes(values, value)) continue;
    if (try_value(rule, value) == Fit::kNo) return value;
  }
  return std::nullopt;
}

}  // namespace cairn::json
