#include <algorithm>

#include <fmt/format.h>

#include "base/quote.h"
#include "data/json/schema_proof.h"

namespace cairn::json {
namespace {

bool matches_any(const std::vector<Node>& rules, std::string_view name) {
  return std::ranges::any_of(rules, [&](Node node) {
    return std::ranges::any_of(node.rule().pattern_properties, [&](const auto& pattern) {
      return matches(*pattern.pattern, name);
    });
  });
}

bool names_any(const std::vector<Node>& rules, std::string_view name) {
  return std::ranges::any_of(rules,
                             [&](Node node) { return node.rule().properties.contains(name); });
}

bool has_pattern(const std::vector<Node>& rules, std::string_view text) {
  return std::ranges::any_of(rules, [&](Node node) {
    return std::ranges::any_of(node.rule().pattern_properties, [&](const auto& pattern) {
      return pattern.pattern->pattern() == text;
    });
  });
}

// A name that is not among the others.
std::string fresh_name(const std::set<std::string, std::less<>>& names) {
  std::string name = "other";
  while (names.contains(name)) name += '_';
  return name;
}

}  // namespace

MaybeGap Proof::show_objects(const Case& every, Node rule) {
  const auto values = every.of_kind(kObjects);
  if (auto gap = show_required(values, rule)) return gap;
  if (auto gap = show_members(values, rule)) return gap;
  if (auto gap = show_pattern_members(values, rule)) return gap;
  const auto& wanted = rule.rule();
  if (wanted.additional_properties) {
    const auto rest = rule.other(*wanted.additional_properties);
    if (auto gap = show_other_members(values, {rule}, rest)) return gap;
  }
  if (auto gap = show_names(values, rule)) return gap;
  return show_member_counts(values, rule);
}

MaybeGap Proof::show_required(const Case& values, Node rule) {
  const auto have = required(values);
  const auto gap = [&](std::string_view name) {
    return Gap{place(values, "required", [](const Rule& r) { return !r.required.empty(); }),
               fmt::format("lets objects without '{}' through", shown(name)),
               fmt::format("name \"{}\" in \"required\"", shown(name)),
               pick(values, rule, {sample(values).value_or(nullptr)})};
  };
  for (const auto& name : rule.rule().required) {
    if (!have.contains(name)) return gap(name);
  }
  for (const auto& [when, then] : rule.rule().dependent_required) {
    auto having = values;
    having.present.insert(when);
    const auto with = required(having);
    const auto missing =
        std::ranges::find_if(then, [&](const auto& name) { return !with.contains(name); });
    if (missing == then.end() || shown_part(member(values, when), nothing_)) continue;
    return gap(*missing);
  }
  return std::nullopt;
}

MaybeGap Proof::show_members(const Case& values, Node rule) {
  for (const auto& [name, id] : rule.rule().properties) {
    if (auto gap = show_member(values, name, rule.other(id))) return gap;
  }
  return std::nullopt;
}

MaybeGap Proof::show_member(const Case& values, const std::string& name, Node rule) {
  auto gap = show_part(member(values, name), rule);
  if (!gap) return gap;
  if (rule.rule().always == false) {
    gap->fact = fmt::format("lets the unknown member '{}' through", shown(name));
    gap->instead = "leave it out";
  }
  auto whole = gap->example ? sample(values) : std::nullopt;
  if (whole && whole->is_object()) {
    whole->get_object().insert_or_assign(name, std::move(*gap->example));
    gap->example = std::move(whole);
  } else {
    gap->example.reset();
  }
  return gap;
}

MaybeGap Proof::show_pattern_members(const Case& values, Node rule) {
  for (const auto& [pattern, id] : rule.rule().pattern_properties) {
    for (const auto& name : names(values)) {
      if (!matches(*pattern, name)) continue;
      if (auto gap = show_member(values, name, rule.other(id))) return gap;
    }
    for (const auto& other : others(values, pattern->pattern())) {
      auto gap = show_part(other.values, rule.other(id));
      if (!gap) continue;
      gap->example.reset();
      return gap;
    }
  }
  return std::nullopt;
}

// Members that none of the speakers names, by name or pattern.
MaybeGap Proof::show_other_members(const Case& values, const std::vector<Node>& speakers,
                                   Node rule) {
  if (rule.rule().always == true) return std::nullopt;
  const auto known = names(values);
  for (const auto& name : known) {
    if (names_any(speakers, name) || matches_any(speakers, name)) continue;
    if (auto gap = show_member(values, name, rule)) return gap;
  }
  for (const auto& other : others(values, "")) {
    const bool spoken_for = std::ranges::any_of(
        other.patterns, [&](const auto& pattern) { return has_pattern(speakers, pattern); });
    if (spoken_for) continue;
    auto gap = show_part(other.values, rule);
    if (!gap) continue;
    if (rule.rule().always == false) {
      gap->place = place_of(values, "additionalProperties", &Rule::additional_properties);
      gap->fact = "lets members through that it does not name";
      gap->instead = "give \"additionalProperties\": false";
    }
    auto names_used = known;
    for (const auto& node : speakers) {
      for (const auto& [name, id] : node.rule().properties) names_used.insert(name);
    }
    auto whole = sample(values);
    auto value = sample(other.values);
    gap->example.reset();
    if (whole && whole->is_object() && value) {
      whole->get_object().insert_or_assign(fresh_name(names_used), std::move(*value));
      gap->example = std::move(whole);
    }
    return gap;
  }
  return std::nullopt;
}

MaybeGap Proof::show_names(const Case& values, Node rule) {
  if (!rule.rule().property_names) return std::nullopt;
  const auto wanted = rule.other(*rule.rule().property_names);
  for (const auto& name : names(values)) {
    if (accepts(wanted, Value(name)) || shown_part(member(values, name), nothing_)) continue;
    return Gap{values.at, fmt::format("lets a member of the name '{}' through", shown(name)),
               "leave it out"};
  }
  const auto rest = others(values, "");
  if (std::ranges::all_of(rest,
                          [&](const auto& other) { return shown_part(other.values, nothing_); })) {
    return std::nullopt;
  }
  Case own{.all = {}, .kinds = kStrings, .at = values.at};
  for (const auto& node : values.all) {
    if (node.rule().property_names) own.all.push_back(node.other(*node.rule().property_names));
  }
  auto gap = show_part(std::move(own), wanted);
  if (gap) gap->example.reset();
  if (gap) gap->fact = "has no rule for the names of members, or one that " + gap->fact;
  return gap;
}

MaybeGap Proof::show_member_counts(const Case& values, Node rule) {
  const auto& wanted = rule.rule();
  const auto fewest = std::max<std::uint64_t>(least(values, &Rule::min_properties).value_or(0),
                                              required(values).size());
  if (wanted.min_properties && fewest < *wanted.min_properties) {
    return Gap{place_of(values, "minProperties", &Rule::min_properties),
               fmt::format("lets objects of fewer than {} members through", *wanted.min_properties),
               fmt::format("give a \"minProperties\" of {} or more", *wanted.min_properties),
               pick(values, rule, {sample(values).value_or(nullptr)})};
  }
  if (!wanted.max_properties) return std::nullopt;
  const auto longest = most(values, &Rule::max_properties);
  if (longest && *longest <= *wanted.max_properties) return std::nullopt;
  std::uint64_t possible = 0;
  for (const auto& name : names(values)) {
    if (!shown_part(member(values, name), nothing_)) possible += 1;
  }
  const auto rest = others(values, "");
  const bool closed = std::ranges::all_of(
      rest, [&](const auto& other) { return shown_part(other.values, nothing_); });
  if (closed && possible <= *wanted.max_properties) return std::nullopt;
  return Gap{place_of(values, "maxProperties", &Rule::max_properties),
             fmt::format("lets objects of more than {} members through", *wanted.max_properties),
             fmt::format("give a \"maxProperties\" of {} or less", *wanted.max_properties)};
}

// Members that some alternative may have looked at count as not looked at.
MaybeGap Proof::show_unevaluated_members(const Case& values, Node rule) {
  const auto& wanted = rule.rule();
  if (!wanted.unevaluated_properties || (values.kinds & kObjects) == 0) return std::nullopt;
  Case speaker{.all = {rule}};
  if (!expand(speaker, steps_)) exhausted_ = true;
  for (const auto& node : speaker.all) {
    const bool own = node == rule;
    if (node.rule().additional_properties) return std::nullopt;
    if (!own && node.rule().unevaluated_properties) return std::nullopt;
  }
  return show_other_members(values.of_kind(kObjects), speaker.all,
                            rule.other(*wanted.unevaluated_properties));
}

// Whether an object of the case would need a member that cannot be.
bool Proof::no_objects(const Case& values) {
  const auto names_needed = required(values);
  return std::ranges::any_of(
      names_needed, [&](const auto& name) { return shown_part(member(values, name), nothing_); });
}

}  // namespace cairn::json
