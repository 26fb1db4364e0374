// Schemas that say of a value only that it fits themselves; private to the schema's own sources.
#pragma once

#include <optional>

#include "data/json/schema_rules.h"

namespace cairn::json {

// All rules that look at the same value as this one does.
Rule::List in_place(const Rule& rule);

// A rule that comes back to itself without going into the value; no check of it ends. Costs linear
// time.
std::optional<RuleId> endless_rule(const SchemaRules& schema);

}  // namespace cairn::json
