#include "data/oauth/record.h"

#include "base/sha256.h"

namespace cairn::oauth {
namespace {

constexpr char kVersion = 1;

}  // namespace

Bytes write_record(const json::Object& object) {
  Bytes out(1, kVersion);
  json::write(out, json::Value(object));
  return out;
}

Result<json::Object> read_record(ByteView value, std::string_view what) {
  if (!value.empty() && value.front() == kVersion) {
    auto parsed = json::parse(value.substr(1));
    if (parsed && parsed->is_object()) return std::move(parsed->get_object());
  }
  return fail(Code::kIoError, "the record of {} in the store is damaged; run cairn fsck", what);
}

std::string text_of(const json::Object& object, std::string_view name) {
  const auto* value = json::find(object, name);
  return value == nullptr ? std::string() : std::string(json::text(*value));
}

std::optional<std::int64_t> maybe_number_of(const json::Object& object, std::string_view name) {
  const auto* value = json::find(object, name);
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  return value->get_int64();
}

std::int64_t number_of(const json::Object& object, std::string_view name) {
  return maybe_number_of(object, name).value_or(0);
}

bool flag_of(const json::Object& object, std::string_view name) {
  const auto* value = json::find(object, name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::vector<std::string> texts_of(const json::Object& object, std::string_view name) {
  std::vector<std::string> out;
  const auto* value = json::find(object, name);
  if (value == nullptr || !value->is_array()) return out;
  for (const auto& item : value->get_array()) {
    if (item.is_string()) out.emplace_back(json::text(item));
  }
  return out;
}

json::Array array_of(const std::vector<std::string>& texts) {
  json::Array out;
  for (const auto& text : texts) out.emplace_back(text);
  return out;
}

Bytes short_hash(std::string_view text) {
  const auto digest = sha256(text);
  return {reinterpret_cast<const char*>(digest.data()), 16};
}

}  // namespace cairn::oauth
