// Some of the elements of a value. The elements of an object are its members' values.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "data/json/json.h"

namespace cairn::document {

struct PreviewOptions {
  std::size_t count = 10;
  std::size_t offset = 0;
  // Only these of each element: names of members, or pointers into the element (`/user/name`).
  // Empty: all of it.
  std::vector<std::string> fields{};
};

// {items: [...] or {key: ...}, total, shown, offset?, missingFields?}: the first elements in the
// document's order. With fields, an element that is an object or array becomes an object of those
// it has; `missingFields` are those that none of the shown has.
//
// Fails with WRONG_JSON_TYPE (neither an object nor an array), INVALID_ARGUMENT (a pointer).
Result<json::Object> preview(const json::Value& value, const PreviewOptions& options);

struct SelectOptions {
  std::string field;              // a name, or a pointer into the element
  json::Array keys{};             // scalars: the values looked for; 1 is 1.0, but not "1"
  std::size_t max_matches = 100;  // shown; all are counted
};

// {matches: [{index or key, value}], matched, shown, total, missing?}: the elements whose field is
// one of the keys; `missing` are the keys that no element has.
//
// Fails with WRONG_JSON_TYPE (neither an object nor an array), KEY_NOT_FOUND (no element has the
//            field; detail `nearest`), INVALID_ARGUMENT (a pointer, a key that is not a scalar).
// Costs      linear in the elements and keys.
Result<json::Object> select(const json::Value& value, const SelectOptions& options);

}  // namespace cairn::document
