#include "data/json/jmespath/ahead.h"

namespace cairn::jmespath {
namespace {

using Tag = Item::Tag;

void fetch(const void* address) { __builtin_prefetch(address); }

void fetch_inside(const json::Value& value) {
  if (value.kind() < json::Kind::string) return;
  if (const auto* text = value.if_string()) return fetch(text->data());
  if (const auto* array = value.if_array()) return fetch(array->data());
  fetch(value.get_object().begin());
}

}  // namespace

void Ahead::wants(NodeId expression) {
  if (expression == kCurrent || count_ == steps_.size() || nodes_ == kMostNodes) return;
  nodes_ += 1;
  const auto& node = program_.nodes[expression];
  switch (node.op) {
    case Op::kLiteral:
      return;
    case Op::kPath:
      if (node.source != kCurrent) return wants(node.source);
      if (!program_.steps[node.first].is_index()) steps_[count_++] = node.first;
      return;
    case Op::kChain:
    case Op::kOr:  // the others are rarely asked
      return wants(program_.children[node.first]);
    case Op::kAnd:
    case Op::kList:
    case Op::kRecord:
    case Op::kCall:
      return want_children(node);
    case Op::kCompare:
      wants(node.source);
      return wants(node.right);
    case Op::kNot:
    case Op::kProject:
    case Op::kFlatten:
    case Op::kFilter:
    case Op::kValues:
    case Op::kSlice:
      return wants(node.source);
  }
}

void Ahead::want_children(const Node& node) {
  for (std::uint32_t i = 0; i < node.count; ++i) {
    if (node.op == Op::kRecord) {
      wants(program_.entries[node.first + i].value);
    } else if (node.op != Op::kCall || signature(node.function).expected(i) != kExpressionBit) {
      wants(program_.children[node.first + i]);
    }
  }
}

// The places of the members.
void Ahead::far(std::size_t i) const {
  if (const auto* item = elements_.item(i)) {
    if (item->tag() == Tag::kArray) fetch(item->array);
    if (item->tag() == Tag::kObject) fetch(item->object);
    return;
  }
  const auto* object = elements_.value(i)->if_object();
  if (object == nullptr) return;
  const auto* const begin = object->begin();
  fetch(begin);
  // Whether it has as many is not known without waiting for it: an address, not an element.
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  for (std::size_t step = 0; step < count_; ++step) {
    fetch(reinterpret_cast<const void*>(address + hints_[steps_[step]] * sizeof *begin));
  }
}

// The bytes of their names, and what they are.
void Ahead::near(std::size_t i) const {
  if (const auto* item = elements_.item(i)) {
    if (item->tag() == Tag::kArray) fetch(item->array->data());
    if (item->tag() == Tag::kObject) fetch(item->object->begin());
    return;
  }
  const auto* object = elements_.value(i)->if_object();
  if (object == nullptr) return;
  for (std::size_t step = 0; step < count_; ++step) {
    const auto hint = hints_[steps_[step]];
    if (hint >= object->size()) continue;
    const auto& member = object->begin()[hint];
    fetch(member.key().data());
    fetch_inside(member.value());
  }
}

}  // namespace cairn::jmespath
