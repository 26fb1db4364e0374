// Facts that a proof uses about the members of objects.
#include <algorithm>

#include "data/json/schema_proof.h"

namespace cairn::json {
namespace {

// Whether the rule, or one about the same value that it leads to, may look at a member of that
// name; without a name, at one that nobody names.
class MayEvaluate {
 public:
  MayEvaluate(Node whole, std::optional<std::string_view> name) : whole_(whole), name_(name) {}

  bool ask(Node node) {
    if (!seen_.insert(node).second) return false;
    const auto& rule = node.rule();
    if (rule.additional_properties || (node != whole_ && rule.unevaluated_properties)) return true;
    if (name_ && rule.properties.contains(*name_)) return true;
    for (const auto& [name, id] : rule.properties) names_.insert(name);
    const bool by_pattern = std::ranges::any_of(rule.pattern_properties, [&](const auto& pattern) {
      return !name_ || matches(*pattern.pattern, *name_);
    });
    return by_pattern || ask_inner(node);
  }

  std::size_t cost() const { return seen_.size(); }
  // Those of members it would look at.
  const std::set<std::string, std::less<>>& names() const { return names_; }

 private:
  bool ask_inner(Node node) {
    const auto& rule = node.rule();
    const auto asks = [&](RuleId id) { return ask(node.other(id)); };
    for (const auto* list : {&rule.refs, &rule.all_of, &rule.any_of, &rule.one_of}) {
      if (std::ranges::any_of(*list, asks)) return true;
    }
    for (const auto* one : {&rule.condition, &rule.consequence, &rule.alternative}) {
      if (*one && asks(**one)) return true;
    }
    return std::ranges::any_of(rule.dependent_schemas,
                               [&](const auto& dependent) { return asks(dependent.second); });
  }

  Node whole_;
  std::optional<std::string_view> name_;
  std::set<Node> seen_;
  std::set<std::string, std::less<>> names_;
};

bool applies_unevaluated(Node node, std::optional<std::string_view> name, std::size_t& cost) {
  if (!node.rule().unevaluated_properties) return false;
  MayEvaluate walk(node, name);
  const bool may = walk.ask(node);
  cost += walk.cost();
  return !may;
}

Case name_rules(const Case& values) {
  Case out{.all = {}, .kinds = kStrings, .at = values.at};
  for (const auto& node : values.all) {
    if (node.rule().property_names) out.all.push_back(node.other(*node.rule().property_names));
  }
  return out;
}

struct Option {
  std::optional<Node> rule;
  std::string pattern{};
};

// The options that one rule leaves for a member that nobody names, whose name matches `pattern` if
// there is one.
std::vector<Option> options(Node node, std::string_view pattern, std::size_t& cost) {
  const auto& rule = node.rule();
  std::vector<Option> out;
  if (rule.additional_properties) {
    out.push_back({node.other(*rule.additional_properties)});
  } else if (applies_unevaluated(node, std::nullopt, cost)) {
    out.push_back({node.other(*rule.unevaluated_properties)});
  } else {
    out.push_back({});
  }
  for (const auto& [compiled, id] : rule.pattern_properties) {
    if (!pattern.empty() && compiled->pattern() == pattern) return {{node.other(id)}};
    out.push_back({node.other(id), compiled->pattern()});
  }
  return out;
}

}  // namespace

Proof::Names Proof::names(const Case& values) {
  Names out = required(values);
  for (const auto& node : values.all) {
    for (const auto& [name, id] : node.rule().properties) out.insert(name);
    step(1 + node.rule().properties.size() / 8);
    if (!node.rule().unevaluated_properties) continue;
    MayEvaluate walk(node, std::nullopt);
    if (!walk.ask(node)) out.insert(walk.names().begin(), walk.names().end());
  }
  auto rules = name_rules(values);
  if (!expand(rules, steps_)) exhausted_ = true;
  if (const auto list = listed(rules)) {
    for (const auto& name : *list) {
      if (name.is_string()) out.emplace(text(name));
    }
  }
  return out;
}

bool Proof::names_are_listed(const Case& values) {
  auto rules = name_rules(values);
  if (!expand(rules, steps_)) exhausted_ = true;
  return rules.kinds == 0 || listed(rules).has_value();
}

Case Proof::member(const Case& values, std::string_view name) {
  Case out{.all = {}, .at = values.at};
  std::size_t cost = values.all.size();
  for (const auto& node : values.all) {
    const auto& rule = node.rule();
    cost += rule.pattern_properties.size();
    bool known = false;
    if (const auto named = rule.properties.find(name); named != rule.properties.end()) {
      out.all.push_back(node.other(named->second));
      known = true;
    }
    for (const auto& [pattern, id] : rule.pattern_properties) {
      if (!matches(*pattern, name)) continue;
      out.all.push_back(node.other(id));
      known = true;
    }
    if (known) continue;
    if (rule.additional_properties) {
      out.all.push_back(node.other(*rule.additional_properties));
    } else if (applies_unevaluated(node, name, cost)) {
      out.all.push_back(node.other(*rule.unevaluated_properties));
    }
  }
  step(cost);
  const auto rules = name_rules(values);
  if (!rules.all.empty() && excludes(rules, Value(name))) out.all.push_back(nothing_);
  return out;
}

std::vector<Proof::Others> Proof::others(const Case& values, std::string_view pattern) {
  if (names_are_listed(values)) return {};
  std::vector<Others> out{{Case{.all = {}, .at = values.at}}};
  for (const auto& node : values.all) {
    const auto& rule = node.rule();
    const bool silent = !rule.additional_properties && !rule.unevaluated_properties &&
                        rule.pattern_properties.empty();
    if (silent) continue;
    std::vector<Others> longer;
    std::size_t cost = 0;
    const auto choices = options(node, pattern, cost);
    if (!step(cost)) return out;
    for (const auto& option : choices) {
      for (const auto& before : out) {
        if (!step()) return out;
        auto next = before;
        if (option.rule) next.values.all.push_back(*option.rule);
        if (!option.pattern.empty()) next.patterns.push_back(option.pattern);
        longer.push_back(std::move(next));
      }
    }
    out = std::move(longer);
  }
  return out;
}

}  // namespace cairn::json
