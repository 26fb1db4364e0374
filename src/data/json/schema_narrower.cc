#include "data/json/schema_narrower.h"

#include "base/quote.h"
#include "data/json/schema.h"
#include "data/json/schema_cycle.h"
#include "data/json/schema_proof.h"

namespace cairn::json {
namespace {

constexpr std::size_t kLongestExample = 4000;
constexpr std::size_t kShownExample = 120;

// The example was put together by guesses about the rest of the value.
bool proves(const Value& example, const Schema& narrow, const Schema& wide) {
  return narrow.check(example) && !wide.check(example);
}

std::size_t count_values(const Value& value) {
  std::size_t count = 1;
  if (const auto* array = value.if_array()) {
    for (const auto& element : *array) count += count_values(element);
  } else if (const auto* object = value.if_object()) {
    for (const auto& member : *object) count += count_values(member.value());
  }
  return count;
}

Failure too_complicated() {
  return Failure(Error(Code::kSchemaTooWide,
                       "the schema is too complicated to be compared with the one it should "
                       "narrow; write it with fewer alternatives and references")
                     .with("schema", "#"));
}

Result<void> check_ends(const Schema& narrow, const Schema& wide) {
  if (const auto id = endless_rule(narrow.rules())) {
    auto place = "#" + narrow.rules().rules[*id].place;
    auto message = fmt::format(
        "the schema at '{}' refers back to itself before it looks into the value, so no check of "
        "it would end; write out what it refers to",
        shown(place, 200));
    return Failure(Error(Code::kSchemaTooWide, std::move(message)).with("schema", place));
  }
  if (const auto id = endless_rule(wide.rules())) {
    auto message = fmt::format(
        "no schema can be compared with one that refers back to itself, at '#{}', before it looks "
        "into the value",
        shown(wide.rules().rules[*id].place, 200));
    return Failure(Error(Code::kSchemaTooWide, std::move(message)).with("schema", "#"));
  }
  return {};
}

}  // namespace

Result<void> check_narrower(const Value& narrow, const Value& wide) {
  const auto narrow_schema = TRY(Schema::compile(narrow));
  const auto wide_schema = TRY(Schema::compile(wide));
  TRY(check_ends(narrow_schema, wide_schema));
  Proof proof(narrow_schema.rules(), wide_schema.rules(),
              count_values(narrow) + count_values(wide));
  const auto gap = proof.run();
  if (!gap) return {};
  const bool sure = gap->example && proves(*gap->example, narrow_schema, wide_schema);
  if (!sure && proof.exhausted()) return too_complicated();
  const auto example = sure ? write(*gap->example) : "";
  auto place = "#" + gap->place;
  auto message = fmt::format("the schema at '{}' {}{}; {}", shown(place, 200), gap->fact,
                             sure ? fmt::format(", as in {}", shown(example, kShownExample)) : "",
                             gap->instead);
  auto error = Error(Code::kSchemaTooWide, std::move(message)).with("schema", std::move(place));
  if (sure && example.size() <= kLongestExample) error.details.emplace("example", example);
  return Failure(std::move(error));
}

}  // namespace cairn::json
