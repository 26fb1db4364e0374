#include "data/text/shell_glob_braces.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include <re2/re2.h>

#include "base/ascii.h"
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

bool has_braces(std::string_view pattern) {
  const auto open = pattern.find('{');
  return open != std::string_view::npos && pattern.find('}', open) != std::string_view::npos;
}

// Whether a comma, not followed by another, has a closing brace after it.
bool closes_later(std::string_view text) {
  text = text.substr(0, text.find_last_of('}') + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',' && text[i + 1] != ',') return true;
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

// {1..10..2}, {a..e}
struct Span {
  std::string first;
  std::string last;
  std::string step;

  bool letters() const { return is_letter(first[0]); }
  // `01`, `-007`: then all are as wide as the wider end.
  std::size_t width() const {
    const auto is_padded = [](std::string_view number) {
      if (number.starts_with('-')) number.remove_prefix(1);
      return number.size() > 1 && number[0] == '0';
    };
    return is_padded(first) || is_padded(last) || is_padded(step)
               ? std::max(first.size(), last.size())
               : 0;
  }
};

// ---- Expansion --------------------------------------------------------------------------------

class Expander final {
 public:
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
      const auto pair = first_pair(text);
      if (!pair) return join(heads, text, {""}, drop);
      Texts values = {pair->braced()};
      if (!pair->before.ends_with('$')) {  // `${a,b}` is a shell's variable
        const auto span = as_span(pair->body);
        if (!span && !pair->body.contains(',')) {
          if (!closes_later(pair->after)) return join(heads, text, {""}, drop);
          // The closing brace of {a},b} is not one.
          text[pair->before.size() + 1 + pair->body.size()] = kCloseMark;
          top = true;
          continue;
        }
        if (first) drop = top && !span;
        values = span ? TRY(written_out(*span)) : TRY(options(pair->body, depth));
      }
      first = false;
      heads = TRY(join(heads, pair->before, values, drop && pair->after.empty()));
      if (pair->after.empty()) return heads;
      text = std::string(pair->after);
    }
  }

 private:
  // How many characters may be looked at: nested braces are read again by each around them.
  static constexpr std::size_t kMaxWork = 8 << 20;
  static constexpr std::int64_t kMaxNumber = 1'000'000'000'000'000;

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

  std::optional<Span> as_span(std::string_view body) const {
    const re2::StringPiece text(body.data(), body.size());
    Span span;
    for (const auto* form : {&numbers_, &letters_}) {
      if (re2::RE2::FullMatch(text, *form, &span.first, &span.last, &span.step)) return span;
    }
    return std::nullopt;
  }

  static Result<Texts> written_out(const Span& span) {
    const auto end = [&](const std::string& field) -> Result<std::int64_t> {
      return span.letters() ? Result<std::int64_t>(field[0]) : number(field);
    };
    auto value = TRY(end(span.first));
    const auto last = TRY(end(span.last));
    auto step = span.step.empty() ? 1 : std::max<std::int64_t>(std::abs(TRY(number(span.step))), 1);
    const auto count = static_cast<std::size_t>(std::abs(last - value) / step) + 1;
    TRY(check(count, count * span.width()));
    if (last < value) step = -step;
    Texts values;
    for (std::size_t i = 0; i < count; ++i, value += step) {
      values.push_back(span.letters() ? letter(value) : fmt::format("{:0{}}", value, span.width()));
    }
    return values;
  }

  // Between 'Z' and 'a' lies a backslash, which is left out.
  static std::string letter(std::int64_t code) {
    return code == '\\' ? "" : std::string(1, static_cast<char>(code));
  }

  static Result<std::int64_t> number(std::string_view text) {
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || std::abs(value) >= kMaxNumber) {
      return refused("have a number of more than 15 digits");
    }
    return value;
  }

  // Each of `heads`, then `middle`, then each of `tails`.
  static Result<Texts> join(const Texts& heads, std::string_view middle, const Texts& tails,
                            bool drop) {
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

  static Result<void> check(std::size_t alternatives, std::size_t bytes) {
    if (alternatives > ShellGlob::kMaxAlternatives || bytes > ShellGlob::kMaxExpandedBytes) {
      return refused(fmt::format("stand for more than {} alternatives or {} bytes",
                                 ShellGlob::kMaxAlternatives, ShellGlob::kMaxExpandedBytes));
    }
    return {};
  }

  Result<void> work(std::size_t characters) {
    work_ += characters;
    if (work_ > kMaxWork) return refused("are too entangled to expand");
    return {};
  }

  static Failure refused(std::string_view reason) {
    return fail(Code::kInvalidPattern,
                "the braces of the pattern {}; use a wildcard, or several patterns", reason);
  }

  const re2::RE2 numbers_{R"((-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?)"};
  const re2::RE2 letters_{R"(([a-zA-Z])\.\.([a-zA-Z])(?:\.\.(-?\d+))?)"};
  std::size_t work_ = 0;
};

}  // namespace

Result<Texts> expand_braces(std::string_view pattern) {
  if (!has_braces(pattern)) return Texts{std::string(pattern)};
  // Braces with nothing in them, at the very start, do not count as braces.
  std::string text(pattern.starts_with("{}") ? "\\{\\}" : "");
  text += pattern.substr(text.empty() ? 0 : 2);
  auto texts = TRY(Expander().expand(mark_escapes(text), true, 0));
  for (auto& one : texts) unmark_escapes(one);
  return texts;
}

}  // namespace cairn::shell_glob
