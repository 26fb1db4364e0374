// Whether one JSON Schema accepts only what another accepts.
#pragma once

#include "base/result.h"
#include "data/json/json.h"

namespace cairn::json {

// Succeeds when every value that `narrow` accepts is accepted by `wide`. Proven, not guessed: what
// cannot be shown is refused, so a schema may be refused although it is narrower. Shown are types,
// values, bounds, lengths, items, members, alternatives and references; of a `pattern` only that
// it is the same.
//
// Fails with  SCHEMA_TOO_WIDE: names the place in the narrow schema (`#/properties/limit/maximum`,
//             detail `schema`), what it lets through, and what to write instead. The detail
//             `example`, when there is one, is JSON that the narrow one accepts and the other
//             refuses.
//             INVALID_ARGUMENT as Schema::compile() when either is not a schema.
// Costs       at most some hundred thousand steps, after which it refuses.
Result<void> check_narrower(const Value& narrow, const Value& wide);

}  // namespace cairn::json
