#include "data/text/shell_glob_braces.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/quote.h"
#include "data/text/shell_glob.h"

namespace cairn::shell_glob {
namespace {

using Texts = std::vector<std::string>;

// Escaped characters while braces are read: bytes that UTF-8 does not have.
constexpr std::string_view kEscapable = "\\{},.";
constexpr std::string_view kMarks = "\xF8\xF9\xFA\xFB\xFC";
constexpr char kCloseMark = '\xFA';

std::string mark_escapes(std::string_view text) {
  std::string marked;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto which = text[i] == '\\' && i + 1 < text.size() ? kEscapable.find(text[i + 1])
                                                        : std::string_view::npos;
    if (which == std::string_view::npos) {
      marked += text[i];
    } else {
      marked += kMarks[which];
      ++i;
    }
  }
  return marked;
}

// The backslash is gone for good: `\*{a,b}` keeps its own, `\\*{a,b}` is left with one.
void unmark_escapes(std::string& text) {
  for (char& c : text) {
    auto which = kMarks.find(c);
    if (which != std::string_view::npos) c = kEscapable[which];
  }
}

// Where JavaScript's `.` stops.
bool ends_line(std::string_view text, std::size_t at) {
  auto rest = text.substr(at, 3);
  return rest.starts_with('\n') || rest.starts_with('\r') || rest == "\u2028" || rest == "\u2029";
}

bool has_braces(std::string_view pattern) {
  bool open = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '{') open = true;
    if (pattern[i] == '}' && open) return true;
    if (ends_line(pattern, i)) open = false;
  }
  return false;
}

// Whether a comma, not followed by another, has a closing brace after it.
bool closes_later(std::string_view text) {
  bool closes = false;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (ends_line(text, i)) closes = false;
    if (text[i] == '}') closes = true;
    if (text[i] == ',' && closes && text[i + 1] != ',') return true;
  }
  return false;
}

struct Pair {
  std::string_view before;
  std::string_view body;
  std::string_view after;

  std::string braced() const { return fmt::format("{{{}}}", body); }
};

// The first '{' with its '}'; if that has none, the outermost pair that is whole.
std::optional<Pair> first_pair(std::string_view text) {
  std::vector<std::size_t> open;
  std::optional<std::pair<std::size_t, std::size_t>> best;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') open.push_back(i);
    if (text[i] != '}' || open.empty()) continue;
    if (!best || open.back() < best->first) best.emplace(open.back(), i);
    open.pop_back();
    if (open.empty()) break;
  }
  if (!best) return std::nullopt;
  auto [first, last] = *best;
  return Pair{text.substr(0, first), text.substr(first + 1, last - first - 1),
              text.substr(last + 1)};
}

void split_at_commas(std::string_view text, Texts& out) {
  for (auto comma = text.find(','); comma != std::string_view::npos; comma = text.find(',')) {
    out.emplace_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  out.emplace_back(text);
}

// ---- Sequences --------------------------------------------------------------------------------

// {1..10..2}, {a..e}
struct Span {
  bool letters = false;
  std::vector<std::string_view> fields;
};

bool is_letter(std::string_view text) {
  return text.size() == 1 &&
         ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
}

bool is_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<Span> as_span(std::string_view body) {
  Span span;
  while (true) {
    auto dots = body.find("..");
    span.fields.push_back(body.substr(0, dots));
    if (dots == std::string_view::npos) break;
    body.remove_prefix(dots + 2);
  }
  const auto& fields = span.fields;
  if (fields.size() < 2 || fields.size() > 3) return std::nullopt;
  if (fields.size() == 3 && !is_integer(fields[2])) return std::nullopt;
  span.letters = is_letter(fields[0]) && is_letter(fields[1]);
  if (span.letters || (is_integer(fields[0]) && is_integer(fields[1]))) return span;
  return std::nullopt;
}

// `01`, `-007`: then all are as wide as the wider end.
bool is_padded(std::string_view number) {
  if (number.starts_with('-')) number.remove_prefix(1);
  return number.size() > 1 && number[0] == '0';
}

std::string render(std::int64_t number, std::size_t width) {
  auto digits = std::to_string(number < 0 ? -number : number);
  std::string sign = number < 0 ? "-" : "";
  auto taken = digits.size() + sign.size();
  return sign + std::string(width > taken ? width - taken : 0, '0') + digits;
}

// ---- Expansion --------------------------------------------------------------------------------

class Expander final {
 public:
  explicit Expander(std::string_view pattern) : pattern_(pattern) {}

  // `top`: an outermost list of alternatives drops those that come out empty.
  Result<Texts> expand(std::string text, bool top, int depth) {
    if (depth > ShellGlob::kMaxBraceDepth) {
      return refused(fmt::format("nest more than {} deep", ShellGlob::kMaxBraceDepth));
    }
    Texts heads = {""};
    bool first = true;
    bool drop = false;
    while (true) {
      TRY(work(text.size()));
      auto pair = first_pair(text);
      if (!pair) return join(heads, text, {""}, drop);
      const bool drop_here = drop && pair->after.empty();
      auto span = as_span(pair->body);
      if (pair->before.ends_with('$')) {  // `${a,b}` is a shell's variable
        heads = TRY(join(heads, std::string(pair->before) + pair->braced(), {""}, drop_here));
        first = false;
      } else if (!span && pair->body.find(',') == std::string_view::npos) {
        if (!closes_later(pair->after)) return join(heads, text, {""}, drop);
        // The closing brace of {a},b} is not one.
        text[pair->before.size() + 1 + pair->body.size()] = kCloseMark;
        top = true;
        continue;
      } else {
        if (first) drop = top && !span;
        first = false;
        auto values = span ? TRY(written_out(*span)) : TRY(options(pair->body, depth));
        heads = TRY(join(heads, pair->before, values, drop && pair->after.empty()));
      }
      if (pair->after.empty()) return heads;
      text = std::string(pair->after);
    }
  }

 private:
  // How many characters may be looked at: nested braces are read again by each around them.
  static constexpr std::size_t kMaxWork = 8 << 20;

  Result<Texts> options(std::string_view body, int depth) {
    auto parts = TRY(comma_parts(body));
    if (parts.size() == 1) {  // {{a,b}} is {a} and {b}
      parts = TRY(expand(parts[0], false, depth + 1));
      for (auto& part : parts) part = fmt::format("{{{}}}", part);
      if (parts.size() == 1) return parts;
    }
    Texts values;
    std::size_t bytes = 0;
    for (auto& part : parts) {
      auto some = TRY(expand(std::move(part), false, depth + 1));
      for (auto& value : some) {
        bytes += value.size();
        values.push_back(std::move(value));
      }
      TRY(check(values.size(), bytes));
    }
    return values;
  }

  // Cut at the commas that are in no braces of their own.
  Result<Texts> comma_parts(std::string_view body) {
    Texts parts;
    std::string carry;
    while (true) {
      TRY(work(body.size()));
      auto pair = first_pair(body);
      const auto begin = parts.size();
      split_at_commas(pair ? pair->before : body, parts);
      parts[begin] = carry + parts[begin];
      if (!pair) return parts;
      parts.back() += pair->braced();
      if (pair->after.empty()) return parts;
      carry = std::move(parts.back());
      parts.pop_back();
      body = pair->after;
    }
  }

  Result<Texts> written_out(const Span& span) const {
    auto first = TRY(number(span, 0));
    auto last = TRY(number(span, 1));
    auto step = span.fields.size() == 3 ? TRY(number(span, 2)) : 1;
    step = std::max<std::int64_t>(step < 0 ? -step : step, 1);
    const auto count =
        static_cast<std::size_t>((first < last ? last - first : first - last) / step) + 1;
    const auto width = std::ranges::any_of(span.fields, is_padded)
                           ? std::max(span.fields[0].size(), span.fields[1].size())
                           : 0;
    TRY(check(count, count * width));
    if (last < first) step = -step;
    Texts values;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(span.letters ? letter(first) : render(first, width));
      first += step;
    }
    return values;
  }

  // Between 'Z' and 'a' lies a backslash, which is left out.
  static std::string letter(std::int64_t code) {
    return code == '\\' ? "" : std::string(1, static_cast<char>(code));
  }

  Result<std::int64_t> number(const Span& span, std::size_t which) const {
    auto field = span.fields[which];
    if (which < 2 && span.letters) return field[0];
    const bool negative = field.starts_with('-');
    field.remove_prefix(std::min(field.find_first_not_of("-0"), field.size()));
    if (field.size() > 15) return refused("have a number of more than 15 digits");
    std::int64_t value = 0;
    for (char c : field) value = value * 10 + (c - '0');
    return negative ? -value : value;
  }

  // Each of `heads`, then `middle`, then each of `tails`.
  Result<Texts> join(const Texts& heads, std::string_view middle, const Texts& tails,
                     bool drop) const {
    std::size_t bytes = 0;
    Texts joined;
    for (const auto& head : heads) {
      for (const auto& tail : tails) {
        auto text = fmt::format("{}{}{}", head, middle, tail);
        if (drop && text.empty()) continue;
        bytes += text.size();
        joined.push_back(std::move(text));
        TRY(check(joined.size(), bytes));
      }
    }
    return joined;
  }

  Result<void> check(std::size_t alternatives, std::size_t bytes) const {
    if (alternatives > ShellGlob::kMaxAlternatives || bytes > ShellGlob::kMaxExpandedBytes) {
      return too_many();
    }
    return {};
  }

  Result<void> work(std::size_t characters) {
    work_ += characters;
    if (work_ > kMaxWork) return refused("are too entangled to expand");
    return {};
  }

  Failure too_many() const {
    return refused(fmt::format("stand for more than {} alternatives or {} bytes",
                               ShellGlob::kMaxAlternatives, ShellGlob::kMaxExpandedBytes));
  }

  Failure refused(std::string_view reason) const {
    return fail(Code::kInvalidPattern,
                "the braces of the pattern '{}' {}; use a wildcard, or several patterns",
                shown(pattern_), reason);
  }

  std::string_view pattern_;
  std::size_t work_ = 0;
};

}  // namespace

Result<Texts> expand_braces(std::string_view pattern) {
  if (!has_braces(pattern)) return Texts{std::string(pattern)};
  // Braces with nothing in them, at the very start, are no braces.
  std::string text(pattern.starts_with("{}") ? "\\{\\}" : "");
  text += pattern.substr(text.empty() ? 0 : 2);
  auto texts = TRY(Expander(pattern).expand(mark_escapes(text), true, 0));
  for (auto& one : texts) unmark_escapes(one);
  return texts;
}

}  // namespace cairn::shell_glob
