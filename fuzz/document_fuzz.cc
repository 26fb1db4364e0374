// Input: a byte that chooses the change, then fields that end in NUL: a text, a pointer, a second
// pointer, and the items. The scanner takes any text; of a JSON text that was changed, the result
// is what the slow model says, in the same spelling.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "data/json/document/change.h"
#include "data/json/document/cut.h"
#include "data/json/document/describe.h"
#include "data/json/document/find.h"
#include "data/json/document/scan.h"
#include "data/json/document/select.h"
#include "data/json/document/testing.h"

namespace {

namespace json = cairn::json;
using namespace cairn::document;

void require(bool holds) {
  if (!holds) std::abort();
}

std::vector<std::string_view> fields_of(std::string_view input) {
  std::vector<std::string_view> fields;
  while (fields.size() < 3) {
    const auto end = input.find('\0');
    fields.push_back(input.substr(0, end));
    input.remove_prefix(end == input.npos ? input.size() : end + 1);
  }
  fields.push_back(input);
  return fields;
}

void walk(std::string_view text, std::size_t open, int depth) {
  std::size_t count = 0;
  for (Children child(text, open); child.next(); ++count) {
    const auto span = child.value();
    require(span.begin <= span.end && span.end <= text.size());
    require(child.begin() <= span.begin);
    require(count <= text.size());
    if (depth < 20) walk(text, span.begin, depth + 1);
  }
}

void check_error(const cairn::Error& error) {
  require(cairn::valid_utf8(error.message));
  require(error.message.size() < 2000);
  require(error.code != cairn::Code::kInternal);
}

void check_changed(const cairn::Result<Changed>& changed, const Spelled& model) {
  if (!changed) return check_error(changed.error());
  require(json::parse(changed->text).has_value());
  require(Spelled::read(changed->text).write() == model.write());
}

void insert(Spelled& target, std::size_t at, std::string key, Spelled value) {
  target.children.insert(target.children.begin() + static_cast<std::ptrdiff_t>(at),
                         {std::move(key), std::move(value)});
}

void erase(Spelled& target, std::size_t at) {
  target.children.erase(target.children.begin() + static_cast<std::ptrdiff_t>(at));
}

// What the summary says was changed, done to the model.
void model_create(Spelled& target, const json::Object& summary, const json::Value& items) {
  std::size_t i = 0;
  for (const auto& name : summary.at("created").get_array()) {
    if (target.is_array()) {
      insert(target, name.to_number<std::size_t>(), {}, Spelled::of(items.get_array()[i++]));
      continue;
    }
    const auto& value = items.is_object() ? items.get_object().at(json::text(name))
                                          : items.get_array()[i++].at("value");
    insert(target, target.children.size(), json::write(name), Spelled::of(value));
  }
}

void model_update(Spelled& target, const json::Object& summary, const json::Value& items,
                  Update how) {
  std::size_t i = 0;
  for (const auto& name : summary.at("updated").get_array()) {
    const auto place =
        target.is_array() ? name.to_number<std::size_t>() : *target.find(json::text(name));
    const auto& value = items.is_object() ? (items.get_object().begin() + i++)->value()
                                          : items.get_array()[i++].at("value");
    auto& child = target.children.at(place).value;
    if (how == Update::kMerge) {
      merge(child, value);
    } else {
      child = Spelled::of(value);
    }
  }
}

void model_remove(Spelled& target, const json::Object& summary) {
  std::vector<bool> gone(target.children.size());
  for (const auto& name : summary.at("deleted").get_array()) {
    gone.at(target.is_array() ? name.to_number<std::size_t>() : *target.find(json::text(name))) =
        true;
  }
  for (auto i = gone.size(); i-- > 0;) {
    if (gone[i]) erase(target, i);
  }
}

json::Pointer parent_of(const json::Pointer& pointer) {
  json::Pointer parent;
  for (std::size_t i = 0; i + 1 < pointer.tokens().size(); ++i) {
    parent = parent.child(pointer.tokens()[i]);
  }
  return parent;
}

void model_relocate(Spelled& model, const json::Object& summary, bool moves) {
  const auto from = *json::Pointer::parse(json::text(summary.at("from")));
  const auto to = *json::Pointer::parse(json::text(summary.at("to")));
  const auto value = *model.at(from);
  if (moves) {
    auto& source = *model.at(parent_of(from));
    erase(source, *source.find(from.tokens().back()));
  }
  auto& target = *model.at(parent_of(to));
  const auto& token = to.tokens().back();
  const auto at =
      target.is_array() ? static_cast<std::size_t>(index_of(token)) : target.children.size();
  insert(target, at, json::write(json::Value(token)), value);
}

void check_changes(std::uint8_t choice, const Document& document, const json::Pointer& context,
                   const json::Pointer& to, const json::Value& items) {
  auto model = Spelled::read(document.text);
  auto* target = model.at(context);
  require((target != nullptr) == resolve(document.value, context).has_value());
  const auto apply = [&](const cairn::Result<Changed>& changed, auto change) {
    if (changed) change(changed->summary);
    check_changed(changed, model);
  };
  const auto how = (choice & 8) != 0 ? Update::kMerge : Update::kReplace;
  const bool moves = (choice & 8) != 0;
  switch (choice % 4) {
    case 0: {
      std::optional<std::int64_t> index;
      if ((choice & 8) != 0) index = choice >> 4;
      return apply(create(document, context, items, index),
                   [&](const auto& summary) { model_create(*target, summary, items); });
    }
    case 1:
      return apply(update(document, context, items, how),
                   [&](const auto& summary) { model_update(*target, summary, items, how); });
    case 2:
      return apply(remove(document, context, items),
                   [&](const auto& summary) { model_remove(*target, summary); });
    case 3:
      return apply(moves ? move(document, context, to) : copy(document, context, to),
                   [&](const auto& summary) { model_relocate(model, summary, moves); });
  }
}

void check_views(const json::Value& value, const json::Value& items) {
  const auto small = cut(value, 100);
  require(json::write(small.value).size() <= 100);
  require(small.truncated == (json::write(value).size() > 100));
  const auto described = describe(value, {.max_bytes = 1000, .max_keys = 3, .max_elements = 3});
  require(json::write(described).size() <= 1000);
  PreviewOptions options{.count = 3};
  SelectOptions wanted;
  wanted.field = "a";
  if (const auto* list = items.if_array()) {
    for (const auto& field : *list) options.fields.emplace_back(json::text(field));
    wanted.keys = *list;
    if (!options.fields.empty()) wanted.field = options.fields.front();
  }
  const auto previewed = preview(value, options);
  if (!previewed) check_error(previewed.error());
  const auto selected = select(value, wanted);
  if (!selected) check_error(selected.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto fields = fields_of({reinterpret_cast<const char*>(data) + 1, size - 1});
  const auto text = fields[0];
  walk(text, skip_space(text, 0), 0);
  const auto context = json::Pointer::parse(fields[1]);
  const auto to = json::Pointer::parse(fields[2]);
  if (!context || !to) return 0;
  find_value(text, *context);
  const auto items = json::parse(fields[3]);
  const auto value = json::parse(text);
  // A text that was not parsed is answered too.
  if (!items) return 0;
  if (!value) {
    const json::Value other = json::Object{{"a", 1}, {"b", json::Array{1, 2}}};
    (void)update({other, text}, *context, *items);
    (void)remove({other, text}, *context, *items);
    return 0;
  }
  check_changes(data[0], {*value, text}, *context, *to, *items);
  check_views(*value, *items);
  return 0;
}
