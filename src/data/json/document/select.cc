#include "data/json/document/select.h"

#include <algorithm>
#include <unordered_map>

#include "base/quote.h"
#include "data/json/compare.h"
#include "data/json/document/find.h"

namespace cairn::document {
namespace {

constexpr std::size_t kKeysLookedAt = 1000;  // for the nearest ones

// A field of elements: a member, or what a pointer leads to.
class Field {
 public:
  static Result<Field> parse(std::string_view text) {
    if (!text.starts_with('/')) return Field(text, Pointer().child(text));
    return Field(text, TRY(Pointer::parse(text)));
  }

  const Value* of(const Value& element) const {
    if (!is_pointer_ && !element.is_object()) return nullptr;
    return json::get(element, pointer_);
  }

  const std::string& name() const { return name_; }

 private:
  Field(std::string_view text, Pointer pointer)
      : name_(text), is_pointer_(text.starts_with('/')), pointer_(std::move(pointer)) {}

  std::string name_;
  bool is_pointer_;
  Pointer pointer_;
};

bool is_container(const Value& value) { return value.is_object() || value.is_array(); }

Failure no_elements(const Value& value, std::string_view does) {
  return fail(Code::kWrongJsonType,
              "the value is {}; {} works on an object or array; use get_all to see it",
              described(value), does);
}

// Collects the elements that preview() shows, and which fields it met.
class Picker {
 public:
  static Result<Picker> parse(const std::vector<std::string>& names) {
    Picker picker;
    for (const auto& name : names) picker.fields_.push_back(TRY(Field::parse(name)));
    picker.met_.resize(names.size());
    return picker;
  }

  Value pick(const Value& element) {
    if (fields_.empty() || !is_container(element)) return element;
    Object out;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const auto* value = fields_[i].of(element);
      if (value == nullptr) continue;
      met_[i] = true;
      out.emplace(fields_[i].name(), *value);
    }
    return out;
  }

  Array missing() const {
    Array out;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (!met_[i]) out.emplace_back(fields_[i].name());
    }
    return out;
  }

 private:
  std::vector<Field> fields_;
  std::vector<bool> met_;
};

Array pick_elements(const Array& array, std::size_t begin, std::size_t end, Picker& picker) {
  Array out;
  out.reserve(end - begin);
  for (auto i = begin; i < end; ++i) out.push_back(picker.pick(array[i]));
  return out;
}

Object pick_members(const Object& object, std::size_t begin, std::size_t end, Picker& picker) {
  Object out;
  out.reserve(end - begin);
  for (auto i = begin; i < end; ++i) {
    const auto& member = *(object.begin() + i);
    out.emplace(member.key(), picker.pick(member.value()));
  }
  return out;
}

std::string canonical(const Value& value) {
  std::string out;
  json::write_canonical(out, value);
  return out;
}

// The values that are looked for, by their one spelling, and whether an element has them.
class Wanted {
 public:
  static Result<Wanted> parse(const Array& keys) {
    Wanted wanted;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (is_container(keys[i])) {
        return Failure(Error(Code::kInvalidArgument,
                             fmt::format("keys[{}] is {}; send a string, number, true, false or "
                                         "null to compare the field with",
                                         i, described(keys[i])))
                           .with("argument", fmt::format("keys[{}]", i)));
      }
      wanted.found_.emplace(canonical(keys[i]), false);
    }
    return wanted;
  }

  bool has(const Value& value) {
    if (is_container(value)) return false;
    const auto found = found_.find(canonical(value));
    if (found == found_.end()) return false;
    found->second = true;
    return true;
  }

  Array missing(const Array& keys) const {
    Array out;
    for (const auto& key : keys) {
      if (!found_.at(canonical(key))) out.push_back(key);
    }
    return out;
  }

 private:
  std::unordered_map<std::string, bool> found_;
};

struct Matches {
  Array shown;
  std::size_t count = 0;
  bool any_has_field = false;
};

template <typename Place>
void match(const Value& element, const Place& place, std::string_view place_name,
           const Field& field, Wanted& wanted, std::size_t max, Matches& matches) {
  const auto* value = field.of(element);
  if (value == nullptr) return;
  matches.any_has_field = true;
  if (!wanted.has(*value)) return;
  ++matches.count;
  if (matches.shown.size() == max) return;
  matches.shown.push_back(Object{{place_name, place}, {"value", element}});
}

// Calls with each element and its key or index.
template <typename Call>
void for_each(const Value& container, Call call) {
  if (const auto* object = container.if_object()) {
    for (const auto& member : *object) call(member.value(), member.key());
    return;
  }
  const auto& array = container.get_array();
  for (std::size_t i = 0; i < array.size(); ++i) call(array[i], i);
}

Failure no_field(const Value& container, const Field& field) {
  Object keys;
  for_each(container, [&](const Value& element, const auto&) {
    const auto* object = element.if_object();
    if (object == nullptr || keys.size() > kKeysLookedAt) return;
    for (const auto& member : *object) {
      if (keys.size() > kKeysLookedAt) return;
      keys.emplace(member.key(), nullptr);
    }
  });
  const auto name = field.name();
  auto nearest = nearest_keys(keys, name.starts_with('/') ? name.substr(1) : name);
  const auto hint = keys.empty() ? std::string("they have no keys") : keys_hint(keys, nearest);
  Error error(Code::kKeyNotFound,
              fmt::format("the value is {}, and none of its elements has the field '{}'; {}",
                          described(container), shown(name, 60), hint));
  if (!nearest.empty()) error.details.emplace("nearest", std::move(nearest));
  return Failure(std::move(error));
}

std::size_t count_of(const Value& container) {
  return container.is_object() ? container.get_object().size() : container.get_array().size();
}

}  // namespace

Result<Object> preview(const Value& value, const PreviewOptions& options) {
  if (!is_container(value)) return no_elements(value, "preview");
  auto picker = TRY(Picker::parse(options.fields));
  const auto total = count_of(value);
  const auto begin = std::min(options.offset, total);
  const auto end = begin + std::min(options.count, total - begin);
  Object out;
  if (const auto* array = value.if_array()) {
    out.emplace("items", pick_elements(*array, begin, end, picker));
  } else {
    out.emplace("items", pick_members(value.get_object(), begin, end, picker));
  }
  out.emplace("total", total);
  out.emplace("shown", end - begin);
  if (options.offset > 0) out.emplace("offset", options.offset);
  auto missing = picker.missing();
  if (!missing.empty() && end > begin) out.emplace("missingFields", std::move(missing));
  return out;
}

Result<Object> select(const Value& value, const SelectOptions& options) {
  if (!is_container(value)) return no_elements(value, "select");
  const auto field = TRY(Field::parse(options.field));
  auto wanted = TRY(Wanted::parse(options.keys));
  Matches matches;
  const std::string_view place_name = value.is_object() ? "key" : "index";
  for_each(value, [&](const Value& element, const auto& place) {
    match(element, place, place_name, field, wanted, options.max_matches, matches);
  });
  if (!matches.any_has_field && count_of(value) > 0) return no_field(value, field);
  const auto shown_count = matches.shown.size();
  Object out{{"matches", std::move(matches.shown)},
             {"matched", matches.count},
             {"shown", shown_count},
             {"total", count_of(value)}};
  auto missing = wanted.missing(options.keys);
  if (!missing.empty()) out.emplace("missing", std::move(missing));
  return out;
}

}  // namespace cairn::document
