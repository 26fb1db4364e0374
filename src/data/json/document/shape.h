// The merged shape of values; private to describe.cc.
//
// Threads     one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/json/document/describe.h"
#include "data/json/json.h"

namespace cairn::document {

// In the order in which they are listed.
enum class Type { kObject, kArray, kString, kInteger, kNumber, kBoolean, kNull };
inline constexpr std::size_t kTypes = 7;

Type type_of(const json::Value& value);
std::string_view name_of(Type type);

struct Shape {
  struct Key {
    std::string name;
    std::unique_ptr<Shape> shape;
  };
  struct Range {
    std::size_t min = static_cast<std::size_t>(-1);
    std::size_t max = 0;

    void add(std::size_t size);
  };

  std::size_t count = 0;  // values that were merged
  std::array<std::size_t, kTypes> types{};
  bool has_inside = false;  // one of them is a container that is not empty
  Range array_sizes{};
  Range object_sizes{};
  std::size_t opened = 0;                                 // objects whose members were looked at
  std::vector<Key> keys{};                                // in order of appearance
  std::unordered_map<std::string, std::size_t> places{};  // of the keys
  std::unique_ptr<Shape> others{};                        // of the members beyond the named ones
  std::unique_ptr<Shape> items{};                         // of the elements

  bool has(Type type) const { return types[static_cast<std::size_t>(type)] > 0; }
};

// Puts the shape of a value together from as many parts as the limits allow.
class Sampler {
 public:
  explicit Sampler(const DescribeLimits& limits) : limits_(limits) {}

  Shape run(const json::Value& value);

  bool left_out() const { return left_out_; }

 private:
  // All of these look at no more than about `budget` values, and say at how many they did.
  std::size_t merge(Shape& shape, const json::Value& value, std::size_t depth, std::size_t budget);
  std::size_t merge_array(Shape& shape, const json::Array& array, std::size_t depth,
                          std::size_t budget);
  std::size_t merge_object(Shape& shape, const json::Object& object, std::size_t depth,
                           std::size_t budget);
  Shape& member(Shape& shape, std::string_view key);

  const DescribeLimits& limits_;
  bool left_out_ = false;
};

}  // namespace cairn::document
