// From the items of a search to what it gives back: a value, or its text.
#include <algorithm>
#include <utility>

#include "data/json/jmespath/search.h"

namespace cairn::jmespath {
namespace {

using Tag = Item::Tag;

// The bytes of a member besides its value and its key.
constexpr std::size_t kMemberBytes = 32;

}  // namespace

Result<std::string> Search::text(Item outcome) {
  Text out(meter_);
  if (!write(out, outcome)) return Failure(error());
  auto text = out.finish();
  if (!meter_.finish()) return Failure(error());
  return text;
}

Result<json::Value> Search::value(Item outcome, const boost::json::storage_ptr& storage) {
  json::Value out(storage);
  if (!fill(out, outcome) || !meter_.finish()) return Failure(error());
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

// Values are made where they will be, with the storage of `to`: none is moved.
bool Search::fill(json::Value& to, Item item) {
  if (!meter_.step() || !meter_.take(sizeof to)) return false;
  switch (item.tag()) {
    case Tag::kFailed:
    case Tag::kNull:
      return true;
    case Tag::kBool:
      to = item.boolean();
      return true;
    case Tag::kInt:
      to = item.integer;
      return true;
    case Tag::kUint:
      to = item.natural;
      return true;
    case Tag::kDouble:
      to = item.real;
      return true;
    case Tag::kString:
      if (!meter_.take(item.size())) return false;
      to.emplace_string().assign(item.text());
      return true;
    case Tag::kArray:
      if (!measure(*item.array)) return false;
      to = *item.array;
      return true;
    case Tag::kObject:
      if (!measure(*item.object)) return false;
      to = *item.object;
      return true;
    case Tag::kList:
      return fill(to.emplace_array(), item);
    case Tag::kRecord:
      return fill(to.emplace_object(), item);
  }
  std::unreachable();
}

bool Search::fill(json::Array& array, Item list) {
  array.resize(list.size());
  auto* const values = array.data();
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    if (!fill(values[i], list.items[i])) return false;
  }
  return true;
}

bool Search::fill(json::Object& object, Item record) {
  object.reserve(record.size());
  for (std::uint32_t i = 0; i < record.size(); ++i) {
    const auto& member = record.members[i];
    if (!meter_.take(kMemberBytes + member.key.size())) return false;
    if (!fill(object.emplace(member.key, nullptr).first->value(), member.value)) return false;
  }
  return true;
}

bool Search::write(Text& out, Item item) {
  if (!meter_.step()) return false;
  switch (item.tag()) {
    case Tag::kFailed:
    case Tag::kNull:
      out.put("null");
      return true;
    case Tag::kBool:
      out.put(item.boolean() ? "true" : "false");
      return true;
    case Tag::kInt:
      out.put_integer(item.integer);
      return true;
    case Tag::kUint:
      out.put_integer(item.natural);
      return true;
    case Tag::kDouble:
      out.put_double(item.real);
      return true;
    case Tag::kString:
      out.put_string(item.text());
      return true;
    case Tag::kArray:
    case Tag::kList:
      return write_array(out, Elements(item));
    case Tag::kObject:
    case Tag::kRecord:
      return write_object(out, Members(item));
  }
  std::unreachable();
}

bool Search::write_array(Text& out, Elements elements) {
  out.put('[');
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) out.put(',');
    if (!write(out, elements[i])) return false;
  }
  out.put(']');
  return true;
}

bool Search::write_object(Text& out, Members members) {
  out.put('{');
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) out.put(',');
    out.put_string(members.key(i));
    out.put(':');
    if (!write(out, members.value(i))) return false;
  }
  out.put('}');
  return true;
}

}  // namespace cairn::jmespath
