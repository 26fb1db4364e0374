#include "data/json/jmespath/search.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "data/json/jmespath/problem.h"

namespace cairn::jmespath {
namespace {

using Tag = Item::Tag;

// Where a slice begins, and how many elements it has.
struct Range {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

// An end of a slice as a place in the array; just outside of it when it is beyond.
std::int64_t clamped(std::int64_t place, std::int64_t size, bool backwards) {
  if (place < 0) place += size;
  return backwards ? std::clamp<std::int64_t>(place, -1, size - 1)
                   : std::clamp<std::int64_t>(place, 0, size);
}

Range range_of(const Slice& slice, std::int64_t size) {
  const bool backwards = slice.step < 0;
  const auto begin =
      slice.begin ? clamped(*slice.begin, size, backwards) : (backwards ? size - 1 : 0);
  const auto end = slice.end ? clamped(*slice.end, size, backwards) : (backwards ? -1 : size);
  const auto span = backwards ? begin - end : end - begin;
  const auto step = backwards ? -slice.step : slice.step;
  return {begin, span <= 0 ? 0 : (span + step - 1) / step};
}

template <typename T>
bool same_at(const char* a, const char* b) {
  T left;
  T right;
  std::memcpy(&left, a, sizeof left);
  std::memcpy(&right, b, sizeof right);
  return left == right;
}

// Both ends, which overlap. REQUIRES: at least one T.
template <typename T>
bool same_ends(const char* a, const char* b, std::size_t size) {
  return same_at<T>(a, b) && same_at<T>(a + size - sizeof(T), b + size - sizeof(T));
}

// Names are short: comparing them takes less than a call.
inline bool same_name(std::string_view name, std::string_view other) {
  const auto size = name.size();
  const auto* const a = name.data();
  const auto* const b = other.data();
  if (size != other.size()) return false;
  if (size < 2) return size == 0 || *a == *b;
  if (size < 4) return same_ends<std::uint16_t>(a, b, size);
  if (size < 8) return same_ends<std::uint32_t>(a, b, size);
  for (std::size_t i = 8; i + 8 < size; i += 8) {
    if (!same_at<std::uint64_t>(a + i, b + i)) return false;
  }
  return same_ends<std::uint64_t>(a, b, size);
}

bool holds(Comparison comparison, std::partial_ordering order) {
  switch (comparison) {
    case Comparison::kEqual:
      return order == 0;
    case Comparison::kNotEqual:
      return order != 0;
    case Comparison::kLess:
      return order < 0;
    case Comparison::kLessOrEqual:
      return order <= 0;
    case Comparison::kGreater:
      return order > 0;
    case Comparison::kGreaterOrEqual:
      return order >= 0;
  }
  std::unreachable();
}

}  // namespace

Result<Item> Search::run(const json::Value& document) {
  hints_ = arena_.make<std::uint32_t>(program_.steps.size());
  if (hints_ == nullptr) return Failure(error());
  std::fill_n(hints_, program_.steps.size(), 0);
  const auto outcome = evaluate(program_.root, Item::of(document));
  if (outcome.failed()) return Failure(error());
  return outcome;
}

Error Search::error() { return error_ ? std::move(*error_) : over_budget(budget_); }

// It calls nothing but at its end, so that it has nothing to save.
Item Search::apply_node(const Node& node, Item current) {
  switch (node.op) {
    case Op::kLiteral:
      return Item::of(program_.literals[node.first]);
    case Op::kPath:
      return path_from(node, current);
    case Op::kChain:
      return chain(node, current);
    case Op::kAnd:
      return any_or_all(node, current, false);
    case Op::kOr:
      return any_or_all(node, current, true);
    case Op::kNot:
      return negate(node, current);
    case Op::kCompare:
      return compare(node, current);
    case Op::kProject:
      return project(node, current);
    case Op::kFlatten:
      return flatten(node, current);
    case Op::kFilter:
      return filter(node, current);
    case Op::kValues:
      return values(node, current);
    case Op::kSlice:
      return slice(node, current);
    case Op::kList:
      return list(node, current);
    case Op::kRecord:
      return record(node, current);
    case Op::kCall:
      return call(node, current);
  }
  std::unreachable();
}

Item Search::path_from(const Node& node, Item current) {
  return path(node, evaluate(node.source, current));
}

// Objects beside each other mostly have their members in the same order. As long as each member is
// where it was the last time, no function is called.
Item Search::path(const Node& node, Item at) {
  const auto* const steps = program_.steps.data();
  for (auto i = node.first; i < node.first + node.count; ++i) {
    if (steps[i].is_index()) {
      const auto index = static_cast<std::uint64_t>(steps[i].number);
      // One from the end is larger than any size.
      if (at.tag() != Tag::kArray || index >= at.array->size()) return rest_of_path(node, at, i);
      at = Item::of(at.array->data()[index]);
      continue;
    }
    if (at.tag() != Tag::kObject) return rest_of_path(node, at, i);
    const auto& object = *at.object;
    const auto hint = hints_[i];
    if (hint >= object.size()) return rest_of_path(node, at, i);
    const auto& member = object.begin()[hint];
    if (!same_name(member.key(), steps[i].name())) return rest_of_path(node, at, i);
    at = Item::of(member.value());
  }
  return at;
}

Item Search::rest_of_path(const Node& node, Item at, std::uint32_t first) {
  for (auto i = first; i < node.first + node.count; ++i) {
    const auto& step = program_.steps[i];
    if (at.failed()) return at;
    if (!step.is_index()) {
      if (!at.is_object()) return {};
      at = member(at, i);
      continue;
    }
    if (!at.is_array()) return {};
    const Elements elements(at);
    const auto size = static_cast<std::int64_t>(elements.size());
    const auto index = step.number < 0 ? step.number + size : step.number;
    if (index < 0 || index >= size) return {};
    at = elements[static_cast<std::size_t>(index)];
  }
  return at;
}

Item Search::member(Item from, std::uint32_t step) {
  const auto key = program_.steps[step].name();
  if (from.tag() == Tag::kRecord) {
    bool found = false;
    return meter_.spend(from.size() / 8) ? find(from, key, found) : failed();
  }
  const auto place = find_place(*from.object, key, hints_[step]);
  if (place == from.object->size()) return {};
  hints_[step] = beside_ = static_cast<std::uint32_t>(place);
  return Item::of(from.object->begin()[place].value());
}

// Queries often ask for members that are beside each other.
std::size_t Search::find_place(const json::Object& object, std::string_view key,
                               std::uint32_t hint) const {
  for (const auto place : {hint, beside_ + 1, beside_ - 1}) {
    if (place < object.size() && same_name(object.begin()[place].key(), key)) return place;
  }
  return static_cast<std::size_t>(object.find(key) - object.begin());
}

Item Search::chain(const Node& node, Item current) {
  for (std::uint32_t i = 0; i < node.count && !current.failed(); ++i) {
    current = evaluate(program_.children[node.first + i], current);
  }
  return current;
}

// The first child whose truth is `until`, or the last one.
Item Search::any_or_all(const Node& node, Item current, bool until) {
  Item child;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    child = evaluate(program_.children[node.first + i], current);
    if (child.failed() || truthy(child) == until) return child;
  }
  return child;
}

Item Search::negate(const Node& node, Item current) {
  const auto item = evaluate(node.source, current);
  return item.failed() ? item : Item::of(!truthy(item));
}

Item Search::compare(const Node& node, Item current) {
  const auto left = evaluate(node.source, current);
  if (left.failed()) return left;
  const auto right = evaluate(node.right, current);
  if (right.failed()) return right;
  if (left.is_number() && right.is_number()) {
    return Item::of(holds(node.comparison, compare_numbers(left, right)));
  }
  const bool equal = node.comparison == Comparison::kEqual;
  if (!equal && node.comparison != Comparison::kNotEqual) return {};
  const auto answer = same(left, right);
  return answer ? Item::of(*answer == equal) : failed();
}

bool Search::keep(Item item) {
  if (kept_.size() == kept_.capacity() && !grow_kept()) return false;
  kept_.push_back(item);
  return true;
}

bool Search::grow_kept() {
  const auto more = std::max<std::size_t>(16, kept_.capacity());
  if (!meter_.take(more * sizeof(Item))) return false;
  kept_.reserve(kept_.capacity() + more);
  return true;
}

bool Search::apply(NodeId right, Item element) {
  const auto outcome = evaluate(right, element);
  if (outcome.failed()) return false;
  return outcome.is_null() || keep(outcome);
}

Item Search::collect(std::size_t mark) {
  const auto size = kept_.size() - mark;
  auto* items = arena_.make<Item>(size);
  if (items == nullptr) return failed();
  std::copy_n(kept_.data() + mark, size, items);
  kept_.resize(mark);
  return Item::list(items, size);
}

Item Search::project(const Node& node, Item current) {
  const auto source = evaluate(node.source, current);
  if (!source.is_array()) return source.failed() ? source : Item();
  const Elements elements(source);
  if (!meter_.spend(elements.size())) return failed();
  const auto mark = kept_.size();
  const auto next = ahead(elements, node.right);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    next.at(i);
    if (!apply(node.right, elements[i])) return failed();
  }
  return collect(mark);
}

Item Search::flatten(const Node& node, Item current) {
  const auto source = evaluate(node.source, current);
  if (!source.is_array()) return source.failed() ? source : Item();
  const Elements elements(source);
  if (!meter_.spend(elements.size())) return failed();
  const auto mark = kept_.size();
  const auto next = ahead(elements, node.right);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    next.at(i);
    const auto element = elements[i];
    if (!element.is_array()) {
      if (!apply(node.right, element)) return failed();
      continue;
    }
    const Elements inner(element);
    if (!meter_.spend(inner.size())) return failed();
    for (std::size_t j = 0; j < inner.size(); ++j) {
      if (!apply(node.right, inner[j])) return failed();
    }
  }
  return collect(mark);
}

Item Search::filter(const Node& node, Item current) {
  const auto source = evaluate(node.source, current);
  if (!source.is_array()) return source.failed() ? source : Item();
  const Elements elements(source);
  if (!meter_.spend(elements.size())) return failed();
  const auto mark = kept_.size();
  const auto next = ahead(elements, node.condition, node.right);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    next.at(i);
    const auto element = elements[i];
    const auto before = arena_.mark();
    const auto condition = evaluate(node.condition, element);
    if (condition.failed()) return condition;
    const bool wanted = truthy(condition);
    arena_.rewind(before);
    if (wanted && !apply(node.right, element)) return failed();
  }
  return collect(mark);
}

Item Search::values(const Node& node, Item current) {
  const auto source = evaluate(node.source, current);
  if (!source.is_object()) return source.failed() ? source : Item();
  const Members members(source);
  if (!meter_.spend(members.size())) return failed();
  const auto mark = kept_.size();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!apply(node.right, members.value(i))) return failed();
  }
  return collect(mark);
}

Item Search::slice(const Node& node, Item current) {
  const auto source = evaluate(node.source, current);
  if (!source.is_array()) return source.failed() ? source : Item();
  const Elements elements(source);
  const auto& slice = program_.slices[node.first];
  const auto range = range_of(slice, static_cast<std::int64_t>(elements.size()));
  if (!meter_.spend(static_cast<std::uint64_t>(range.count))) return failed();
  const auto mark = kept_.size();
  for (std::int64_t i = 0; i < range.count; ++i) {
    const auto place = static_cast<std::size_t>(range.begin + i * slice.step);
    if (!apply(node.right, elements[place])) return failed();
  }
  return collect(mark);
}

Item Search::list(const Node& node, Item current) {
  if (current.is_null()) return {};
  auto* items = arena_.make<Item>(node.count);
  if (items == nullptr) return failed();
  for (std::uint32_t i = 0; i < node.count; ++i) {
    items[i] = evaluate(program_.children[node.first + i], current);
    if (items[i].failed()) return items[i];
  }
  return Item::list(items, node.count);
}

Item Search::record(const Node& node, Item current) {
  if (current.is_null()) return {};
  auto* members = arena_.make<Member>(node.names);
  if (members == nullptr) return failed();
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const auto& entry = program_.entries[node.first + i];
    const auto item = evaluate(entry.value, current);
    if (item.failed()) return item;
    members[entry.place] = {entry.name, item};
  }
  return Item::record(members, node.names);
}

std::optional<bool> Search::same(Item a, Item b) {
  if (!meter_.step()) return std::nullopt;
  if (a.is_number() && b.is_number()) return compare_numbers(a, b) == 0;
  if (type_bit(a) != type_bit(b)) return false;
  if (a.is_array()) return same_arrays(a, b);
  if (a.is_object()) return same_objects(a, b);
  if (a.is_string()) {
    if (a.size() != b.size()) return false;
    if (!meter_.look(a.size())) return std::nullopt;
    return a.text() == b.text();
  }
  return a.is_null() || a.boolean() == b.boolean();
}

std::optional<bool> Search::same_arrays(Item a, Item b) {
  const Elements left(a);
  const Elements right(b);
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto answer = same(left[i], right[i]);
    if (answer != true) return answer;
  }
  return true;
}

std::optional<bool> Search::same_objects(Item a, Item b) {
  const Members left(a);
  if (left.size() != count(b)) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    // One in the arena has no index of its members.
    if (b.tag() == Tag::kRecord && !meter_.spend(b.size() / 8)) return std::nullopt;
    bool found = false;
    const auto other = find(b, left.key(i), found);
    if (!found) return false;
    const auto answer = same(left.value(i), other);
    if (answer != true) return answer;
  }
  return true;
}

}  // namespace cairn::jmespath
