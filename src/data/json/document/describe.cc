#include "data/json/document/describe.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "data/json/document/shape.h"

namespace cairn::document {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::size_t kMinBytes = 1000;
constexpr std::size_t kNotesBytes = 500;  // what stands around the schema

struct RenderLimits {
  std::size_t bytes;
  std::size_t depth;
  std::size_t keys;
};

// Turns a shape into JSON; stops where the bytes are spent.
class Renderer {
 public:
  explicit Renderer(const RenderLimits& limits) : limits_(limits), left_(limits.bytes) {}

  // None when it does not fit.
  std::optional<Object> run(const Shape& shape) {
    auto out = render(shape, 1);
    return fits_ ? std::optional(std::move(out)) : std::nullopt;
  }

  // In words, what is not there.
  void add_notes(Array& notes) const {
    if (left_out_levels_) {
      notes.emplace_back(
          fmt::format("only {} levels are shown; describe what is marked deeper on its own, with "
                      "its jsonPath",
                      limits_.depth));
    }
    if (left_out_keys_) {
      notes.emplace_back(
          fmt::format("of each object at most {} keys are named; the others are counted and merged "
                      "under otherProperties; preview shows them",
                      limits_.keys));
    }
  }

 private:
  Object render(const Shape& shape, std::size_t depth) {
    Object out;
    put_types(out, shape.types);
    if (shape.has(Type::kArray))
      put_sizes(out, shape.array_sizes, "length", "minItems", "maxItems");
    const bool is_map = shape.others != nullptr || shape.keys.size() > limits_.keys;
    const bool is_cut = shape.has_inside && depth > limits_.depth;
    if (shape.has(Type::kObject) && (is_map || is_cut)) {
      put_sizes(out, shape.object_sizes, "keyCount", "minKeys", "maxKeys");
    }
    if (is_cut) {
      left_out_levels_ = true;
      put(out, "deeper", true);
      return out;
    }
    if (shape.has(Type::kObject)) put_members(out, shape, depth);
    if (shape.items) nest(out, "items", render(*shape.items, depth + 1));
    return out;
  }

  void put_types(Object& out, std::span<const std::size_t> counts) {
    Array names;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto type = static_cast<Type>(i);
      // An integer is a number, and one of the two names is enough.
      const bool covered = type == Type::kInteger && counts[i + 1] > 0;
      if (counts[i] > 0 && !covered) names.emplace_back(name_of(type));
    }
    put(out, "type", names.size() == 1 ? Value(names.front()) : Value(names));
  }

  void put_sizes(Object& out, const Shape::Range& sizes, std::string_view same,
                 std::string_view least, std::string_view most) {
    if (sizes.min == sizes.max) {
      put(out, same, sizes.min);
      return;
    }
    put(out, least, sizes.min);
    put(out, most, sizes.max);
  }

  void put_members(Object& out, const Shape& shape, std::size_t depth) {
    const auto named = std::min(shape.keys.size(), limits_.keys);
    Object properties;
    for (std::size_t i = 0; i < named && fits_; ++i) {
      const auto& [name, inner] = shape.keys[i];
      auto rendered = render(*inner, depth + 1);
      if (inner->count < shape.opened) {
        put(rendered, "in", Value(fmt::format("{} of {}", inner->count, shape.opened)));
      }
      nest(properties, name, std::move(rendered));
    }
    if (named > 0 || !shape.has_inside) nest(out, "properties", std::move(properties));
    if (shape.others || named < shape.keys.size()) put_others(out, shape, named, depth);
  }

  // The members that are not named, as one.
  void put_others(Object& out, const Shape& shape, std::size_t named, std::size_t depth) {
    left_out_keys_ = true;
    Object others;
    if (shape.object_sizes.min == shape.object_sizes.max && shape.opened == 1) {
      put(others, "count", shape.object_sizes.max - named);
    }
    if (named == shape.keys.size() && shape.others->count > 0) {
      for (auto& member : render(*shape.others, depth + 1)) {
        others.emplace(member.key(), std::move(member.value()));
      }
    } else {
      put_types(others, all_types(shape, named));
    }
    nest(out, "otherProperties", std::move(others));
  }

  // Of the members after the first so many.
  static std::array<std::size_t, kTypes> all_types(const Shape& shape, std::size_t named) {
    std::array<std::size_t, kTypes> types{};
    const auto add = [&](const Shape& inner) {
      for (std::size_t i = 0; i < kTypes; ++i) types[i] += inner.types[i];
    };
    if (shape.others) add(*shape.others);
    for (auto i = named; i < shape.keys.size(); ++i) add(*shape.keys[i].shape);
    return types;
  }

  void put(Object& out, std::string_view key, Value value) {
    spend(key.size() + 4 + json::write(value).size());
    if (fits_) out.emplace(key, std::move(value));
  }

  // The inside has been paid for already.
  void nest(Object& out, std::string_view key, Object inner) {
    spend(json::write(Value(key)).size() + 4);
    if (fits_) out.emplace(key, std::move(inner));
  }

  void spend(std::size_t bytes) {
    fits_ = fits_ && bytes <= left_;
    left_ -= std::min(bytes, left_);
  }

  const RenderLimits limits_;
  std::size_t left_;
  bool fits_ = true;
  bool left_out_levels_ = false;
  bool left_out_keys_ = false;
};

// The limits to try, from much to little: depth gives way first.
std::vector<RenderLimits> attempts(const DescribeLimits& limits) {
  const auto bytes = std::max(limits.max_bytes, kMinBytes) - kNotesBytes;
  std::vector<RenderLimits> out;
  for (auto depth = limits.max_depth; depth > 3; --depth) {
    out.push_back({bytes, depth, limits.max_keys});
  }
  for (auto keys = limits.max_keys;; keys /= 2) {
    for (const std::size_t depth : {3, 2, 1}) {
      out.push_back({bytes, std::min(depth, limits.max_depth), keys});
    }
    if (keys == 0) return out;
  }
}

Object schema_of(const Shape& shape, const DescribeLimits& limits, Array& notes) {
  for (const auto& attempt : attempts(limits)) {
    Renderer renderer(attempt);
    auto schema = renderer.run(shape);
    if (!schema) continue;
    renderer.add_notes(notes);
    return std::move(*schema);
  }
  return {};
}

void note_sample(const Value& value, const DescribeLimits& limits, Object& out, Array& notes) {
  const auto* array = value.if_array();
  const auto looked_at = array == nullptr ? 0 : std::min(array->size(), limits.max_elements);
  if (array == nullptr || looked_at == array->size()) {
    notes.emplace_back("not every element was looked at: others may have other keys and types");
    return;
  }
  out.emplace("sampledElements", looked_at);
  notes.emplace_back(
      fmt::format("{} of {} elements were looked at, evenly spread: others may have "
                  "other keys and types",
                  looked_at, array->size()));
}

}  // namespace

std::string_view type_name(const Value& value) { return name_of(type_of(value)); }

Object describe(const Value& value, const DescribeLimits& limits) {
  Sampler sampler(limits);
  const auto shape = sampler.run(value);
  Array notes;
  Object out{{"rootType", type_name(value)}};
  if (const auto* object = value.if_object()) out.emplace("keyCount", object->size());
  if (const auto* array = value.if_array()) out.emplace("arrayLength", array->size());
  out.emplace("schema", schema_of(shape, limits, notes));
  out.emplace("sampled", sampler.left_out());
  if (sampler.left_out()) note_sample(value, limits, out, notes);
  if (!notes.empty()) out.emplace("notes", std::move(notes));
  return out;
}

}  // namespace cairn::document
