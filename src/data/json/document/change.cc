#include "data/json/document/change.h"

#include <algorithm>
#include <vector>

#include "base/quote.h"
#include "base/utf8.h"
#include "data/json/document/find.h"
#include "data/json/document/items.h"
#include "data/json/document/splice.h"

namespace cairn::document {
namespace {

Result<void> check_depth(const Pointer& container, const Value& value, std::string_view place) {
  const auto limit = json::ParseLimits{}.max_depth;
  if (container.tokens().size() + 1 + depth_of(value) <= limit) return {};
  return bad_item(Code::kInvalidArgument, place,
                  fmt::format("makes the document more than {} levels deep", limit));
}

Array listed(const std::vector<Item>& items, bool are_members) {
  Array out;
  for (const auto& item : items) {
    out.push_back(are_members ? Value(item.key) : Value(item.index));
  }
  return out;
}

Changed changed(std::string text, std::string_view what, Array which, std::size_t total) {
  return {std::move(text), {{what, std::move(which)}, {"total", total}}};
}

Result<Changed> create_members(const Document& document, const Pointer& context,
                               const Object& object, const Value& items) {
  const auto list = TRY(members_to_set(context, object, items));
  Edit edit;
  for (const auto& item : list) {
    if (json::find(object, item.key) != nullptr) {
      return bad_item(Code::kKeyExists, item.place,
                      fmt::format("the key '{}' exists already in {}; change it with update",
                                  shown(item.key), placed(context)));
    }
    TRY(check_depth(context, *item.value, item.place));
    edit.insertions.push_back({item.key, {json::write(*item.value)}});
  }
  return changed(TRY(splice(document.text, context, edit)), "created", listed(list, true),
                 object.size() + list.size());
}

Result<std::size_t> insertion_index(const Pointer& context, const Array& array,
                                    std::optional<std::int64_t> index) {
  const auto size = static_cast<std::int64_t>(array.size());
  if (!index) return array.size();
  if (*index >= 0 && *index <= size) return static_cast<std::size_t>(*index);
  return bad_item(
      Code::kKeyNotFound, "index",
      fmt::format("{} is no place in {}, {}; send 0 to {}, or leave index out to append", *index,
                  placed(context), described(array), size));
}

Result<Changed> create_elements(const Document& document, const Pointer& context,
                                const Array& array, const Value& items,
                                std::optional<std::int64_t> index) {
  const auto values = TRY(elements_to_add(context, array, items));
  const auto first = TRY(insertion_index(context, array, index));
  Edit edit;
  Array created;
  for (const auto& item : values) {
    TRY(check_depth(context, *item.value, item.place));
    edit.insertions.push_back({{}, {json::write(*item.value)}});
    created.push_back(first + created.size());
  }
  if (first < array.size()) edit.at = first;
  const auto total = array.size() + values.size();
  return changed(TRY(splice(document.text, context, edit)), "created", std::move(created), total);
}

// Whether a pointer leads to what another leads to, or into it.
bool is_inside(const Pointer& inner, const Pointer& outer) {
  const auto& tokens = outer.tokens();
  return inner.tokens().size() >= tokens.size() &&
         std::equal(tokens.begin(), tokens.end(), inner.tokens().begin());
}

Pointer parent_of(const Pointer& pointer) {
  Pointer parent;
  for (std::size_t i = 0; i + 1 < pointer.tokens().size(); ++i) {
    parent = parent.child(pointer.tokens()[i]);
  }
  return parent;
}

std::string_view last_token(const Pointer& pointer) { return pointer.tokens().back(); }

// Where a value is to be put: into which container, as what.
struct Target {
  Pointer parent;
  std::string key{};                // in an object
  std::optional<std::size_t> at{};  // in an array; none is its end
  Pointer whole;                    // as the summary says it
};

// `gone` elements of the array are moved away.
Result<Target> element_target(const Pointer& parent, const Array& array, std::size_t gone,
                              std::string_view token) {
  const auto size = array.size() - gone;
  const auto index = token == "-" ? static_cast<std::int64_t>(size) : index_of(token);
  if (index < 0 || static_cast<std::size_t>(index) > size) {
    return fail(Code::kKeyNotFound,
                "'{}' is no place in {}, {}{}; send 0 to {}, or '-' for the end", shown(token, 60),
                placed(parent), described(array), gone > 0 ? " with the one that is moved" : "",
                size);
  }
  const auto at = static_cast<std::size_t>(index);
  return Target{.parent = parent,
                .at = at < size ? std::optional(at) : std::nullopt,
                .whole = parent.child(std::to_string(at))};
}

// `parent` is the value at the pointer's parent, with `gone` of its elements moved away.
Result<Target> target_in(const Value& parent, const Pointer& to, std::size_t gone) {
  const auto place = parent_of(to);
  if (const auto* array = parent.if_array()) {
    return element_target(place, *array, gone, last_token(to));
  }
  const auto* object = parent.if_object();
  if (object == nullptr) {
    return fail(Code::kWrongJsonType,
                "{} is {} and can hold nothing; the target's parent should be an object or array",
                placed(place), described(parent));
  }
  if (!valid_utf8(last_token(to))) {
    return fail(Code::kInvalidArgument, "the key '{}' is not valid UTF-8; choose another",
                shown(last_token(to), 60));
  }
  if (json::find(*object, last_token(to)) != nullptr) {
    return fail(Code::kKeyExists, "{} exists already; choose another key, or delete it first",
                placed(to));
  }
  return Target{.parent = place, .key = std::string(last_token(to)), .whole = to};
}

// The pointer as it was before the value at `from` was moved away: the elements behind it were one
// further.
Pointer before_removal(const Pointer& pointer, const Value& document, const Pointer& from) {
  const auto parent = parent_of(from);
  const auto depth = parent.tokens().size();
  if (!is_inside(pointer, parent) || pointer.tokens().size() == depth) return pointer;
  const auto index = index_of(pointer.tokens()[depth]);
  const auto gone = index_of(last_token(from));
  const auto* array = json::get(document, parent);
  if (index < gone || array == nullptr || !array->is_array()) return pointer;
  auto before = parent.child(std::to_string(index + 1));
  for (auto i = depth + 1; i < pointer.tokens().size(); ++i) {
    before = before.child(pointer.tokens()[i]);
  }
  return before;
}

// The value's own spelling.
std::string spelling(const Document& document, const Pointer& pointer) {
  const auto found = find_value(document.text, pointer);
  if (!found) return json::write(*json::get(document.value, pointer));
  const auto end = skip_value(document.text, found->begin);
  return std::string(document.text.substr(found->begin, end - found->begin));
}

Result<std::string> put(std::string_view text, const Target& target, std::string spelled) {
  Edit edit;
  edit.insertions.push_back({target.key, {std::move(spelled), true}});
  edit.at = target.at;
  return splice(text, target.parent, edit);
}

Result<std::string> without(const Document& document, const Pointer& pointer) {
  Edit edit;
  const auto parent = parent_of(pointer);
  if (TRY(resolve(document.value, parent))->is_array()) {
    edit.elements[static_cast<std::size_t>(index_of(last_token(pointer)))] = {};
  } else {
    edit.members[std::string(last_token(pointer))] = {};
  }
  return splice(document.text, parent, edit);
}

Result<void> check_target(const Pointer& to) {
  if (!to.tokens().empty()) return {};
  return fail(
      Code::kInvalidArgument,
      "the target is the whole document; name a new key or an index in it, such as '/copy'");
}

Result<void> check_not_inside(const Pointer& from, const Pointer& to) {
  if (!is_inside(to, from)) return {};
  return fail(Code::kMoveIntoSelf, "{} is {}{}; choose a target outside of it", placed(to),
              to == from ? "" : "inside of ", to == from ? "the value itself" : placed(from));
}

Object moved(const Pointer& from, const Target& target) {
  return {{"from", from.render()}, {"to", target.whole.render()}};
}

}  // namespace

Result<Changed> create(const Document& document, const Pointer& context, const Value& items,
                       std::optional<std::int64_t> index) {
  const auto* value = TRY(container_at(document.value, context));
  if (const auto* array = value->if_array()) {
    return create_elements(document, context, *array, items, index);
  }
  if (index) {
    return bad_item(Code::kWrongJsonType, "index",
                    fmt::format("{} is {}: its members have no index; leave it out",
                                placed(context), described(*value)));
  }
  return create_members(document, context, value->get_object(), items);
}

Result<Changed> update(const Document& document, const Pointer& context, const Value& items,
                       Update how) {
  const auto* value = TRY(container_at(document.value, context));
  const auto kind = how == Update::kMerge ? Change::Kind::kMerge : Change::Kind::kReplace;
  const auto list = TRY(children_to_set(context, *value, items));
  Edit edit;
  for (const auto& item : list) {
    TRY(check_depth(context, *item.value, item.place));
    if (value->is_object()) {
      edit.members[item.key] = {kind, item.value};
    } else {
      edit.elements[item.index] = {kind, item.value};
    }
  }
  return changed(TRY(splice(document.text, context, edit)), "updated",
                 listed(list, value->is_object()), size_of(*value));
}

Result<Changed> remove(const Document& document, const Pointer& context, const Value& keys) {
  const auto* value = TRY(container_at(document.value, context));
  const auto list = TRY(children_named(context, *value, keys));
  Edit edit;
  for (const auto& item : list) {
    if (value->is_object()) {
      edit.members[item.key] = {};
    } else {
      edit.elements[item.index] = {};
    }
  }
  return changed(TRY(splice(document.text, context, edit)), "deleted",
                 listed(list, value->is_object()), size_of(*value) - list.size());
}

Result<Changed> move(const Document& document, const Pointer& from, const Pointer& to) {
  const auto* value = TRY(resolve(document.value, from));
  TRY(check_target(to));
  TRY(check_not_inside(from, to));
  const auto parent_before = before_removal(parent_of(to), document.value, from);
  const auto* parent = TRY(resolve(document.value, parent_before));
  const auto target = TRY(target_in(*parent, to, parent_before == parent_of(from) ? 1 : 0));
  TRY(check_depth(target.parent, *value, "to"));
  const auto rest = TRY(without(document, from));
  return Changed{TRY(put(rest, target, spelling(document, from))), moved(from, target)};
}

Result<Changed> copy(const Document& document, const Pointer& from, const Pointer& to) {
  TRY(resolve(document.value, from));
  TRY(check_target(to));
  TRY(check_not_inside(from, to));
  return copy_between(document, from, document, to);
}

Result<Changed> copy_between(const Document& source, const Pointer& from, const Document& document,
                             const Pointer& to) {
  const auto* value = TRY(resolve(source.value, from));
  TRY(check_target(to));
  const auto* parent = TRY(resolve(document.value, parent_of(to)));
  const auto target = TRY(target_in(*parent, to, 0));
  TRY(check_depth(target.parent, *value, "to"));
  return Changed{TRY(put(document.text, target, spelling(source, from))), moved(from, target)};
}

Result<MovedBetween> move_between(const Document& source, const Pointer& from,
                                  const Document& target, const Pointer& to) {
  if (from.tokens().empty()) {
    return fail(Code::kInvalidArgument,
                "a whole document cannot be moved out of its file; copy it, or move one value");
  }
  auto copied = TRY(copy_between(source, from, target, to));
  return MovedBetween{TRY(without(source, from)), std::move(copied.text),
                      std::move(copied.summary)};
}

}  // namespace cairn::document
