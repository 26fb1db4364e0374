#include "data/json/document/find.h"

#include <algorithm>
#include <charconv>

#include "base/quote.h"
#include "base/similar.h"

namespace cairn::document {
namespace {

constexpr std::size_t kMaxNearest = 5;
constexpr std::size_t kMaxKeyBytes = 255;  // nobody mistypes a longer one
constexpr std::size_t kMaxSteps = 10'000'000;
constexpr std::size_t kShownBytes = 60;  // of a key in a message

std::string counted(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& keys) {
  std::string out;
  for (const auto& key : keys) {
    out += fmt::format("{}'{}'", out.empty() ? "" : ", ", shown(key, kShownBytes));
  }
  return out;
}

const Value* child(const Value& value, std::string_view token) {
  if (const auto* object = value.if_object()) return json::find(*object, token);
  const auto* array = value.if_array();
  const auto index = index_of(token);
  if (array == nullptr || index < 0) return nullptr;
  return array->if_contains(static_cast<std::size_t>(index));
}

// Two letters that changed places are two steps apart.
std::size_t distance_limit(std::string_view key) {
  return key.size() < 4 ? 1 : std::max<std::size_t>(2, similar_limit(key));
}

std::string indices_hint(const Array& array) {
  if (array.empty()) return "it is empty";
  return fmt::format("its indices are 0 to {}", array.size() - 1);
}

Failure not_found(const Pointer& pointer, const Pointer& existing, const Value& value,
                  const std::string& token) {
  auto message = fmt::format("{} does not exist in the document: {} is {}", placed(pointer),
                             placed(existing), described(value));
  std::vector<std::string> nearest;
  if (const auto* object = value.if_object()) {
    nearest = nearest_keys(*object, token);
    message += fmt::format(" and has no key '{}'; {}", shown(token, kShownBytes),
                           keys_hint(*object, nearest));
  } else if (const auto* array = value.if_array()) {
    message +=
        fmt::format(" and '{}' leads to none; {}", shown(token, kShownBytes), indices_hint(*array));
  } else {
    message += ", which has nothing inside; end the pointer there";
  }
  Error error(Code::kJsonPathNotFound, std::move(message));
  if (!nearest.empty()) error.details.emplace("nearest", std::move(nearest));
  return Failure(std::move(error));
}

}  // namespace

Result<const Value*> resolve(const Value& document, const Pointer& pointer) {
  const auto* value = &document;
  Pointer existing;
  for (const auto& token : pointer.tokens()) {
    const auto* inner = child(*value, token);
    if (inner == nullptr) return not_found(pointer, existing, *value, token);
    value = inner;
    existing = existing.child(token);
  }
  return value;
}

std::string described(const Value& value) {
  switch (value.kind()) {
    case json::Kind::null:
      return "null";
    case json::Kind::bool_:
      return value.get_bool() ? "true" : "false";
    case json::Kind::int64:
    case json::Kind::uint64:
    case json::Kind::double_:
      return "a number";
    case json::Kind::string:
      return "a string";
    case json::Kind::array:
      return described(value.get_array());
    case json::Kind::object:
      return described(value.get_object());
  }
  return {};
}

std::string described(const Array& array) {
  return "an array of " + counted(array.size(), "element");
}

std::string described(const Object& object) {
  return "an object with " + counted(object.size(), "key");
}

std::string placed(const Pointer& pointer) {
  auto text = pointer.render();
  auto said = text.empty() ? "the document" : fmt::format("'{}'", shown(text));
  return Subject{Subject::Kind::kPointer, std::move(text), std::move(said)}.marked();
}

std::vector<std::string> nearest_keys(const Object& object, std::string_view key) {
  struct Near {
    std::size_t distance;
    std::size_t order;
    std::string_view key;
  };
  std::vector<Near> near;
  if (key.size() > kMaxKeyBytes) return {};
  const auto limit = distance_limit(key);
  std::size_t steps = 0;
  for (const auto& member : object) {
    const std::string_view candidate = member.key();
    steps += 1 + (candidate.size() > kMaxKeyBytes ? 0 : key.size() * candidate.size());
    if (steps > kMaxSteps) break;
    const auto distance = edit_distance(key, candidate, limit);
    if (distance <= limit) near.push_back({distance, near.size(), candidate});
  }
  std::ranges::sort(near, {}, [](const Near& one) { return std::pair(one.distance, one.order); });
  if (near.size() > kMaxNearest) near.resize(kMaxNearest);
  std::vector<std::string> keys;
  for (const auto& one : near) keys.emplace_back(one.key);
  return keys;
}

std::string keys_hint(const Object& object, const std::vector<std::string>& nearest) {
  if (object.empty()) return "it has no keys";
  if (!nearest.empty()) return "the nearest: " + listed(nearest);
  std::vector<std::string> first;
  for (const auto& member : object) {
    if (first.size() == kMaxNearest) break;
    first.emplace_back(member.key());
  }
  return fmt::format("{} {}{}", object.size() == 1 ? "its key is" : "its keys are", listed(first),
                     first.size() < object.size() ? ", …" : "");
}

std::int64_t index_of(std::string_view token) {
  std::int64_t index = -1;
  const auto* const end = token.data() + token.size();
  const auto read = std::from_chars(token.data(), end, index);
  if (read.ec != std::errc() || read.ptr != end || index < 0) return -1;
  if (token.starts_with('-') || (token.size() > 1 && token.front() == '0')) return -1;
  return index;
}

}  // namespace cairn::document
