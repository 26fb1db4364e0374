// One search of one document; private to the module's own sources.
//
// Threads     one at a time; program and document are only read and may be shared by many searches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "data/json/jmespath/ahead.h"
#include "data/json/jmespath/arena.h"
#include "data/json/jmespath/item.h"
#include "data/json/jmespath/jmespath.h"
#include "data/json/jmespath/program.h"
#include "data/json/jmespath/text.h"

namespace cairn::jmespath {

// Evaluates a program. Items are handed around without a Result, which would not fit into
// registers: one with the tag kFailed means that error() knows why.
class Search final {
 public:
  Search(const Program& program, Budget& budget)
      : program_(program), budget_(budget), meter_(budget), arena_(meter_) {}

  // The outcome; it lives as long as the search and the document.
  Result<Item> run(const json::Value& document);

  Result<json::Value> value(Item outcome, const boost::json::storage_ptr& storage);
  Result<std::string> text(Item outcome);

 private:
  struct Keyed {
    Item key;
    Item element;
  };

  // search.cc
  Item evaluate(NodeId id, Item current) {
    if (id == kCurrent) return current;
    if (!meter_.step()) [[unlikely]]
      return failed();
    const auto& node = program_.nodes[id];
    // Mostly it is the path to a member.
    const bool plain = node.op == Op::kPath && node.source == kCurrent;
    return plain ? path(node, current) : apply_node(node, current);
  }
  Item apply_node(const Node& node, Item current);
  Item path_from(const Node& node, Item current);
  Item path(const Node& node, Item at);
  Item rest_of_path(const Node& node, Item at, std::uint32_t first);
  Item member(Item from, std::uint32_t step);
  // Where the member is, or the size.
  std::size_t find_place(const json::Object& object, std::string_view key,
                         std::uint32_t hint) const;
  Item chain(const Node& node, Item current);
  Item any_or_all(const Node& node, Item current, bool until);
  Item negate(const Node& node, Item current);
  Item compare(const Node& node, Item current);
  Item project(const Node& node, Item current);
  Item flatten(const Node& node, Item current);
  Item filter(const Node& node, Item current);
  Item values(const Node& node, Item current);
  Item slice(const Node& node, Item current);
  Item list(const Node& node, Item current);
  Item record(const Node& node, Item current);

  // Prepares to bring near what these expressions look at in each element.
  Ahead ahead(Elements elements, NodeId expression, NodeId other = kCurrent) const {
    Ahead ahead(program_, hints_, elements);
    if (elements.size() < 16) return ahead;
    ahead.wants(expression);
    ahead.wants(other);
    return ahead;
  }
  // Applies to an element, and keeps what is not null.
  bool apply(NodeId right, Item element);
  bool keep(Item item);
  bool grow_kept();
  // A list of what was kept since `mark`.
  Item collect(std::size_t mark);
  Item failed() const { return Item::failure(); }
  std::optional<bool> same(Item a, Item b);
  std::optional<bool> same_arrays(Item a, Item b);
  std::optional<bool> same_objects(Item a, Item b);
  Error error();

  // call.cc
  Item call(const Node& node, Item current);
  Item apply_function(const Node& node, Item first, Item second);
  Item contains(Item subject, Item sought);
  Item affix(Function function, Item text, Item part);
  Item join(const Node& node, Item glue, Item array);
  Item keys(Item object);
  Item object_values(Item object);
  Item length(Item item);
  Item map(NodeId expression, Item array);
  Item merge(const Node& node, Item current);
  Item not_null(const Node& node, Item current);
  Item reverse(Item item);
  Item to_array(Item item);
  Item to_number(Item item);
  Item to_string(Item item);
  // Bytes for a string of this search; nullptr when over the budget.
  char* make_text(std::size_t size);
  Item wrong_type(const Node& node, std::string_view what);
  Item wrong_argument(const Node& node, unsigned number, Item argument);

  // order.cc
  Item sum(const Node& node, Item array);  // and avg
  Item extreme(const Node& node, Item array, NodeId by);
  Item sort(const Node& node, Item array, NodeId by);
  // The elements with what they are compared by, which is checked; nullptr when that failed.
  Keyed* keyed(const Node& node, Item array, NodeId by);
  bool comparable(const Node& node, Item key, Item first_key, std::size_t index);
  bool less(const Keyed& a, const Keyed& b);
  const Keyed* merge_sorted(Keyed* from, Keyed* to, std::size_t size);

  // outcome.cc
  bool measure(const json::Value& value);
  bool measure(const json::Array& array);
  bool measure(const json::Object& object);
  bool fill(json::Value& to, Item item);
  bool fill(json::Array& array, Item list);
  bool fill(json::Object& object, Item record);
  bool write(Text& out, Item item);
  bool write_array(Text& out, Elements elements);
  bool write_object(Text& out, Members members);

  const Program& program_;
  Budget& budget_;
  Meter meter_;
  Arena arena_;
  std::vector<Item> kept_;
  std::uint32_t* hints_ = nullptr;  // for each step: where its member was the last time
  std::uint32_t beside_ = 0;        // where a member was found the last time
  std::optional<Error> error_;
};

}  // namespace cairn::jmespath
