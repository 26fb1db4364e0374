#include "exposure/pages/html.h"

#include <algorithm>
#include <array>

#include "base/quote.h"
#include "base/show.h"

namespace cairn::pages {
namespace {

void escape(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
}

bool is_empty(std::string_view tag) {
  constexpr std::array<std::string_view, 5> kEmpty = {"br", "hr", "input", "link", "meta"};
  return std::ranges::find(kEmpty, tag) != kEmpty.end();
}

}  // namespace

Html::Html(std::string_view text) { escape(markup_, text); }

Html element(std::string_view tag, std::span<const Attribute> attributes,
             std::span<const Html> inner) {
  Html made;
  auto& out = made.markup_;
  out += '<';
  out += tag;
  for (const auto& [name, value] : attributes) {
    out += ' ';
    out += name;
    out += "=\"";
    escape(out, value);
    out += '"';
  }
  out += '>';
  if (is_empty(tag)) return made;
  for (const auto& part : inner) out += part.markup();
  out += "</";
  out += tag;
  out += '>';
  return made;
}

Html foreign(std::string_view name, std::size_t max_bytes) {
  return element("bdi", {}, {shown_lines(shown(name, max_bytes))});
}

}  // namespace cairn::pages
