#include "data/text/shell_glob_segment.h"

#include <algorithm>

#include "data/text/glob_character.h"
#include "data/text/pattern_candidate_writer.h"

namespace cairn::shell_glob {
namespace {

// The units a regular expression of JavaScript sees: halves of UTF-16, or code points with /u.
std::u32string units(std::string_view text, bool by_code_points) {
  std::u32string out;
  while (!text.empty()) {
    auto [code, length] = first_character(text);
    text.remove_prefix(length);
    if (by_code_points || code < 0x10000 || code == kNotACharacter) {
      out += code;
    } else {
      out += 0xD800 + ((code - 0x10000) >> 10);
      out += 0xDC00 + ((code - 0x10000) & 0x3FF);
    }
  }
  return out;
}

std::size_t utf16_length(std::string_view text) { return units(text, false).size(); }

bool is_dots(std::string_view name) { return name == "." || name == ".."; }

// What minimatch, after stars or question marks, compares as it stands, backslashes and all.
bool is_plain_end(std::string_view text) {
  return text.find_first_of("+@!?*[(") == std::string_view::npos;
}

std::string_view without_leading(std::string_view text, char c) {
  return text.substr(std::min(text.find_first_not_of(c), text.size()));
}

bool is_text(const Sequence& sequence) {
  return std::ranges::all_of(sequence,
                             [](const Item& item) { return item.kind == Item::Kind::kCharacter; });
}

}  // namespace

Result<Segment> Segment::parse(std::string_view text, Reading& reading) {
  if (text == "**") return Segment(Kind::kAnyDepth);
  if (text.empty()) return Segment(Kind::kText);
  const auto end = without_leading(text, text[0]);
  if (text[0] == '*' && is_plain_end(end)) {
    Segment segment(end.empty() ? Kind::kAnyName : Kind::kSuffix);
    segment.text_ = end;
    return segment;
  }
  if (text[0] == '?' && is_plain_end(end)) {
    Segment segment(Kind::kLength);
    segment.text_ = end;
    segment.length_ = utf16_length(text);
    return segment;
  }
  Segment segment(Kind::kMachine);
  auto read = TRY(read_segment(units(text, false), reading));
  segment.by_code_points_ = read.unicode || is_text(read.sequence);
  if (segment.by_code_points_) read = TRY(read_segment(units(text, true), reading));
  if (is_text(read.sequence)) {
    segment.kind_ = Kind::kText;
    for (const auto& item : read.sequence) segment.text_ += to_utf8(item.code);
    return segment;
  }
  segment.machine_ = std::make_shared<const Machine>(read.sequence);
  return segment;
}

bool Segment::matches(std::string_view name) const {
  switch (kind_) {
    case Kind::kAnyDepth:
      return false;
    case Kind::kText:
      return name == text_;
    case Kind::kAnyName:
      return !name.empty() && !is_dots(name);
    case Kind::kSuffix:
      return name.ends_with(text_);
    case Kind::kLength:
      return name.ends_with(text_) && utf16_length(name) == length_ && !is_dots(name);
    case Kind::kMachine:
      return machine_->matches(units(name, by_code_points_));
  }
  return false;
}

}  // namespace cairn::shell_glob
