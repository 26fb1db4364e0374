#include "data/json/jmespath/item.h"

#include <cmath>
#include <limits>
#include <utility>

namespace cairn::jmespath {
namespace {

using Tag = Item::Tag;

// Holds every integer of 64 bits and every double.
using Wide = long double;
static_assert(std::numeric_limits<Wide>::digits >= 64);

Wide wide(Item number) {
  if (number.tag() == Tag::kInt) return static_cast<Wide>(number.integer);
  if (number.tag() == Tag::kUint) return static_cast<Wide>(number.natural);
  return static_cast<Wide>(number.real);
}

struct TypeWords {
  std::string_view name;
  std::string_view phrase;
};

TypeWords words(Item item) {
  switch (item.tag()) {
    case Tag::kFailed:
    case Tag::kNull:
      return {"null", "null"};
    case Tag::kBool:
      return {"boolean", "a boolean"};
    case Tag::kInt:
    case Tag::kUint:
    case Tag::kDouble:
      return {"number", "a number"};
    case Tag::kString:
      return {"string", "a string"};
    case Tag::kArray:
    case Tag::kList:
      return {"array", "an array"};
    case Tag::kObject:
    case Tag::kRecord:
      return {"object", "an object"};
  }
  std::unreachable();
}

}  // namespace

Item Item::of(double value) {
  if (!std::isfinite(value)) return {};
  return {.head = head_of(Tag::kDouble), .real = value};
}

Item find(Item object, std::string_view key, bool& found) {
  if (object.tag() == Tag::kObject) {
    const auto* value = json::find(*object.object, key);
    found = value != nullptr;
    return found ? Item::of(*value) : Item();
  }
  for (std::uint32_t i = 0; i < object.size(); ++i) {
    if (object.members[i].key != key) continue;
    found = true;
    return object.members[i].value;
  }
  found = false;
  return {};
}

std::size_t count(Item container) {
  if (container.tag() == Tag::kArray) return container.array->size();
  if (container.tag() == Tag::kObject) return container.object->size();
  return container.size();
}

std::string_view phrase(Item item) { return words(item).phrase; }
std::string_view type_name(Item item) { return words(item).name; }

std::partial_ordering compare_any_numbers(Item a, Item b) { return wide(a) <=> wide(b); }

}  // namespace cairn::jmespath
