// The values of a search while it runs; private to the module's own sources.
//
// Threads     views of a document that is not changed, or of an arena that belongs to one search.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "data/json/jmespath/functions.h"
#include "data/json/json.h"

namespace cairn::jmespath {

struct Member;

// A JSON value that owns nothing: a scalar, text or containers in the document, or containers that
// the search made in its arena. Two registers wide, so that it is passed and returned in them.
struct Item {
  enum class Tag : std::uint8_t {
    kFailed,  // no value: why is with the search
    kNull,
    kBool,
    kInt,
    kUint,
    kDouble,
    kString,
    kArray,   // of the document
    kList,    // of the search
    kObject,  // of the document
    kRecord,  // of the search
  };

  // The tag, and in the upper half the size of a string, list or record: one word, because fields
  // that are written one by one and read together stall the processor.
  std::uint64_t head = std::to_underlying(Tag::kNull);
  union {
    std::int64_t integer = 0;  // 0 and 1 are booleans
    std::uint64_t natural;
    double real;
    const char* chars;
    const json::Array* array;
    const Item* items;
    const json::Object* object;
    const Member* members;
  };

  static constexpr std::uint64_t head_of(Tag tag, std::size_t size = 0) {
    return std::to_underlying(tag) | static_cast<std::uint64_t>(size) << 32;
  }
  static Item failure() { return {.head = head_of(Tag::kFailed), .integer = 0}; }
  static Item of(bool value) { return {.head = head_of(Tag::kBool), .integer = value ? 1 : 0}; }
  static Item of(std::int64_t value) { return {.head = head_of(Tag::kInt), .integer = value}; }
  static Item of(std::uint64_t value) { return {.head = head_of(Tag::kUint), .natural = value}; }
  // Null when JSON cannot say it.
  static Item of(double value);
  static Item of(std::string_view value) {
    return {.head = head_of(Tag::kString, value.size()), .chars = value.data()};
  }
  static Item of(const json::Value& value);
  static Item list(const Item* items, std::size_t size) {
    return {.head = head_of(Tag::kList, size), .items = items};
  }
  static Item record(const Member* members, std::size_t size) {
    return {.head = head_of(Tag::kRecord, size), .members = members};
  }

  Tag tag() const { return static_cast<Tag>(head & 0xff); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(head >> 32); }
  bool boolean() const { return integer != 0; }

  bool failed() const { return tag() == Tag::kFailed; }
  bool is_null() const { return tag() == Tag::kNull; }
  bool is_number() const { return tag() >= Tag::kInt && tag() <= Tag::kDouble; }
  bool is_string() const { return tag() == Tag::kString; }
  bool is_array() const { return tag() == Tag::kArray || tag() == Tag::kList; }
  bool is_object() const { return tag() == Tag::kObject || tag() == Tag::kRecord; }

  // REQUIRES: a string.
  std::string_view text() const { return {chars, size()}; }
};
static_assert(sizeof(Item) == 16 && std::is_trivially_copyable_v<Item>);

struct Member {
  std::string_view key;
  Item value;
};

inline Item Item::of(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::null:
      return {};
    case json::Kind::bool_:
      return of(value.get_bool());
    case json::Kind::int64:
      return of(value.get_int64());
    case json::Kind::uint64:
      return of(value.get_uint64());
    case json::Kind::double_:
      return {.head = head_of(Tag::kDouble), .real = value.get_double()};
    case json::Kind::string:
      return of(std::string_view(value.get_string()));
    case json::Kind::array:
      return {.head = head_of(Tag::kArray), .array = &value.get_array()};
    case json::Kind::object:
      return {.head = head_of(Tag::kObject), .object = &value.get_object()};
  }
  std::unreachable();
}

// The elements of an array, wherever they are. REQUIRES: an array.
class Elements final {
 public:
  explicit Elements(Item array)
      : values_(array.tag() == Item::Tag::kArray ? array.array->data() : nullptr),
        items_(array.tag() == Item::Tag::kArray ? nullptr : array.items),
        size_(array.tag() == Item::Tag::kArray ? array.array->size() : array.size()) {}

  std::size_t size() const { return size_; }
  // The one of the document or of the search; nullptr for the other.
  const json::Value* value(std::size_t i) const {
    return values_ != nullptr ? values_ + i : nullptr;
  }
  const Item* item(std::size_t i) const { return values_ != nullptr ? nullptr : items_ + i; }
  Item operator[](std::size_t i) const {
    return values_ != nullptr ? Item::of(values_[i]) : items_[i];
  }

 private:
  const json::Value* values_;
  const Item* items_;
  std::size_t size_;
};

// The members of an object, wherever they are. REQUIRES: an object.
class Members final {
 public:
  explicit Members(Item object)
      : pairs_(object.tag() == Item::Tag::kObject ? object.object->begin() : nullptr),
        members_(object.tag() == Item::Tag::kObject ? nullptr : object.members),
        size_(object.tag() == Item::Tag::kObject ? object.object->size() : object.size()) {}

  std::size_t size() const { return size_; }
  std::string_view key(std::size_t i) const {
    return pairs_ != nullptr ? std::string_view(pairs_[i].key()) : members_[i].key;
  }
  Item value(std::size_t i) const {
    return pairs_ != nullptr ? Item::of(pairs_[i].value()) : members_[i].value;
  }

 private:
  const json::Object::value_type* pairs_;
  const Member* members_;
  std::size_t size_;
};

// The member of that name, or null. REQUIRES: an object.
Item find(Item object, std::string_view key, bool& found);

// The number of parts of an array or object. REQUIRES: one of these.
std::size_t count(Item container);

// Whether && and filters take it for true: everything but null, false and what is empty.
inline bool truthy(Item item) {
  switch (item.tag()) {
    case Item::Tag::kFailed:
    case Item::Tag::kNull:
      return false;
    case Item::Tag::kBool:
      return item.boolean();
    case Item::Tag::kInt:
    case Item::Tag::kUint:
    case Item::Tag::kDouble:
      return true;
    case Item::Tag::kString:
    case Item::Tag::kList:
    case Item::Tag::kRecord:
      return item.size() > 0;
    case Item::Tag::kArray:
      return !item.array->empty();
    case Item::Tag::kObject:
      return !item.object->empty();
  }
  std::unreachable();
}

// `a string`, `an array`
std::string_view phrase(Item item);
// `string`, `array`
std::string_view type_name(Item item);
// A bit of TypeBit.
inline std::uint8_t type_bit(Item item) {
  constexpr std::uint8_t kBits[] = {kNullBit,   kNullBit,   kBooleanBit, kNumberBit,
                                    kNumberBit, kNumberBit, kStringBit,  kArrayBit,
                                    kArrayBit,  kObjectBit, kObjectBit};
  return kBits[std::to_underlying(item.tag())];
}

inline double to_double(Item number) {
  if (number.tag() == Item::Tag::kInt) return static_cast<double>(number.integer);
  if (number.tag() == Item::Tag::kUint) return static_cast<double>(number.natural);
  return number.real;
}

// Whether a double says exactly that number.
inline bool is_double(Item number) {
  constexpr auto kExact = std::int64_t{1} << 53;
  if (number.tag() != Item::Tag::kInt) return number.tag() == Item::Tag::kDouble;
  return number.integer >= -kExact && number.integer <= kExact;
}

std::partial_ordering compare_any_numbers(Item a, Item b);
// Exact, whatever the kinds. REQUIRES: numbers.
inline std::partial_ordering compare_numbers(Item a, Item b) {
  if (a.tag() == Item::Tag::kInt && b.tag() == Item::Tag::kInt) return a.integer <=> b.integer;
  if (is_double(a) && is_double(b)) return to_double(a) <=> to_double(b);
  return compare_any_numbers(a, b);
}

}  // namespace cairn::jmespath
