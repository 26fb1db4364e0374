// Finds places in a JSON text without building values.
//
// Trusts that the text is JSON (it was parsed before): in anything else it finds wrong places or
// none, but never reads outside of the text and always ends.
//
// Threads     plain functions; Children is one thread's at a time.
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

  // The child that next() came to.
  std::string_view key() const { return key_.of(text_); }  // with its quotes; empty in an array
  std::size_t value_begin() const { return value_.begin; }
  Span value();
  // Where the child begins: its key, or its value.
  std::size_t begin() const { return is_object_ ? key_.begin : value_.begin; }
  // How many came so far, this one included.
  std::size_t count() const { return count_; }

  bool is_object() const { return is_object_; }
  // The closing bracket's place, when next() was false.
  std::size_t close() const { return at_; }

 private:
  bool at_child();

  std::string_view text_;
  bool is_object_ = false;
  std::size_t at_;
  std::size_t count_ = 0;
  Span key_{};
  Span value_{};  // its end is 0 until somebody asks
};

struct Found {
  std::size_t begin = 0;
  // Where the arrays and objects around it open, the outermost first.
  std::vector<std::size_t> around{};
};

// Where the value begins that a pointer leads to; none when it leads nowhere.
// Costs  the text up to there, once.
std::optional<Found> find_value(std::string_view text, const json::Pointer& pointer);

}  // namespace cairn::document
