// Html: markup made of elements and texts. Whatever came from elsewhere is a text, and every text
// is escaped: what a client calls itself can be no markup.
//
//   element("p", {{"class", "soft"}}, {"Signed in as ", element("b", {}, {name})})
//
// Threads  values; share them freely.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cairn::pages {

using Attribute = std::pair<std::string_view, std::string_view>;
using Attributes = std::initializer_list<Attribute>;

class Html final {
 public:
  Html() = default;
  // A text, escaped.
  Html(std::string_view text);
  Html(const char* text) : Html(std::string_view(text)) {}
  Html(const std::string& text) : Html(std::string_view(text)) {}

  Html& operator+=(const Html& more) {
    markup_ += more.markup_;
    return *this;
  }
  const std::string& markup() const { return markup_; }

 private:
  friend Html element(std::string_view tag, std::span<const Attribute> attributes,
                      std::span<const Html> inner);
  std::string markup_;
};

// Elements that have no content by their nature (`input`, `meta`) are not closed.
Html element(std::string_view tag, std::span<const Attribute> attributes,
             std::span<const Html> inner);
inline Html element(std::string_view tag, Attributes attributes = {},
                    std::initializer_list<Html> inner = {}) {
  return element(tag, std::span(attributes.begin(), attributes.size()),
                 std::span(inner.begin(), inner.size()));
}
inline Html element(std::string_view tag, Attributes attributes, const std::vector<Html>& inner) {
  return element(tag, std::span(attributes.begin(), attributes.size()), std::span(inner));
}

// A name that somebody else chose: cut, with what would change the direction of its neighbours or
// hide something made visible.
Html foreign(std::string_view name, std::size_t max_bytes = 120);

}  // namespace cairn::pages
