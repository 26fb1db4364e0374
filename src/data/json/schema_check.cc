#include <algorithm>

#include "data/json/compare.h"
#include "data/json/schema.h"
#include "data/json/schema_marks.h"
#include "data/json/schema_message.h"
#include "data/json/schema_rules.h"

namespace cairn::json {
namespace {

// Schemas and values both come from clients; nested alternatives can multiply.
constexpr std::size_t kMaxSteps = 10'000'000;
constexpr std::size_t kMaxDepth = 500;

std::uint8_t types_of(const Value& value) {
  switch (value.kind()) {
    case Kind::null:
      return kNullBit;
    case Kind::bool_:
      return kBooleanBit;
    case Kind::int64:
    case Kind::uint64:
      return kIntegerBit | kNumberBit;
    case Kind::double_:
      return is_integer(value) ? kIntegerBit | kNumberBit : kNumberBit;
    case Kind::string:
      return kStringBit;
    case Kind::array:
      return kArrayBit;
    case Kind::object:
      return kObjectBit;
  }
  return 0;
}

std::uint64_t count_characters(std::string_view text) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

// One walk of an instance through the rules. Without telling it only finds out whether the
// instance fits; telling, it also keeps the first problem.
class Walk {
 public:
  enum class Telling { kNo, kYes };

  Walk(const SchemaRules& schema, Telling telling, std::size_t max_steps = kMaxSteps)
      : rules_(schema.rules), telling_(telling == Telling::kYes), max_steps_(max_steps) {}

  bool fits(const Value& instance, RuleId id = 0) {
    return visit(id, instance, {}, nullptr) && !exhausted_;
  }

  bool exhausted() const { return exhausted_; }
  std::size_t steps() const { return steps_; }
  const std::optional<Problem>& problem() const { return problem_; }

 private:
  using Path = InstancePath;

  // Everything the parts of one visit share.
  struct At {
    const Rule& rule;
    const Value& value;
    const Path& path;
    Marks* marks;  // nullptr when nobody asks
  };

  bool visit(RuleId id, const Value& value, const Path& path, Marks* outer) {
    // Exhausted is not refused: whoever asks has to tell the two apart.
    if (++steps_ > max_steps_ || depth_ >= kMaxDepth) exhausted_ = true;
    if (exhausted_) return false;
    const auto& rule = rules_[id];
    // Marks of a subschema count only when it fits, so they are collected apart.
    Marks own;
    const bool marking = outer != nullptr || rule.unevaluated_items || rule.unevaluated_properties;
    const At at{rule, value, path, marking ? &own : nullptr};
    depth_ += 1;
    const bool fit = check_value(at) && check_parts(at) && check_in_place(at) &&
                     check_unevaluated(at) && !exhausted_;
    depth_ -= 1;
    if (fit && outer != nullptr) outer->add(own);
    return fit;
  }

  // Visits without telling.
  // For subschemas whose failure is no problem of the value: `not`, `contains`, `if`.
  bool quietly(RuleId id, const At& at, const Value& value, Marks* marks) {
    const bool telling = std::exchange(telling_, false);
    const bool fit = visit(id, value, at.path, marks);
    telling_ = telling;
    return fit;
  }

  template <typename MakeProblem>
  bool refuse(MakeProblem make) {
    if (telling_ && !problem_) problem_ = make();
    return false;
  }

  // 'limit' is 5000; it should be at most 1000
  template <typename MakeExpected>
  bool refuse_value(const At& at, MakeExpected expected) {
    return refuse([&] {
      return Problem{at.path.render(), fmt::format("{} is {}", at.path.quoted(), brief(at.value)),
                     expected()};
    });
  }

  bool check_value(const At& at) {
    const auto& [rule, value, path, marks] = at;
    if (rule.always == false) {
      return refuse(
          [&] { return Problem{path.render(), fmt::format("{} is not allowed", path.quoted())}; });
    }
    if (rule.types != 0 && (rule.types & types_of(value)) == 0) {
      return refuse_value(at, [&] { return expected_types(rule.types); });
    }
    if (rule.one_of_values && !is_one_of(rule, value)) {
      return refuse_value(at, [&] { return expected_values(*rule.one_of_values, value); });
    }
    if (rule.constant && !same(*rule.constant, value)) {
      return refuse_value(at, [&] { return expected_values({*rule.constant}, value); });
    }
    return true;
  }

  // Comparing costs as much as there is to compare, and is counted.
  bool is_one_of(const Rule& rule, const Value& value) {
    constexpr std::size_t kBytesOfStep = 64;
    if (rule.spelled_values.empty()) {
      steps_ += rule.one_of_values->size();
      return std::ranges::any_of(*rule.one_of_values,
                                 [&](const auto& allowed) { return same(allowed, value); });
    }
    std::string spelled;
    write_canonical(spelled, value);
    steps_ += spelled.size() / kBytesOfStep;
    return rule.spelled_values.contains(spelled);
  }

  bool check_parts(const At& at) {
    if (at.value.is_number()) return check_number(at);
    if (const auto* string = at.value.if_string()) return check_string(at, *string);
    if (const auto* array = at.value.if_array()) return check_array(at, *array);
    if (const auto* object = at.value.if_object()) return check_object(at, *object);
    return true;
  }

  bool check_number(const At& at) {
    const auto& rule = at.rule;
    const auto allowed = [&](const Rule::Number& limit, auto fits, std::string_view phrase) {
      if (!limit || fits(compare_numbers(at.value, *limit))) return true;
      return refuse_value(at, [&] { return fmt::format("be {} {}", phrase, write(*limit)); });
    };
    return allowed(
               rule.minimum, [](auto order) { return order >= 0; }, "at least") &&
           allowed(
               rule.maximum, [](auto order) { return order <= 0; }, "at most") &&
           allowed(
               rule.exclusive_minimum, [](auto order) { return order > 0; }, "more than") &&
           allowed(
               rule.exclusive_maximum, [](auto order) { return order < 0; }, "less than") &&
           (!rule.multiple_of || is_multiple(at.value, *rule.multiple_of) || refuse_value(at, [&] {
             return fmt::format("be a multiple of {}", write(*rule.multiple_of));
           }));
  }

  // 'tags' has 3 items; it should have at most 2
  bool check_count(const At& at, std::uint64_t count, const Rule::Count& min,
                   const Rule::Count& max, std::string_view what) {
    const bool few = min && count < *min;
    if (!few && !(max && count > *max)) return true;
    return refuse([&] {
      return Problem{
          at.path.render(), fmt::format("{} has {} {}", at.path.quoted(), count, what),
          few ? fmt::format("have at least {}", *min) : fmt::format("have at most {}", *max)};
    });
  }

  bool check_string(const At& at, std::string_view string) {
    const auto& rule = at.rule;
    if ((rule.min_length || rule.max_length) &&
        !check_count(at, count_characters(string), rule.min_length, rule.max_length,
                     "characters")) {
      return false;
    }
    if (!rule.pattern || matches(*rule.pattern, string)) return true;
    return refuse_value(
        at, [&] { return fmt::format("match the pattern {}", rule.pattern->pattern()); });
  }

  bool check_array(const At& at, const Array& array) {
    const auto& rule = at.rule;
    return check_count(at, array.size(), rule.min_items, rule.max_items, "items") &&
           check_items(at, array) && check_contains(at, array) && check_unique(at, array);
  }

  bool check_items(const At& at, const Array& array) {
    const auto& rule = at.rule;
    const auto prefix = std::min(rule.prefix_items.size(), array.size());
    const auto end = rule.items ? array.size() : prefix;
    for (std::size_t i = 0; i < end; ++i) {
      const auto id = i < prefix ? rule.prefix_items[i] : *rule.items;
      if (!visit(id, array[i], at.path.element(i), nullptr)) return false;
      if (at.marks != nullptr) at.marks->add(i);
    }
    return true;
  }

  bool check_contains(const At& at, const Array& array) {
    const auto& rule = at.rule;
    if (!rule.contains) return true;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (!quietly(*rule.contains, at, array[i], nullptr)) continue;
      count += 1;
      if (at.marks != nullptr) at.marks->add(i);
    }
    return check_count(at, count, rule.min_contains.value_or(1), rule.max_contains,
                       "items of the kind asked for");
  }

  bool check_unique(const At& at, const Array& array) {
    if (!at.rule.unique_items || array.size() < 2) return true;
    const auto twice = equal_elements(array);
    return !twice || refuse([&] {
      return Problem{at.path.render(),
                     fmt::format("{} has the same item at [{}] and [{}]", at.path.quoted(),
                                 twice->first, twice->second),
                     "have no item twice"};
    });
  }

  bool check_object(const At& at, const Object& object) {
    const auto& rule = at.rule;
    // Members first: an unknown name is often the misspelling of the required one that is missing.
    return check_members(at, object) && check_required(at, object) &&
           check_count(at, object.size(), rule.min_properties, rule.max_properties, "members") &&
           check_names(at, object) && check_dependents(at, object);
  }

  bool check_members(const At& at, const Object& object) {
    const auto& rule = at.rule;
    if (rule.properties.empty() && rule.pattern_properties.empty() && !rule.additional_properties) {
      return true;
    }
    std::size_t i = 0;
    for (const auto& [key, value] : object) {
      bool known = false;
      if (!check_member(at, key, value, known)) return false;
      if (!known && rule.additional_properties) {
        if (!check_other_member(at, *rule.additional_properties, key, value)) return false;
        known = true;
      }
      if (known && at.marks != nullptr) at.marks->add(i);
      i += 1;
    }
    return true;
  }

  bool check_member(const At& at, std::string_view key, const Value& value, bool& known) {
    const auto path = at.path.member(key);
    if (const auto named = at.rule.properties.find(key); named != at.rule.properties.end()) {
      known = true;
      if (!visit(named->second, value, path, nullptr)) return false;
    }
    for (const auto& [pattern, id] : at.rule.pattern_properties) {
      if (!matches(*pattern, key)) continue;
      known = true;
      if (!visit(id, value, path, nullptr)) return false;
    }
    return true;
  }

  bool check_other_member(const At& at, RuleId id, std::string_view key, const Value& value) {
    if (rules_[id].always == false)
      return refuse([&] { return unknown_member(at.path, key, at.rule); });
    return visit(id, value, at.path.member(key), nullptr);
  }

  bool check_required(const At& at, const Object& object) {
    for (const auto& name : at.rule.required) {
      if (object.contains(name)) continue;
      return refuse([&] {
        const auto path = at.path.member(name);
        return Problem{path.render(), fmt::format("{} is required", path.quoted())};
      });
    }
    return true;
  }

  bool check_names(const At& at, const Object& object) {
    if (!at.rule.property_names) return true;
    for (const auto& member : object) {
      const std::string_view key = member.key();
      const bool had_problem = problem_.has_value();
      if (visit(*at.rule.property_names, Value(key), at.path.member(key), nullptr)) continue;
      if (problem_ && !had_problem) problem_->fact = "the name of " + problem_->fact;
      return false;
    }
    return true;
  }

  bool check_dependents(const At& at, const Object& object) {
    for (const auto& [when, names] : at.rule.dependent_required) {
      if (!object.contains(when)) continue;
      for (const auto& name : names) {
        if (object.contains(name)) continue;
        return refuse([&] {
          const auto path = at.path.member(name);
          return Problem{path.render(), fmt::format("{} is required when {} is given",
                                                    path.quoted(), at.path.member(when).quoted())};
        });
      }
    }
    return std::ranges::all_of(at.rule.dependent_schemas, [&](const auto& dependent) {
      return !object.contains(dependent.first) || in_place(dependent.second, at);
    });
  }

  // A subschema of the same instance.
  bool in_place(RuleId id, const At& at) { return visit(id, at.value, at.path, at.marks); }

  bool check_in_place(const At& at) {
    const auto& rule = at.rule;
    const auto fits = [&](RuleId id) { return in_place(id, at); };
    return std::ranges::all_of(rule.refs, fits) && std::ranges::all_of(rule.all_of, fits) &&
           check_any_of(at) && check_one_of(at) && check_not(at) && check_condition(at);
  }

  // How many of the alternatives fit, and the problems of the others when telling.
  std::size_t count_fitting(const At& at, const Rule::List& alternatives, std::size_t enough,
                            std::vector<Problem>& problems) {
    auto before = std::exchange(problem_, std::nullopt);
    std::size_t count = 0;
    for (const auto id : alternatives) {
      // All of them when somebody asks for marks: each that fits contributes.
      if (count >= enough && at.marks == nullptr) break;
      count += in_place(id, at) ? 1 : 0;
      if (problem_) problems.push_back(*std::exchange(problem_, std::nullopt));
    }
    problem_ = std::move(before);
    return count;
  }

  bool check_any_of(const At& at) {
    if (at.rule.any_of.empty()) return true;
    std::vector<Problem> problems;
    if (count_fitting(at, at.rule.any_of, 1, problems) > 0) return true;
    return refuse([&] { return no_alternative(at.path, problems); });
  }

  bool check_one_of(const At& at) {
    if (at.rule.one_of.empty()) return true;
    std::vector<Problem> problems;
    const auto count = count_fitting(at, at.rule.one_of, 2, problems);
    if (count == 1) return true;
    return refuse([&] {
      if (count == 0) return no_alternative(at.path, problems);
      return Problem{
          at.path.render(),
          fmt::format("{} fits more than one of the forms it may have", at.path.quoted()),
          "fit exactly one"};
    });
  }

  bool check_not(const At& at) {
    if (!at.rule.negated || !quietly(*at.rule.negated, at, at.value, nullptr)) return true;
    return refuse([&] {
      return Problem{at.path.render(), fmt::format("{} is {}, which is not allowed",
                                                   at.path.quoted(), brief(at.value))};
    });
  }

  bool check_condition(const At& at) {
    const auto& rule = at.rule;
    if (!rule.condition) return true;
    const bool holds = quietly(*rule.condition, at, at.value, at.marks);
    const auto& then = holds ? rule.consequence : rule.alternative;
    return !then || in_place(*then, at);
  }

  // Comes last: it asks what all the others have looked at.
  bool check_unevaluated(const At& at) {
    if (const auto* array = at.value.if_array(); array != nullptr && at.rule.unevaluated_items) {
      return check_unevaluated_items(at, *array);
    }
    if (const auto* object = at.value.if_object();
        object != nullptr && at.rule.unevaluated_properties) {
      return check_unevaluated_members(at, *object);
    }
    return true;
  }

  bool check_unevaluated_items(const At& at, const Array& array) {
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (at.marks->has(i)) continue;
      if (!visit(*at.rule.unevaluated_items, array[i], at.path.element(i), nullptr)) return false;
      at.marks->add(i);
    }
    return true;
  }

  bool check_unevaluated_members(const At& at, const Object& object) {
    std::size_t i = 0;
    for (const auto& [key, value] : object) {
      if (!at.marks->has(i)) {
        if (!check_other_member(at, *at.rule.unevaluated_properties, key, value)) return false;
        at.marks->add(i);
      }
      i += 1;
    }
    return true;
  }

  const std::deque<Rule>& rules_;
  bool telling_;
  std::size_t max_steps_;
  std::optional<Problem> problem_;
  std::size_t steps_ = 0;
  std::size_t depth_ = 0;
  bool exhausted_ = false;
};

}  // namespace

bool matches(const re2::RE2& pattern, std::string_view text) {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

Fit fit(const SchemaRules& schema, RuleId id, const Value& instance, std::size_t& steps) {
  Walk walk(schema, Walk::Telling::kNo, std::min(steps, kMaxSteps));
  const bool fits = walk.fits(instance, id);
  steps -= std::min(steps, walk.steps());
  if (walk.exhausted()) return Fit::kUnknown;
  return fits ? Fit::kYes : Fit::kNo;
}

Result<void> Schema::check(const Value& instance) const {
  Walk quick(*rules_, Walk::Telling::kNo);
  if (quick.fits(instance)) return {};
  if (!quick.exhausted()) {
    Walk again(*rules_, Walk::Telling::kYes);
    again.fits(instance);
    if (again.problem() && !again.exhausted()) return Failure(again.problem()->error());
  }
  return Failure(Error(Code::kInvalidArgument,
                       "the value cannot be checked: its schema refers to itself without end, or "
                       "the value is too large for it")
                     .with("argument", ""));
}

}  // namespace cairn::json
