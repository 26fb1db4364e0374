// Changes the children of one array or object within a JSON text.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/json/document/layout.h"
#include "data/json/document/scan.h"
#include "data/json/json.h"
#include "data/json/pointer.h"

namespace cairn::document {

// The change that happens to a child that exists.
struct Change {
  enum class Kind { kRemove, kReplace, kMerge };

  Kind kind = Kind::kRemove;
  const json::Value* value = nullptr;  // the new one, or the merge patch
};

struct Insertion {
  std::string key{};  // in an object
  NewValue value;
};

// Changes of one container. What is inserted stands before the element `at`, or at the end.
struct Edit {
  std::map<std::string, Change, std::less<>> members{};  // of an object
  std::map<std::size_t, Change> elements{};              // of an array
  std::vector<Insertion> insertions{};
  std::optional<std::size_t> at{};  // in an array, and with no other change
};

// The text with the container at the pointer changed.
//
// Fails with INTERNAL when something that is to be changed is not there: the text was not the one
//            that was parsed.
// Costs      a scan up to the container's end, and a copy of the text.
Result<std::string> splice(std::string_view text, const json::Pointer& container, const Edit& edit);

}  // namespace cairn::document
