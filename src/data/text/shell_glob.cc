#include "data/text/shell_glob.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <re2/re2.h>

#include "base/quote.h"
#include "base/utf8.h"
#include "data/text/glob_character.h"
#include "data/text/pattern_candidate_writer.h"
#include "data/text/shell_glob_braces.h"
#include "data/text/shell_glob_segment.h"

namespace cairn {
namespace {

using re2::RE2;
using Parts = std::vector<std::string_view>;
using Expression = std::unique_ptr<const RE2>;

// Several '/' are one. A pattern that begins or ends with one has an empty part there.
Parts split(std::string_view pattern) {
  Parts parts;
  while (true) {
    const auto slash = pattern.find('/');
    parts.push_back(pattern.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    pattern.remove_prefix(std::min(pattern.find_first_not_of('/', slash), pattern.size()));
  }
}

// Without repeated `**`, and without the part before a `..`.
Parts simplified(const Parts& parts) {
  Parts simple;
  for (auto part : parts) {
    const auto last = simple.empty() ? std::string_view() : simple.back();
    if (part == "**" && last == "**") continue;
    if (part == ".." && !last.empty() && last != ".." && last != "." && last != "**") {
      simple.pop_back();
    } else {
      simple.push_back(part);
    }
  }
  return simple;
}

bool is_no_name(std::string_view part) { return part.empty() || part == "." || part == ".."; }

// A pattern without braces: as a segment is, but of all segments.
using Alternative = shell_glob::Segment;

Result<void> append(Alternative& all, shell_glob::Segment segment) {
  if (all.unless && segment.unless) return shell_glob::too_many_negations();
  (all.unless ? all.end : all.begin) += segment.begin;
  if (!segment.unless) return {};
  // It looks no further than its segment.
  all.unless = fmt::format("(?:{}){}(?:/.*)?", *segment.unless, segment.end);
  all.end = std::move(segment.end);
  return {};
}

// Nothing if no path can match: none has a name that is empty or made of dots.
Result<std::optional<Alternative>> translate(std::string_view expanded) {
  const auto parts = simplified(split(expanded));
  if (parts.empty() || std::ranges::any_of(parts, is_no_name)) return std::nullopt;
  Alternative all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    if (parts[i] == "**") {
      TRY(append(all, {last ? ".+" : "(?:.+/)?"}));
    } else {
      auto segment = TRY(shell_glob::translate_segment(parts[i]));
      TRY(append(all, std::move(segment)));
      if (!last) TRY(append(all, {"/"}));
    }
  }
  return all;
}

Result<Expression> compile(const std::string& expression) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_dot_nl(true);
  options.set_max_mem(8 << 20);
  auto compiled = std::make_unique<const RE2>(expression, options);
  if (compiled->ok()) return compiled;
  return fail(Code::kInvalidPattern,
              "the pattern is too large once it is written out; use fewer alternatives, or several "
              "patterns");
}

bool full_match(std::string_view text, const RE2& expression) {
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), expression);
}

// A pattern with a `!(…)`: a path that can be cut so that `begin` matches what is before and `end`
// what is after, which `unless` does not.
struct Negation {
  Expression begin;
  Expression end;
  Expression unless;

  static Result<Negation> compile(const Alternative& all) {
    return Negation{TRY(cairn::compile(all.begin)), TRY(cairn::compile("[^/]*" + all.end)),
                    TRY(cairn::compile(*all.unless))};
  }

  bool matches(std::string_view path) const {
    for (std::size_t cut = 0; cut <= path.size(); ++cut) {
      const auto rest = path.substr(cut);
      if (full_match(path.substr(0, cut), *begin) && full_match(rest, *end) &&
          !full_match(rest, *unless)) {
        return true;
      }
    }
    return false;
  }
};

// Text as the expressions read it: a byte that is not UTF-8 is U+FFFD; with `halves`, a character
// above U+FFFF is the two that UTF-16 has for it, each written like any other.
std::string readable(std::string_view text, bool halves) {
  std::string out;
  while (!text.empty()) {
    const auto [code, length] = first_character(text);
    if (code == kNotACharacter) {
      out += "\uFFFD";
    } else if (halves && code > 0xFFFF) {
      out += to_utf8(0xD800 + ((code - 0x10000) >> 10)) + to_utf8(0xDC00 + (code & 0x3FF));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

Result<void> check_text(std::string_view pattern) {
  if (pattern.size() > ShellGlob::kMaxBytes) {
    return fail(Code::kInvalidPattern, "the pattern has {} bytes; {} is the most", pattern.size(),
                ShellGlob::kMaxBytes);
  }
  if (!valid_utf8(pattern)) {
    return fail(Code::kInvalidPattern, "the pattern '{}' is not valid UTF-8", shown(pattern));
  }
  return {};
}

Result<void> check_classes(const std::vector<std::string>& alternatives) {
  std::size_t classes = 0;
  for (const std::string_view text : alternatives) {
    for (auto at = text.find("[:"); at != text.npos; at = text.find("[:", at + 1)) ++classes;
  }
  if (classes <= ShellGlob::kMaxClasses) return {};
  return fail(Code::kInvalidPattern,
              "the pattern has {} classes such as [:alpha:] once its braces are written out; {} is "
              "the most",
              classes, ShellGlob::kMaxClasses);
}

}  // namespace

struct ShellGlob::Program {
  bool halves = true;  // of characters above U+FFFF are matched
  bool negated = false;
  Expression plain;  // all alternatives without a `!(…)`; null if there are none
  std::vector<Negation> negations;

  bool matches(std::string_view path) const {
    return (plain && full_match(path, *plain)) ||
           std::ranges::any_of(negations, [&](const auto& one) { return one.matches(path); });
  }
};

Result<ShellGlob> ShellGlob::parse(std::string_view pattern) {
  TRY(check_text(pattern));
  auto program = std::make_shared<Program>();
  if (pattern.starts_with('#')) return ShellGlob(std::move(program));
  const auto begin = std::min(pattern.find_first_not_of('!'), pattern.size());
  program->negated = begin % 2 == 1;
  program->halves = !pattern.contains("[:");
  const auto alternatives =
      TRY(shell_glob::expand_braces(readable(pattern.substr(begin), program->halves)));
  TRY(check_classes(alternatives));
  std::optional<std::string> plain;
  for (const auto& expanded : alternatives) {
    const auto alternative = TRY(translate(expanded));
    if (!alternative) continue;
    if (!alternative->unless) {
      plain = plain ? std::move(*plain) + "|" + alternative->begin : alternative->begin;
    } else if (program->negations.size() < kMaxNegations) {
      program->negations.push_back(TRY(Negation::compile(*alternative)));
    } else {
      return fail(Code::kInvalidPattern,
                  "the braces of the pattern stand for more than {} alternatives with a !(…); use "
                  "several patterns",
                  kMaxNegations);
    }
  }
  if (plain) program->plain = TRY(compile(*plain));
  return ShellGlob(std::move(program));
}

bool ShellGlob::matches(std::string_view path) const {
  const bool ascii = std::ranges::all_of(path, [](char c) { return (c & 0x80) == 0; });
  return program_->negated !=
         (ascii ? program_->matches(path) : program_->matches(readable(path, program_->halves)));
}

}  // namespace cairn
