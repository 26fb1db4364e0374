#include "data/json/schema_message.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/quote.h"
#include "base/similar.h"

namespace cairn::json {
namespace {

constexpr std::size_t kBrief = 60;        // bytes of a value
constexpr std::size_t kNames = 400;       // bytes of a list
constexpr std::size_t kAlternatives = 4;  // of which each is told

std::vector<std::string> keys(const Rule::Named& named) {
  std::vector<std::string> names;
  for (const auto& [name, rule] : named) names.push_back(name);
  return names;
}

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", shown(text, kBrief)); }

bool all_say_the_same_of_one(const std::vector<Problem>& problems) {
  return std::ranges::all_of(problems, [&](const Problem& problem) {
    return problem.fact == problems.front().fact && !problem.expected.empty();
  });
}

}  // namespace

std::string InstancePath::render() const {
  std::vector<const InstancePath*> steps;
  for (const auto* at = this; at->parent != nullptr; at = at->parent) steps.push_back(at);
  std::string out;
  for (const auto* step : steps | std::views::reverse) {
    if (step->index) {
      out += fmt::format("[{}]", *step->index);
    } else {
      if (!out.empty()) out += '.';
      out += shown(step->name);
    }
  }
  return out;
}

std::string InstancePath::quoted() const {
  return parent == nullptr ? "the value" : fmt::format("'{}'", render());
}

std::string Problem::message() const {
  return expected.empty() ? fact : fmt::format("{}; it should {}", fact, expected);
}

Error Problem::error() const {
  return Error(Code::kInvalidArgument, message()).with("argument", argument);
}

std::string brief(const Value& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  return value.is_string() ? quoted(text(value)) : write(value);
}

std::string expected_types(std::uint8_t types) {
  std::vector<std::string_view> phrases;
  for (const auto& type : kTypeNames) {
    if ((types & type.bit) != 0) phrases.push_back(type.phrase);
  }
  return fmt::format("be {}", fmt::join(phrases, " or "));
}

std::string expected_values(const Array& values, const Value& instance) {
  std::string list;
  std::vector<std::string> strings;
  for (const auto& value : values) {
    if (value.is_string()) strings.emplace_back(text(value));
    if (list.size() > kNames) continue;
    if (!list.empty()) list += ", ";
    list += value.is_structured() ? shown(write(value), kBrief) : brief(value);
  }
  list = shown(list, kNames);
  const auto near = instance.is_string() ? most_similar(text(instance), strings) : "";
  const auto hint = near.empty() ? "" : fmt::format("; did you mean {}?", quoted(near));
  return fmt::format("be {}{}{}", values.size() == 1 ? "" : "one of ", list, hint);
}

Problem unknown_member(const InstancePath& path, std::string_view key, const Rule& rule) {
  const auto place = path.member(key).render();
  const std::string_view noun = path.parent == nullptr ? "argument" : "field";
  const auto names = keys(rule.properties);
  auto fact = fmt::format("unknown {} '{}'", noun, place);
  if (names.empty()) return {place, std::move(fact)};
  const auto hint = hint_for(key, names);
  fact += fmt::format("{} {}s are: {}", hint.empty() ? "; the" : hint + " The", noun,
                      shown(fmt::format("{}", fmt::join(names, ", ")), kNames));
  return {place, std::move(fact)};
}

Problem no_alternative(const InstancePath& path, const std::vector<Problem>& problems) {
  if (problems.size() == 1) return problems.front();
  const bool short_form = all_say_the_same_of_one(problems);
  std::vector<std::string> parts;
  for (const auto& problem : problems) {
    auto part = short_form ? problem.expected : problem.message();
    if (std::ranges::find(parts, part) == parts.end()) parts.push_back(std::move(part));
  }
  if (parts.size() > kAlternatives) {
    const auto more = parts.size() - kAlternatives;
    parts.resize(kAlternatives);
    parts.push_back(fmt::format("one of {} more", more));
  }
  if (short_form) {
    const auto& first = problems.front();
    return {first.argument, first.fact, fmt::format("{}", fmt::join(parts, ", or "))};
  }
  return {path.render(), fmt::format("{} fits none of the forms it may have: {}", path.quoted(),
                                     fmt::join(parts, "; or "))};
}

}  // namespace cairn::json
