// JSON Schema 2020-12, compiled once and checked often.
//
// Every keyword of the core, applicator, unevaluated and validation vocabularies within one
// document. `pattern` is what RE2 reads. Not honoured, and refused when compiled: references to
// other documents, and an `$id` below the root. Annotations, `format` and unknown keywords mean
// nothing.
#pragma once

#include <memory>

#include "base/result.h"
#include "data/json/json.h"

namespace cairn::json {

struct SchemaRules;

// A schema, ready to check values.
//
// Threads     check() from any number of them.
// Costs       check() is linear in the value times the schema, and stops after ten million
//             applications of a subschema or 500 inside each other.
class Schema final {
 public:
  // Fails with INVALID_ARGUMENT, naming the place in the schema as `#/properties/a`; the same in
  // the detail `schema`. The schema may be dropped afterwards.
  static Result<Schema> compile(const Value& schema);

  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  // Fails with INVALID_ARGUMENT and a message for whoever made the value: which argument, what it
  // is, what it should be. The detail `argument` is its path (`edits[2].old`), empty for the whole.
  Result<void> check(const Value& instance) const;

  // For this module's own sources.
  const SchemaRules& rules() const { return *rules_; }

 private:
  explicit Schema(std::unique_ptr<const SchemaRules> rules);

  std::unique_ptr<const SchemaRules> rules_;
};

}  // namespace cairn::json
