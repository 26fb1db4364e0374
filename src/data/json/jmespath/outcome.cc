// From the items of a search to what it gives back: a value, or its text.
#include <algorithm>
#include <cstring>
#include <utility>

#include "data/json/jmespath/search.h"

namespace cairn::jmespath {
namespace {

using Tag = Item::Tag;

// What a member takes beside its value and the bytes of its key.
constexpr std::size_t kMemberBytes = 32;

bool is_escaped(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

// Eight bytes at once as long as there are so many: whether one is below a space, a quote or a
// backslash.
bool needs_escape(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  const auto* at = text.data();
  const auto* const end = at + text.size();
  for (; end - at >= 8; at += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    const auto quote = bytes ^ (kOnes * '"');
    const auto backslash = bytes ^ (kOnes * '\\');
    const auto found = ((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash) |
                       ((bytes - kOnes * ' ') & ~bytes);
    if ((found & (kOnes * 0x80)) != 0) return true;
  }
  return std::any_of(at, end, is_escaped);
}

void write_string(std::string& out, std::string_view text) {
  if (needs_escape(text)) return json::write(out, json::Value(text));
  out += '"';
  out += text;
  out += '"';
}

// REQUIRES: no container.
json::Value scalar(Item item) {
  switch (item.tag()) {
    case Tag::kBool:
      return item.boolean();
    case Tag::kInt:
      return item.integer;
    case Tag::kUint:
      return item.natural;
    case Tag::kDouble:
      return item.real;
    case Tag::kString:
      return json::Value(item.text());
    case Tag::kFailed:
    case Tag::kNull:
    case Tag::kArray:
    case Tag::kList:
    case Tag::kObject:
    case Tag::kRecord:
      break;
  }
  return nullptr;
}

// Where a value goes, whatever it is made from.
struct Assign {
  json::Value& to;
  template <typename T>
  void operator()(T&& value) const {
    to = std::forward<T>(value);
  }
};

struct Append {
  json::Array& to;
  template <typename T>
  void operator()(T&& value) const {
    to.emplace_back(std::forward<T>(value));
  }
};

struct Insert {
  json::Object& to;
  std::string_view key;
  template <typename T>
  void operator()(T&& value) const {
    to.emplace(key, std::forward<T>(value));
  }
};

}  // namespace

Result<std::string> Search::text(Item outcome) {
  std::string out;
  std::size_t charged = 0;
  if (!write(out, outcome, charged) || !meter_.finish()) return Failure(error());
  return out;
}

// Pays for a copy of a part of the document.
bool Search::measure(const json::Array& array) {
  return std::ranges::all_of(array, [this](const auto& value) { return measure(value); });
}

bool Search::measure(const json::Object& object) {
  return std::ranges::all_of(object, [this](const auto& member) {
    return meter_.take(kMemberBytes + member.key().size()) && measure(member.value());
  });
}

bool Search::measure(const json::Value& value) {
  if (!meter_.step() || !meter_.take(sizeof value)) return false;
  if (const auto* text = value.if_string()) return meter_.take(text->size());
  if (const auto* array = value.if_array()) return measure(*array);
  const auto* object = value.if_object();
  return object == nullptr || measure(*object);
}

// Hands to `put` what the value is made from: a Value in between would be one to move.
template <typename Put>
bool Search::make_value(Item item, Put put) {
  if (!meter_.step() || !meter_.take(sizeof(json::Value))) return false;
  switch (item.tag()) {
    case Tag::kFailed:
    case Tag::kNull:
      put(nullptr);
      return true;
    case Tag::kBool:
      put(item.boolean());
      return true;
    case Tag::kInt:
      put(item.integer);
      return true;
    case Tag::kUint:
      put(item.natural);
      return true;
    case Tag::kDouble:
      put(item.real);
      return true;
    case Tag::kString:
      put(item.text());
      return meter_.take(item.size());
    case Tag::kArray:
      if (!measure(*item.array)) return false;
      put(*item.array);
      return true;
    case Tag::kObject:
      if (!measure(*item.object)) return false;
      put(*item.object);
      return true;
    case Tag::kList:
    case Tag::kRecord:
      break;
  }
  return item.tag() == Tag::kList ? make_array(item, put) : make_object(item, put);
}

template <typename Put>
bool Search::make_array(Item list, Put put) {
  json::Array array;
  array.reserve(list.size());
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    if (!make_value(list.items[i], Append{array})) return false;
  }
  put(std::move(array));
  return true;
}

template <typename Put>
bool Search::make_object(Item record, Put put) {
  json::Object object;
  object.reserve(record.size());
  for (std::uint32_t i = 0; i < record.size(); ++i) {
    const auto& member = record.members[i];
    if (!meter_.take(kMemberBytes + member.key.size())) return false;
    if (!make_value(member.value, Insert{object, member.key})) return false;
  }
  put(std::move(object));
  return true;
}

Result<json::Value> Search::value(Item outcome) {
  json::Value out;
  if (!make_value(outcome, Assign{out}) || !meter_.finish()) return Failure(error());
  return out;
}

bool Search::write(std::string& out, Item item, std::size_t& charged) {
  if (!meter_.step() || !meter_.take(out.size() - std::exchange(charged, out.size()))) {
    return false;
  }
  if (item.is_array()) {
    const Elements elements(item);
    out += '[';
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (i > 0) out += ',';
      if (!write(out, elements[i], charged)) return false;
    }
    out += ']';
    return true;
  }
  if (item.is_object()) {
    const Members members(item);
    out += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out += ',';
      write_string(out, members.key(i));
      out += ':';
      if (!write(out, members.value(i), charged)) return false;
    }
    out += '}';
    return true;
  }
  if (item.is_string()) {
    write_string(out, item.text());
  } else {
    json::write(out, scalar(item));
  }
  return true;
}

}  // namespace cairn::jmespath
