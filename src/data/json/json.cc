#include "data/json/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>

#include "base/quote.h"
#include "base/utf8.h"
#include "data/json/arena_document.h"

namespace cairn::json {
namespace {

constexpr std::size_t kDeepest = 1000;  // the parser recurses

using ErrorCode = boost::system::error_code;
using View = boost::json::string_view;

// Puts the values of one document together from the parser's events.
class Builder {
 public:
  static constexpr std::size_t max_object_size = Object::max_size();
  static constexpr std::size_t max_array_size = Array::max_size();
  static constexpr std::size_t max_key_size = String::max_size();
  static constexpr std::size_t max_string_size = String::max_size();

  bool on_document_begin(ErrorCode&) {
    values_.reserve(64);
    key_begins_.reserve(64);
    keys_.reserve(1000);
    return true;
  }
  bool on_document_end(ErrorCode&) { return true; }
  bool on_array_begin(ErrorCode&) { return true; }
  bool on_object_begin(ErrorCode&) { return true; }
  bool on_comment_part(View, ErrorCode&) { return true; }
  bool on_comment(View, ErrorCode&) { return true; }
  bool on_number_part(View, ErrorCode&) { return true; }  // the text is whole: no parts

  bool on_array_end(std::size_t count, ErrorCode& error) {
    Array array(storage_);
    array.reserve(count);
    const auto first = values_.end() - static_cast<std::ptrdiff_t>(count);
    for (auto value = first; value != values_.end(); ++value) array.push_back(std::move(*value));
    values_.erase(first, values_.end());
    return push(std::move(array), error);
  }

  bool on_object_end(std::size_t count, ErrorCode& error) {
    Object object(storage_);
    object.reserve(count);
    const auto first = values_.end() - static_cast<std::ptrdiff_t>(count);
    const auto first_key = key_begins_.size() - count;
    for (std::size_t i = 0; i < count; ++i) {
      const auto key = this->key(first_key + i);
      // Boost lets the last of two equal keys win; other readers take the first.
      if (!object.emplace(key, std::move(first[static_cast<std::ptrdiff_t>(i)])).second) {
        return refuse(
            error, fmt::format("the object that ends here has the key '{}' twice", shown(key, 80)));
      }
    }
    values_.erase(first, values_.end());
    // Keys of this object were the last ones added: those of the objects around it stay.
    if (count > 0) keys_.resize(key_begins_[first_key]);
    key_begins_.resize(first_key);
    return push(std::move(object), error);
  }

  bool on_key_part(View part, std::size_t, ErrorCode&) {
    if (!in_key_) key_begins_.push_back(keys_.size());
    in_key_ = true;
    keys_.append(part.data(), part.size());
    return true;
  }

  bool on_key(View part, std::size_t size, ErrorCode& error) {
    on_key_part(part, size, error);
    in_key_ = false;
    return true;
  }

  bool on_string_part(View part, std::size_t, ErrorCode&) {
    text_.append(part.data(), part.size());
    return true;
  }

  bool on_string(View part, std::size_t size, ErrorCode& error) {
    // Without escapes a string comes in one part, and need not be copied twice.
    if (text_.empty()) return push(part, error);
    on_string_part(part, size, error);
    const bool taken = push(std::string_view(text_), error);
    text_.clear();
    return taken;
  }

  bool on_int64(std::int64_t value, View, ErrorCode& error) { return push(value, error); }
  bool on_uint64(std::uint64_t value, View, ErrorCode& error) { return push(value, error); }
  bool on_bool(bool value, ErrorCode& error) { return push(value, error); }
  bool on_null(ErrorCode& error) { return push(nullptr, error); }

  // Boost's reading is a bit off at times, but tells what is too large from what is too small.
  bool on_double(double about, View lexeme, ErrorCode& error) {
    double exact = 0;
    const auto read = std::from_chars(lexeme.data(), lexeme.data() + lexeme.size(), exact);
    if (read.ec == std::errc::result_out_of_range) {
      if (std::abs(about) > 1) {
        return refuse(error, fmt::format("the number {} that ends here is too large",
                                         shown({lexeme.data(), lexeme.size()}, 40)));
      }
      // Too small to tell from zero; its sign is kept.
      exact = std::copysign(0.0, about);
    }
    return push(exact, error);
  }

  void allow(std::size_t max_values) { max_values_ = max_values; }
  void store_in(boost::json::storage_ptr storage) { storage_ = std::move(storage); }

  // Why the builder stopped the parser, if it did.
  const std::optional<std::string>& refusal() const { return refusal_; }

  Value release() { return std::move(values_.front()); }

 private:
  template <typename T>
  bool push(T&& value, ErrorCode& error) {
    if (++count_ > max_values_) {
      return refuse(error, fmt::format("there are more than {} values", max_values_));
    }
    values_.emplace_back(std::forward<T>(value), storage_);
    return true;
  }

  bool refuse(ErrorCode& error, std::string why) {
    refusal_ = std::move(why);
    error = boost::json::error::exception;
    return false;
  }

  std::string_view key(std::size_t i) const {
    const auto end = i + 1 < key_begins_.size() ? key_begins_[i + 1] : keys_.size();
    return std::string_view(keys_).substr(key_begins_[i], end - key_begins_[i]);
  }

  std::vector<Value> values_;            // complete, their containers still open
  std::string keys_;                     // of the open objects, one after the other
  std::vector<std::size_t> key_begins_;  // each key's place in keys_
  bool in_key_ = false;
  std::string text_;  // a string that comes in parts
  std::size_t count_ = 0;
  std::size_t max_values_ = 0;
  boost::json::storage_ptr storage_;
  std::optional<std::string> refusal_;
};

// Boost calls half of a surrogate pair a syntax error where the other half is missing.
bool after_lone_surrogate(std::string_view before) {
  const auto escape = before.rfind("\\u");
  if (escape == before.npos || before.size() - escape > 8 || escape + 3 >= before.size()) {
    return false;
  }
  const char lead = before[escape + 2];
  const char next = before[escape + 3];
  return (lead == 'd' || lead == 'D') && std::string_view("89abAB").contains(next);
}

std::string unexpected(std::string_view text, std::size_t offset) {
  if (offset >= text.size()) return "the text ends too early";
  if (after_lone_surrogate(text.substr(0, offset))) return "half of a surrogate pair stands alone";
  const auto byte = static_cast<unsigned char>(text[offset]);
  if (byte >= 0x80 && !valid_utf8(text)) return "the text is not valid UTF-8";
  if (byte < 0x20 || byte == 0x7f) {
    return fmt::format("unexpected control character \\u{:04x}; in a string it must be escaped",
                       byte);
  }
  std::size_t size = 1;
  while (offset + size < text.size() && (text[offset + size] & 0xC0) == 0x80) ++size;
  return fmt::format("unexpected '{}'", shown(text.substr(offset, size)));
}

std::string reason(const ErrorCode& error, std::string_view text, std::size_t offset,
                   const ParseLimits& limits) {
  using Cause = boost::json::error;
  if (error == Cause::extra_data) {
    return fmt::format("{} after the end of the value", unexpected(text, offset));
  }
  if (error == Cause::too_deep) {
    return fmt::format("arrays and objects are nested more than {} deep",
                       std::min(limits.max_depth, kDeepest));
  }
  if (error == Cause::exponent_overflow) return "the exponent of this number is too large";
  if (error == Cause::illegal_leading_surrogate || error == Cause::illegal_trailing_surrogate) {
    return "half of a surrogate pair stands alone";
  }
  if (error == Cause::expected_hex_digit) return "\\u must be followed by four hexadecimal digits";
  if (error == Cause::object_too_large || error == Cause::array_too_large ||
      error == Cause::key_too_large || error == Cause::string_too_large) {
    return "it is too large";
  }
  return unexpected(text, offset);
}

Failure refused(std::string_view text, std::size_t offset, const std::string& why) {
  const auto before = text.substr(0, offset);
  const auto line = 1 + std::ranges::count(before, '\n');
  const auto line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto column = 1 + std::ranges::count_if(before.substr(line_begin),
                                                [](char c) { return (c & 0xC0) != 0x80; });
  return Failure(Error(Code::kInvalidJson,
                       fmt::format("not valid JSON at line {}, column {}: {}", line, column, why))
                     .with("line", line)
                     .with("column", column)
                     .with("offset", static_cast<std::int64_t>(offset)));
}

Result<Value> parse_in(std::string_view text, const ParseLimits& limits,
                       boost::json::storage_ptr storage) {
  boost::json::parse_options options;
  // Whatever the caller allows: the parser recurses, and the stack is not its to spend.
  options.max_depth = std::min(limits.max_depth, kDeepest);
  boost::json::basic_parser<Builder> parser(options);
  parser.handler().allow(limits.max_values);
  parser.handler().store_in(std::move(storage));
  ErrorCode error;
  // In one call: the parser stops at the end of the value, and anything behind it is an error.
  const auto offset = parser.write_some(false, text.data(), text.size(), error);
  if (!error && offset < text.size()) error = boost::json::error::extra_data;
  if (!error) return parser.handler().release();
  const auto& refusal = parser.handler().refusal();
  return refused(text, offset, refusal ? *refusal : reason(error, text, offset, limits));
}

}  // namespace

Result<Value> parse(std::string_view text, const ParseLimits& limits) {
  return parse_in(text, limits, {});
}

Result<void> ArenaDocument::parse(std::string_view text, const ParseLimits& limits) {
  value_ = TRY(parse_in(text, limits, &memory_));
  return {};
}

const Value* find(const Object& object, std::string_view key) { return object.if_contains(key); }

std::string_view text(const Value& value) {
  const auto* string = value.if_string();
  return string == nullptr ? std::string_view() : std::string_view(*string);
}

void use_signed_numbers(Value& value) {
  if (auto* array = value.if_array()) {
    for (auto& item : *array) use_signed_numbers(item);
  } else if (auto* object = value.if_object()) {
    for (auto& member : *object) use_signed_numbers(member.value());
  } else if (const auto* number = value.if_uint64();
             number != nullptr && std::in_range<std::int64_t>(*number)) {
    value = static_cast<std::int64_t>(*number);
  }
}

}  // namespace cairn::json
