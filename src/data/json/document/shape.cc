#include "data/json/document/shape.h"

#include <algorithm>

namespace cairn::document {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::size_t kMaxKeyBytes = 128;  // longer ones are not named

Shape& made(std::unique_ptr<Shape>& shape) {
  if (!shape) shape = std::make_unique<Shape>();
  return *shape;
}

std::size_t share(std::size_t budget, std::size_t used, std::size_t children) {
  return budget > used ? std::max<std::size_t>(1, (budget - used) / children) : 1;
}

}  // namespace

Type type_of(const Value& value) {
  switch (value.kind()) {
    case json::Kind::null:
      return Type::kNull;
    case json::Kind::bool_:
      return Type::kBoolean;
    case json::Kind::int64:
    case json::Kind::uint64:
      return Type::kInteger;
    case json::Kind::double_:
      return Type::kNumber;
    case json::Kind::string:
      return Type::kString;
    case json::Kind::array:
      return Type::kArray;
    case json::Kind::object:
      return Type::kObject;
  }
  return Type::kNull;
}

std::string_view name_of(Type type) {
  constexpr std::array<std::string_view, kTypes> kNames = {"object", "array",   "string", "integer",
                                                           "number", "boolean", "null"};
  return kNames[static_cast<std::size_t>(type)];
}

void Shape::Range::add(std::size_t size) {
  min = std::min(min, size);
  max = std::max(max, size);
}

Shape Sampler::run(const Value& value) {
  Shape shape;
  merge(shape, value, 1, limits_.max_values);
  return shape;
}

std::size_t Sampler::merge(Shape& shape, const Value& value, std::size_t depth,
                           std::size_t budget) {
  ++shape.count;
  ++shape.types[static_cast<std::size_t>(type_of(value))];
  if (const auto* array = value.if_array()) return merge_array(shape, *array, depth, budget);
  if (const auto* object = value.if_object()) return merge_object(shape, *object, depth, budget);
  return 1;
}

std::size_t Sampler::merge_array(Shape& shape, const Array& array, std::size_t depth,
                                 std::size_t budget) {
  shape.array_sizes.add(array.size());
  if (array.empty()) return 1;
  shape.has_inside = true;
  if (depth > limits_.max_depth) return 1;
  const auto count = std::min({array.size(), limits_.max_elements, budget - 1});
  left_out_ = left_out_ || count < array.size();
  std::size_t used = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& element = array[i * array.size() / count];
    used += merge(made(shape.items), element, depth + 1, share(budget, used, count - i));
  }
  return used;
}

std::size_t Sampler::merge_object(Shape& shape, const Object& object, std::size_t depth,
                                  std::size_t budget) {
  shape.object_sizes.add(object.size());
  shape.has_inside = shape.has_inside || !object.empty();
  if (depth > limits_.max_depth) return 1;
  if (budget <= 1) {
    left_out_ = left_out_ || !object.empty();
    return 1;
  }
  ++shape.opened;
  // Those that may be named are looked at whatever the budget: their number is what counts.
  const auto named = std::min(object.size(), limits_.max_keys);
  const auto rest = object.size() - named;
  const auto sampled = std::min({rest, limits_.max_elements, budget - std::min(budget, named + 1)});
  left_out_ = left_out_ || sampled < rest;
  std::size_t used = 1;
  for (std::size_t i = 0; i < named + sampled; ++i) {
    const auto at = i < named ? i : named + (i - named) * rest / sampled;
    const auto& child = *(object.begin() + at);
    auto& inner = i < named ? member(shape, child.key()) : made(shape.others);
    used += merge(inner, child.value(), depth + 1, share(budget, used, named + sampled - i));
  }
  if (rest > 0) made(shape.others);
  return used;
}

Shape& Sampler::member(Shape& shape, std::string_view key) {
  if (key.size() > kMaxKeyBytes) return made(shape.others);
  const auto found = shape.places.find(std::string(key));
  if (found != shape.places.end()) return *shape.keys[found->second].shape;
  if (shape.keys.size() >= limits_.max_keys) return made(shape.others);
  shape.places.emplace(key, shape.keys.size());
  return *shape.keys.emplace_back(std::string(key), std::make_unique<Shape>()).shape;
}

}  // namespace cairn::document
