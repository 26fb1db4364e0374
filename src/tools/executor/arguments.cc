#include "tools/executor/arguments.h"

#include <algorithm>
#include <utility>

namespace cairn {
namespace {

// Schemas say "integer"; 3.0 is one.
std::int64_t as_integer(const json::Value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64()) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(value.get_uint64(), INT64_MAX));
  }
  // Doubles beyond the integers are the last ones.
  const auto number = value.get_double();
  if (number >= 9.2e18) return INT64_MAX;
  if (number <= -9.2e18) return INT64_MIN;
  return static_cast<std::int64_t>(number);
}

}  // namespace

std::string_view Arguments::text(std::string_view name) const {
  return maybe_text(name).value_or(std::string_view());
}

std::optional<std::string_view> Arguments::maybe_text(std::string_view name) const {
  const auto* value = object_.if_contains(name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string_view(value->get_string());
}

std::int64_t Arguments::number(std::string_view name, std::int64_t fallback) const {
  return maybe_number(name).value_or(fallback);
}

std::optional<std::int64_t> Arguments::maybe_number(std::string_view name) const {
  const auto* value = object_.if_contains(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return as_integer(*value);
}

bool Arguments::flag(std::string_view name) const {
  const auto* value = object_.if_contains(name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::optional<std::vector<std::string>> Arguments::texts(std::string_view name) const {
  const auto* value = object_.if_contains(name);
  if (value == nullptr || !value->is_array()) return std::nullopt;
  std::vector<std::string> out;
  for (const auto& item : value->get_array()) out.emplace_back(item.get_string());
  return out;
}

json::Object Arguments::take() {
  return own_ == nullptr ? object_ : std::exchange(*own_, json::Object());
}

}  // namespace cairn
