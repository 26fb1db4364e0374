// The functions, but for those that compare or add up elements.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "data/json/jmespath/problem.h"
#include "data/json/jmespath/search.h"

namespace cairn::jmespath {
namespace {

using Tag = Item::Tag;

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// An integer when there is one for it.
Item whole(double number) {
  if (number >= -0x1p63 && number < 0x1p63) return Item::of(static_cast<std::int64_t>(number));
  return Item::of(number);
}

Item absolute(Item number) {
  if (number.tag() == Tag::kUint) return number;
  if (number.tag() == Tag::kDouble) return Item::of(std::abs(number.real));
  if (number.integer >= 0) return number;
  const auto positive = 0 - static_cast<std::uint64_t>(number.integer);
  return positive > INT64_MAX ? Item::of(positive) : Item::of(static_cast<std::int64_t>(positive));
}

Item rounded(Function function, Item number) {
  if (number.tag() != Tag::kDouble) return number;
  return whole(function == Function::kCeil ? std::ceil(number.real) : std::floor(number.real));
}

// `a string, array or object`
std::string expected_types(std::uint8_t bits) {
  constexpr std::pair<TypeBit, std::string_view> kNames[] = {{kNumberBit, "a number"},
                                                             {kStringBit, "a string"},
                                                             {kArrayBit, "an array"},
                                                             {kObjectBit, "an object"}};
  std::string out;
  for (const auto& [bit, name] : kNames) {
    if ((bits & bit) == 0) continue;
    if (!out.empty()) out += " or ";
    out += name;
  }
  return out;
}

// A number as JSON spells it, with nothing around it; null when it is not one.
Item parsed_number(std::string_view text) {
  std::int64_t integer = 0;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, integer);
  const bool plain = read.ec == std::errc() && read.ptr == end;
  const auto digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (plain && integer != 0 && digits.front() != '0') return Item::of(integer);
  if (digits.empty() || digits.front() < '0' || digits.front() > '9') return {};
  if (text.back() < '0' || text.back() > '9') return {};
  const auto value = json::parse(text);
  return value && value->is_number() ? Item::of(*value) : Item();
}

}  // namespace

Item Search::wrong_type(const Node& node, std::string_view what) {
  error_ = problem(Kind::kInvalidType, program_.text, node.offset,
                   fmt::format("{}() {}", signature(node.function).name, what));
  return failed();
}

Item Search::wrong_argument(const Node& node, unsigned number, Item argument) {
  const auto expected = expected_types(signature(node.function).arguments[number]);
  return wrong_type(
      node, fmt::format("wants {} as argument {}, not {}", expected, number + 1, phrase(argument)));
}

Item Search::call(const Node& node, Item current) {
  if (node.function == Function::kMerge) return merge(node, current);
  if (node.function == Function::kNotNull) return not_null(node, current);
  const auto& takes = signature(node.function);
  const auto mark = arena_.mark();
  Item arguments[2];
  for (unsigned i = 0; i < node.count; ++i) {
    if (takes.arguments[i] == kExpressionBit) continue;
    arguments[i] = evaluate(program_.children[node.first + i], current);
    if (arguments[i].failed()) return arguments[i];
    if ((type_bit(arguments[i]) & takes.arguments[i]) == 0) {
      return wrong_argument(node, i, arguments[i]);
    }
  }
  const auto outcome = apply_function(node, arguments[0], arguments[1]);
  // Nothing that a number was made from is needed now.
  if (outcome.is_number()) arena_.rewind(mark);
  return outcome;
}

Item Search::apply_function(const Node& node, Item first, Item second) {
  const auto* const children = program_.children.data() + node.first;
  switch (node.function) {
    case Function::kAbs:
      return absolute(first);
    case Function::kAvg:
    case Function::kSum:
      return sum(node, first);
    case Function::kCeil:
    case Function::kFloor:
      return rounded(node.function, first);
    case Function::kContains:
      return contains(first, second);
    case Function::kEndsWith:
    case Function::kStartsWith:
      return affix(node.function, first, second);
    case Function::kJoin:
      return join(node, first, second);
    case Function::kKeys:
      return keys(first);
    case Function::kLength:
      return length(first);
    case Function::kMap:
      return map(children[0], second);
    case Function::kMax:
    case Function::kMin:
      return extreme(node, first, kCurrent);
    case Function::kMaxBy:
    case Function::kMinBy:
      return extreme(node, first, children[1]);
    case Function::kReverse:
      return reverse(first);
    case Function::kSort:
      return sort(node, first, kCurrent);
    case Function::kSortBy:
      return sort(node, first, children[1]);
    case Function::kToArray:
      return to_array(first);
    case Function::kToNumber:
      return to_number(first);
    case Function::kToString:
      return to_string(first);
    case Function::kType:
      return Item::of(type_name(first));
    case Function::kValues:
      return object_values(first);
    case Function::kMerge:
    case Function::kNotNull:
      break;  // call() knows them
  }
  std::unreachable();
}

Item Search::contains(Item subject, Item sought) {
  if (subject.is_string()) {
    if (!sought.is_string()) return Item::of(false);
    if (!meter_.look(subject.size())) return failed();
    // Linear whatever the texts are, which string_view's is not.
    return Item::of(memmem(subject.chars, subject.size(), sought.chars, sought.size()) != nullptr);
  }
  const Elements elements(subject);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto element = elements[i];
    if (type_bit(element) != type_bit(sought) && meter_.step()) continue;
    const auto answer = same(element, sought);
    if (!answer) return failed();
    if (*answer) return Item::of(true);
  }
  return Item::of(false);
}

Item Search::affix(Function function, Item text, Item part) {
  if (!meter_.look(part.size())) return failed();
  return Item::of(function == Function::kStartsWith ? text.text().starts_with(part.text())
                                                    : text.text().ends_with(part.text()));
}

char* Search::make_text(std::size_t size) {
  return meter_.look(size) ? arena_.make<char>(size) : nullptr;
}

Item Search::join(const Node& node, Item glue, Item array) {
  const Elements elements(array);
  if (!meter_.spend(elements.size())) return failed();
  std::size_t size = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto element = elements[i];
    if (!element.is_string()) {
      return wrong_type(
          node, fmt::format("wants an array of strings, but element {} is {}", i, phrase(element)));
    }
    size += element.size() + (i == 0 ? 0 : glue.size());
  }
  auto* const text = make_text(size);
  if (text == nullptr) return failed();
  auto* at = text;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) at = std::copy_n(glue.chars, glue.size(), at);
    const auto element = elements[i];
    at = std::copy_n(element.chars, element.size(), at);
  }
  return Item::of(std::string_view(text, size));
}

Item Search::keys(Item object) {
  const Members members(object);
  if (!meter_.spend(members.size())) return failed();
  auto* items = arena_.make<Item>(members.size());
  if (items == nullptr) return failed();
  for (std::size_t i = 0; i < members.size(); ++i) items[i] = Item::of(members.key(i));
  return Item::list(items, members.size());
}

Item Search::object_values(Item object) {
  const Members members(object);
  if (!meter_.spend(members.size())) return failed();
  auto* items = arena_.make<Item>(members.size());
  if (items == nullptr) return failed();
  for (std::size_t i = 0; i < members.size(); ++i) items[i] = members.value(i);
  return Item::list(items, members.size());
}

Item Search::length(Item item) {
  if (!item.is_string()) return Item::of(static_cast<std::int64_t>(count(item)));
  if (!meter_.look(item.size())) return failed();
  return Item::of(
      std::int64_t{std::ranges::count_if(item.text(), [](char byte) { return !continues(byte); })});
}

Item Search::map(NodeId expression, Item array) {
  const Elements elements(array);
  if (!meter_.spend(elements.size())) return failed();
  auto* items = arena_.make<Item>(elements.size());
  if (items == nullptr) return failed();
  const auto next = ahead(elements, expression);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    next.at(i);
    items[i] = evaluate(expression, elements[i]);
    if (items[i].failed()) return items[i];
  }
  return Item::list(items, elements.size());
}

Item Search::merge(const Node& node, Item current) {
  const auto mark = kept_.size();
  std::size_t most = 0;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const auto object = evaluate(program_.children[node.first + i], current);
    if (object.failed()) return object;
    if (!object.is_object()) {
      return wrong_type(node,
                        fmt::format("wants objects, but argument {} is {}", i + 1, phrase(object)));
    }
    most += count(object);
    if (!keep(object)) return failed();
  }
  if (!meter_.spend(most) || !meter_.take(most * 64)) return failed();
  auto* members = arena_.make<Member>(most);
  if (members == nullptr) return failed();
  std::unordered_map<std::string_view, std::size_t> places;
  for (auto i = mark; i < kept_.size(); ++i) {
    const Members given(kept_[i]);
    for (std::size_t j = 0; j < given.size(); ++j) {
      const auto place = places.try_emplace(given.key(j), places.size()).first->second;
      members[place] = {given.key(j), given.value(j)};
    }
  }
  kept_.resize(mark);
  return Item::record(members, places.size());
}

Item Search::not_null(const Node& node, Item current) {
  Item first;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const auto argument = evaluate(program_.children[node.first + i], current);
    if (argument.failed()) return argument;
    if (first.is_null()) first = argument;
  }
  return first;
}

Item Search::reverse(Item item) {
  if (item.is_array()) {
    const Elements elements(item);
    if (!meter_.spend(elements.size())) return failed();
    auto* items = arena_.make<Item>(elements.size());
    if (items == nullptr) return failed();
    for (std::size_t i = 0; i < elements.size(); ++i) items[i] = elements[elements.size() - 1 - i];
    return Item::list(items, elements.size());
  }
  auto* const text = make_text(item.size());
  if (text == nullptr) return failed();
  auto* at = text + item.size();
  for (std::size_t begin = 0; begin < item.size();) {
    auto end = begin + 1;
    while (end < item.size() && continues(item.chars[end])) ++end;
    at -= end - begin;
    std::copy(item.chars + begin, item.chars + end, at);
    begin = end;
  }
  return Item::of(std::string_view(text, item.size()));
}

Item Search::to_array(Item item) {
  if (item.is_array()) return item;
  auto* items = arena_.make<Item>(1);
  if (items == nullptr) return failed();
  items[0] = item;
  return Item::list(items, 1);
}

Item Search::to_number(Item item) {
  if (item.is_number()) return item;
  if (!item.is_string()) return {};
  return meter_.look(item.size()) ? parsed_number(item.text()) : failed();
}

Item Search::to_string(Item item) {
  if (item.is_string()) return item;
  Text out(meter_);
  if (!write(out, item)) return failed();
  const auto written = out.finish();
  auto* const text = make_text(written.size());
  if (text == nullptr) return failed();
  std::ranges::copy(written, text);
  return Item::of(std::string_view(text, written.size()));
}

}  // namespace cairn::jmespath
