#include "data/json/document/scan.h"

#include <algorithm>

#include "data/json/document/brackets.h"
#include "data/json/document/find.h"
#include "data/json/json.h"

namespace cairn::document {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool is_open(char c) { return c == '[' || c == '{'; }
bool is_close(char c) { return c == ']' || c == '}'; }

bool is_escaped(std::string_view text, std::size_t begin, std::size_t quote) {
  std::size_t slashes = 0;
  while (quote - slashes > begin && text[quote - slashes - 1] == '\\') ++slashes;
  return slashes % 2 == 1;
}

// REQUIRES: a quote stands there.
std::size_t skip_string(std::string_view text, std::size_t at) {
  const auto begin = at + 1;
  for (auto from = begin;;) {
    const auto quote = text.find('"', from);
    if (quote == text.npos) return text.size();
    if (!is_escaped(text, begin, quote)) return quote + 1;
    from = quote + 1;
  }
}

// REQUIRES: a bracket opens there.
std::size_t skip_container(std::string_view text, std::size_t at) {
  Brackets brackets;
  for (; at < text.size(); at += Block::kBytes) {
    const auto close = brackets.find_close(Block(text.substr(at, Block::kBytes)));
    if (close) return at + *close + 1;
  }
  return text.size();
}

std::size_t skip_scalar(std::string_view text, std::size_t at) {
  while (at < text.size() && !is_space(text[at]) && text[at] != ',' && !is_close(text[at])) {
    ++at;
  }
  return at;
}

// Leads the children to the one that a token names.
bool find_child(Children& child, std::string_view token) {
  const auto index = child.is_object() ? 0 : index_of(token);
  if (index < 0) return false;
  while (child.next()) {
    const bool found = child.is_object() ? spells(child.key(), token)
                                         : child.count() == static_cast<std::size_t>(index) + 1;
    if (found) return true;
  }
  return false;
}

}  // namespace

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

std::size_t skip_value(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  if (text[at] == '"') return skip_string(text, at);
  return is_open(text[at]) ? skip_container(text, at) : skip_scalar(text, at);
}

bool spells(std::string_view lexeme, std::string_view string) {
  if (lexeme.size() < 2) return false;
  const auto inner = lexeme.substr(1, lexeme.size() - 2);
  if (!inner.contains('\\')) return inner == string;
  const auto parsed = json::parse(lexeme);
  return parsed && parsed->is_string() && json::text(*parsed) == string;
}

Children::Children(std::string_view text, std::size_t open)
    : text_(text), at_(std::min(open, text.size())) {
  if (at_ == text.size() || !is_open(text[at_])) {
    at_ = text.size();
    return;
  }
  is_object_ = text[at_] == '{';
  at_ = skip_space(text, at_ + 1);
}

Span Children::value() {
  if (value_.end == 0) value_.end = skip_value(text_, value_.begin);
  return value_;
}

bool Children::next() {
  if (count_ > 0) {
    at_ = skip_space(text_, value().end);
    if (at_ >= text_.size() || text_[at_] != ',') return false;
    at_ = skip_space(text_, at_ + 1);
  }
  if (!at_child()) return false;
  value_ = {at_, 0};
  ++count_;
  return true;
}

// Past the key, to the value.
bool Children::at_child() {
  if (at_ >= text_.size() || is_close(text_[at_])) return false;
  if (!is_object_) return true;
  if (text_[at_] != '"') return false;
  key_ = {at_, skip_string(text_, at_)};
  const auto colon = skip_space(text_, key_.end);
  if (colon >= text_.size() || text_[colon] != ':') return false;
  at_ = skip_space(text_, colon + 1);
  return at_ < text_.size();
}

std::optional<Found> find_value(std::string_view text, const json::Pointer& pointer) {
  Found found{.begin = skip_space(text, 0)};
  for (const auto& token : pointer.tokens()) {
    Children child(text, found.begin);
    if (!find_child(child, token)) return std::nullopt;
    found.around.push_back(found.begin);
    found.begin = child.value_begin();
  }
  return found;
}

}  // namespace cairn::document
