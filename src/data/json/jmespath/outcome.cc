// From the items of a search to what it gives back: a value, or its text.
#include <algorithm>
#include <utility>

#include "data/json/jmespath/search.h"

namespace cairn::jmespath {
namespace {

using Tag = Item::Tag;

// What a member takes beside its value and the bytes of its key.
constexpr std::size_t kMemberBytes = 32;

bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

void write_string(std::string& out, std::string_view text) {
  if (std::ranges::any_of(text, needs_escape)) return json::write(out, json::Value(text));
  out += '"';
  out += text;
  out += '"';
}

// REQUIRES: no container.
json::Value scalar(Item item) {
  switch (item.tag) {
    case Tag::kBool:
      return item.boolean;
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

}  // namespace

Result<json::Value> Search::value(Item outcome) {
  json::Value out;
  if (!make_value(outcome, out) || !meter_.flush()) return Failure(error());
  return out;
}

Result<std::string> Search::text(Item outcome) {
  std::string out;
  std::size_t charged = 0;
  if (!write(out, outcome, charged) || !meter_.flush()) return Failure(error());
  return out;
}

// Pays for a copy of a part of the document.
bool Search::measure(const json::Value& value) {
  if (!meter_.step() || !meter_.take(sizeof value)) return false;
  if (const auto* text = value.if_string()) return meter_.take(text->size());
  if (const auto* array = value.if_array()) {
    return std::ranges::all_of(*array, [this](const auto& element) { return measure(element); });
  }
  const auto* object = value.if_object();
  return object == nullptr || std::ranges::all_of(*object, [this](const auto& member) {
           return meter_.take(kMemberBytes + member.key().size()) && measure(member.value());
         });
}

bool Search::make_value(Item item, json::Value& out) {
  if (!meter_.step()) return false;
  if (!item.is_array() && !item.is_object()) {
    if (!meter_.take(sizeof out + (item.is_string() ? item.size : 0))) return false;
    out = scalar(item);
    return true;
  }
  if (item.tag == Tag::kArray || item.tag == Tag::kObject) {
    // Boost copies a container faster than it makes one element by element.
    if (item.tag == Tag::kArray) {
      for (const auto& element : *item.array) {
        if (!measure(element)) return false;
      }
      out = *item.array;
      return true;
    }
    for (const auto& member : *item.object) {
      if (!meter_.take(kMemberBytes + member.key().size()) || !measure(member.value())) {
        return false;
      }
    }
    out = *item.object;
    return true;
  }
  if (item.tag == Tag::kList) {
    if (!meter_.take(item.size * sizeof out)) return false;
    auto& array = out.emplace_array();
    array.resize(item.size);
    for (std::uint32_t i = 0; i < item.size; ++i) {
      if (!make_value(item.items[i], array[i])) return false;
    }
    return true;
  }
  auto& object = out.emplace_object();
  object.reserve(item.size);
  for (std::uint32_t i = 0; i < item.size; ++i) {
    const auto& member = item.members[i];
    if (!meter_.take(kMemberBytes + member.key.size())) return false;
    auto& place = object.emplace(member.key, nullptr).first->value();
    if (!make_value(member.value, place)) return false;
  }
  return true;
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
