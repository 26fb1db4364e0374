#include "data/json/pointer.h"

#include <charconv>

#include "base/quote.h"

namespace cairn::json {
namespace {

Result<std::string> decoded(std::string_view token, std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      out += token[i];
      continue;
    }
    const char next = i + 1 < token.size() ? token[++i] : '\0';
    if (next != '0' && next != '1') {
      return fail(Code::kInvalidArgument,
                  "'{}' is not a JSON pointer: '~' must be followed by 0 or 1", shown(text));
    }
    out += next == '0' ? '~' : '/';
  }
  return out;
}

const Value* element(const Array& array, std::string_view token) {
  std::size_t index = 0;
  const auto* const end = token.data() + token.size();
  const auto read = std::from_chars(token.data(), end, index);
  if (read.ec != std::errc() || read.ptr != end) return nullptr;
  if (token.size() > 1 && token.front() == '0') return nullptr;
  return array.if_contains(index);
}

const Value* step(const Value& value, std::string_view token) {
  if (const auto* object = value.if_object()) return find(*object, token);
  if (const auto* array = value.if_array()) return element(*array, token);
  return nullptr;
}

}  // namespace

Result<Pointer> Pointer::parse(std::string_view text) {
  Pointer pointer;
  if (text.empty()) return pointer;
  if (text.front() != '/') {
    return fail(Code::kInvalidArgument, "'{}' is not a JSON pointer: it should begin with '/'",
                shown(text));
  }
  for (auto rest = text; !rest.empty();) {
    rest.remove_prefix(1);
    const auto token = rest.substr(0, rest.find('/'));
    pointer.tokens_.push_back(TRY(decoded(token, text)));
    rest.remove_prefix(token.size());
  }
  return pointer;
}

std::string Pointer::render() const {
  std::string out;
  for (const auto& token : tokens_) {
    out += '/';
    for (const char c : token) {
      if (c == '~') {
        out += "~0";
      } else if (c == '/') {
        out += "~1";
      } else {
        out += c;
      }
    }
  }
  return out;
}

Pointer Pointer::child(std::string_view token) const {
  auto longer = *this;
  longer.tokens_.emplace_back(token);
  return longer;
}

const Value* get(const Value& document, const Pointer& pointer) {
  const auto* value = &document;
  for (const auto& token : pointer.tokens()) {
    value = step(*value, token);
    if (value == nullptr) return nullptr;
  }
  return value;
}

}  // namespace cairn::json
