// Finds places in a JSON text without building values.
//
// Trusts that the text is JSON (it was parsed before): what is none gives wrong places or none, but
// never reads outside of the text and always ends.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/json/pointer.h"

namespace cairn::document {

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
  bool operator==(const Span&) const = default;
};

// The place after the white space that begins there.
std::size_t skip_space(std::string_view text, std::size_t at);

// The place after the value that begins there; the text's end when it does not end before.
std::size_t skip_value(std::string_view text, std::size_t at);

// Whether a string as spelled in the text, with its quotes, says this.
bool spells(std::string_view lexeme, std::string_view string);

// One child after the other of the array or object that opens at a place.
//
//   for (Children child(text, at); child.next();) use(child.value());
class Children final {
 public:
  Children(std::string_view text, std::size_t open);

  // To the next child; false when there is none.
  bool next();

  // REQUIRES: next() was true.
  Span key() const { return key_; }  // with its quotes; empty in an array
  Span value() const { return value_; }
  // Where the child begins: its key, or its value.
  std::size_t begin() const { return is_object_ ? key_.begin : value_.begin; }

  bool is_object() const { return is_object_; }
  // How many children came so far.
  std::size_t count() const { return count_; }
  // The closing bracket's place. REQUIRES: next() was false.
  std::size_t close() const { return at_; }

 private:
  std::string_view text_;
  bool is_object_;
  std::size_t at_;
  std::size_t count_ = 0;
  Span key_;
  Span value_;
};

struct Found {
  Span value;
  // Where the arrays and objects around it open, the outermost first.
  std::vector<std::size_t> around;
};

// The value a pointer leads to; none when it leads nowhere.
// Costs  the text up to the value's end, once.
std::optional<Found> find_value(std::string_view text, const json::Pointer& pointer);

}  // namespace cairn::document
