#include "data/json/document/layout.h"

#include <algorithm>
#include <optional>
#include <ranges>

namespace cairn::document {
namespace {

constexpr std::size_t kSampleBytes = 4096;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// A text may be indented by megabytes; what is put into it is not.
constexpr std::size_t kMaxUnit = 8;
constexpr std::size_t kMaxIndent = 200;

// The unit of indentation that a container shows, when it is one of lines.
std::optional<std::string> unit_of(std::string_view text, std::size_t open) {
  if (!opens_lines(text, open)) return std::nullopt;
  const auto first = skip_space(text, open + 1);
  const auto inner = line_indent(text, first);
  const auto outer = line_indent(text, open);
  if (!inner.starts_with(outer) || inner.size() == outer.size()) return std::nullopt;
  const auto unit = inner.substr(outer.size());
  return unit.size() > kMaxUnit ? std::nullopt : std::optional(std::string(unit));
}

// The use of commas and colons in a stretch of text.
struct Habits {
  std::optional<std::string> comma;
  std::optional<std::string> colon;
};

void read_habits(std::string_view text, std::size_t begin, Habits& habits) {
  const auto end = std::min(text.size(), begin + kSampleBytes);
  for (auto at = begin; at < end && !(habits.comma && habits.colon);) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\n';
    if (c == ':' && !habits.colon) {
      habits.colon = std::string(is_blank(text[at - (at > 0 ? 1 : 0)]) ? " " : "") + ":" +
                     (is_blank(next) ? " " : "");
    }
    if (c == ',' && !habits.comma && next != '\n' && next != '\r') {
      habits.comma = is_blank(next) ? " " : "";
    }
    at = c == '"' ? skip_value(text, at) : at + 1;
  }
}

void apply(const Habits& habits, Style& style) {
  if (habits.comma) style.comma = *habits.comma;
  if (habits.colon) style.colon = *habits.colon;
  // One tells of the other.
  if (habits.comma && !habits.colon) style.colon = ":" + *habits.comma;
  if (habits.colon && !habits.comma) style.comma = habits.colon->ends_with(' ') ? " " : "";
}

// Writes tokens and the white space between them.
class Layer {
 public:
  Layer(std::string_view json, Form form, const Style& style, std::string_view indent)
      : json_(json), form_(form), style_(style), indent_(indent) {}

  std::string run() {
    out_.reserve(json_.size() + json_.size() / 4);
    for (std::size_t at = skip_space(json_, 0); at < json_.size();) {
      const auto end = token_end(at);
      write(json_.substr(at, end - at));
      const auto next = skip_space(json_, end);
      if (next < json_.size()) space(json_[at], json_.substr(end, next - end), json_[next]);
      at = next;
    }
    return std::move(out_);
  }

 private:
  std::size_t token_end(std::size_t at) const {
    constexpr std::string_view kPunctuation = "[]{},:";
    if (kPunctuation.contains(json_[at])) return at + 1;
    if (json_[at] == '"') return skip_value(json_, at);
    return std::min(json_.find_first_of(" \t\r\n[]{},:\"", at), json_.size());
  }

  void write(std::string_view token) {
    if (is_open(token.front())) ++depth_;
    if (is_close(token.front()) && depth_ > 0) --depth_;
    // Of the colon only the style's spelling is written, with the space around it.
    if (form_ != Form::kKept && token == ":") token = style_.colon;
    out_ += token;
  }

  // The white space between a token and the next.
  void space(char before, std::string_view old, char next) {
    switch (form_) {
      case Form::kKept:
        if (old.contains('\n')) return new_line(next);
        out_ += old;
        return;
      case Form::kRow:
        if (before == ',') out_ += style_.comma;
        return;
      case Form::kLines:
        const bool empty = is_open(before) && is_close(next);
        if (!empty && (before == ',' || is_open(before) || is_close(next))) new_line(next);
        return;
    }
  }

  void new_line(char next) {
    const auto depth = depth_ - (is_close(next) && depth_ > 0 ? 1 : 0);
    out_ += style_.newline;
    out_ += indent_;
    for (std::size_t i = 0; i < depth; ++i) out_ += style_.unit;
  }

  static bool is_open(char c) { return c == '[' || c == '{'; }
  static bool is_close(char c) { return c == ']' || c == '}'; }

  const std::string_view json_;
  const Form form_;
  const Style& style_;
  const std::string_view indent_;
  std::size_t depth_ = 0;
  std::string out_;
};

}  // namespace

Style style_near(std::string_view text, std::span<const std::size_t> around, std::size_t open) {
  Style style;
  const auto line_end = text.find('\n');
  style.is_one_line = line_end == text.npos;
  if (!style.is_one_line && line_end > 0 && text[line_end - 1] == '\r') style.newline = "\r\n";
  auto unit = unit_of(text, open);
  for (const auto outer : around | std::views::reverse) {
    if (unit) break;
    unit = unit_of(text, outer);
  }
  if (unit) style.unit = *unit;
  Habits habits;
  read_habits(text, open, habits);
  read_habits(text, 0, habits);
  apply(habits, style);
  return style;
}

std::string gap_before(std::string_view text, std::size_t at, const Style& style) {
  const auto before = text.substr(0, at);
  const auto last = before.find_last_not_of(" \t\r\n");
  const auto space = before.substr(last == before.npos ? 0 : last + 1);
  const auto line_end = space.rfind('\n');
  if (line_end == space.npos) return std::string(space.substr(0, kMaxIndent));
  return style.newline + std::string(space.substr(line_end + 1, kMaxIndent));
}

std::string_view line_indent(std::string_view text, std::size_t at) {
  const auto begin = text.substr(0, at).rfind('\n') + 1;  // npos + 1 is 0
  const auto end = std::min(text.find_first_not_of(" \t", begin), text.size());
  return text.substr(begin, std::min(end - begin, kMaxIndent));
}

bool opens_lines(std::string_view text, std::size_t open) {
  if (open >= text.size()) return false;
  const auto first = skip_space(text, open + 1);
  return text.substr(open, first - open).contains('\n');
}

std::string laid_out(std::string_view json, Form form, const Style& style,
                     std::string_view indent) {
  return Layer(json, form, style, indent).run();
}

}  // namespace cairn::document
