#include "data/text/shell_glob_segment.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include <re2/re2.h>

#include "data/text/glob_character.h"
#include "data/text/shell_glob.h"

namespace cairn::shell_glob {
namespace {

constexpr std::string_view kAny = "[^/]";
constexpr std::string_view kRun = "[^/]*";
constexpr std::string_view kNever = "[^\\x{0}-\\x{10ffff}]";

// ---- Sets -------------------------------------------------------------------------------------

// The classes as minimatch reads them. That [:print:] is what cannot be printed is its mistake.
struct Class {
  std::string_view name;
  std::string_view members;     // to stand in a bracket
  std::string_view apart = "";  // if '/' is a member: an expression for all others
};

constexpr Class kClasses[] = {
    {"[:alnum:]", "\\p{L}\\p{Nl}\\p{Nd}"},
    {"[:alpha:]", "\\p{L}\\p{Nl}"},
    {"[:ascii:]", "\\x00-.0-\\x7f"},
    {"[:blank:]", "\\p{Zs}\\t"},
    {"[:cntrl:]", "\\p{Cc}"},
    {"[:digit:]", "\\p{Nd}"},
    {"[:graph:]", "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}", "[^/\\p{Z}\\p{C}]"},
    {"[:lower:]", "\\p{Ll}"},
    {"[:print:]", "\\p{C}"},
    {"[:punct:]", "\\p{P}", "[^/\\P{P}]"},
    {"[:space:]", "\\p{Z}\\t\\r\\n\\v\\f"},
    {"[:upper:]", "\\p{Lu}"},
    {"[:word:]", "\\p{L}\\p{Nl}\\p{Nd}\\p{Pc}"},
    {"[:xdigit:]", "A-Fa-f0-9"},
};

const Class* class_at(std::string_view text) {
  const auto* found =
      std::ranges::find_if(kClasses, [&](const Class& one) { return text.starts_with(one.name); });
  return found == std::end(kClasses) ? nullptr : found;
}

// Reads a set such as `[^a-z[:digit:]]` and writes it as an expression.
class SetReader final {
 public:
  // `text` begins with the '['.
  explicit SetReader(std::string_view text) : text_(text) {}

  // Nothing if no ']' closes it, so that '[' stands for itself.
  std::optional<std::string> read() {
    negated_ = next_is('!') || next_is('^');
    if (negated_) ++at_;
    // A ']' that comes first is a member, as in every shell.
    for (bool first = true; first || !next_is(']'); first = false) {
      if (!member()) return std::nullopt;
      if (never_) return std::string(kNever);
    }
    ++at_;
    return expression();
  }

  std::size_t length() const { return at_; }
  // Whether the ']' of a class may be one that closes a later set.
  bool has_class() const { return has_class_; }

 private:
  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }

  // False if the text ends.
  bool member() {
    if (const auto* found = class_at(text_.substr(at_)); found != nullptr) {
      add(*found);
      return true;
    }
    const auto first = character();
    if (!first) return false;
    if (!next_is('-') || text_.substr(at_).starts_with("-]")) {
      add(*first, *first);
      return true;
    }
    ++at_;
    never_ = class_at(text_.substr(at_)) != nullptr;  // [a-[:digit:]]
    if (never_) return true;
    const auto last = character();
    // A range that is backwards has nothing, but spoils nothing.
    if (last && *first <= *last) add(*first, *last);
    return last.has_value();
  }

  std::optional<char32_t> character() {
    if (next_is('\\')) ++at_;
    if (at_ >= text_.size()) return std::nullopt;
    const auto [code, length] = whole_character(text_.substr(at_));
    at_ += length;
    return code;
  }

  void add(char32_t first, char32_t last) {
    if (first < U'/' && last >= U'/') {
      range(first, U'/' - 1);
      first = U'/' + 1;
    }
    if (first <= last) range(first, last);
  }

  void range(char32_t first, char32_t last) {
    members_ += fmt::format("\\x{{{:x}}}-\\x{{{:x}}}", static_cast<unsigned>(first),
                            static_cast<unsigned>(last));
  }

  void add(const Class& one) {
    at_ += one.name.size();
    has_class_ = true;
    if (negated_ || one.apart.empty()) {
      members_ += one.members;
    } else {
      apart_ += fmt::format("|{}", one.apart);
    }
  }

  std::string expression() const {
    if (negated_ && !members_.empty()) return fmt::format("[^/{}]", members_);
    return fmt::format("(?:{}{})", members_.empty() ? std::string(kNever) : "[" + members_ + "]",
                       apart_);
  }

  std::string_view text_;
  std::size_t at_ = 1;
  bool negated_ = false;
  bool never_ = false;  // nothing can match
  bool has_class_ = false;
  std::string members_;
  std::string apart_;
};

// ---- Groups -----------------------------------------------------------------------------------

// Text without groups.
std::string translate_text(std::string_view text) {
  std::string out;
  bool may_close = true;  // a set that begins here
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '*') {
      if (!out.ends_with(kRun)) out += kRun;
      continue;
    }
    if (text[i] == '?') {
      out += kAny;
      continue;
    }
    if (text[i] == '[' && may_close) {
      SetReader set(text.substr(i));
      if (const auto expression = set.read()) {
        out += *expression;
        i += set.length() - 1;
        continue;
      }
      may_close = set.has_class();
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += re2::RE2::QuoteMeta(re2::StringPiece(&text[i], 1));
  }
  return out;
}

// Text after stars or question marks is compared literally by minimatch: backslashes and all.
std::optional<std::string> translate_shortcut(std::string_view text) {
  if (text[0] != '*' && text[0] != '?') return std::nullopt;
  const auto count = std::min(text.find_first_not_of(text[0]), text.size());
  const auto rest = text.substr(count);
  if (rest.find_first_of("+@!?*[(") != std::string_view::npos) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; text[0] == '?' && i < count; ++i) out += kAny;
  return out + (text[0] == '*' ? std::string(kRun) : "") +
         re2::RE2::QuoteMeta(re2::StringPiece(rest.data(), rest.size()));
}

class Translator final {
 public:
  explicit Translator(std::string_view text) : text_(text) {}

  Result<Segment> run() {
    Segment segment;
    auto* out = &segment.begin;
    while (true) {
      *out += translate_text(take_text(false));
      if (at_ == text_.size()) return segment;
      const auto begin = at_;
      const auto group = TRY(take_group(1));
      if (!group) {  // it never closes: all of it is text
        *out += translate_text(text_.substr(begin));
        return segment;
      }
      if (group->has_negation) return too_many_negations();
      if (group->type != '!' || group->ends_empty) {
        *out += group->expression();
        continue;
      }
      if (segment.unless) return too_many_negations();
      segment.unless = group->alternatives;
      out = &segment.end;
    }
  }

 private:
  struct Group {
    char type;
    std::string alternatives;
    bool has_negation = false;  // within it
    bool ends_empty = false;    // the last alternative does, with nothing or a group

    std::string expression() const {
      if (type == '!') return "[^/]+";  // minimatch takes it for that if it ends so
      return fmt::format("(?:{}){}", alternatives,
                         type == '@' ? std::string() : std::string(1, type));
    }
  };

  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }

  bool opens_group() const {
    return std::string_view("!?+*@").contains(text_[at_]) && text_.substr(at_ + 1).starts_with('(');
  }

  // Up to the next group, or to the end of an alternative.
  std::string_view take_text(bool in_group) {
    const auto begin = at_;
    while (at_ < text_.size() && !opens_group() &&
           !(in_group && (text_[at_] == '|' || text_[at_] == ')'))) {
      if (text_[at_] == '[') {
        skip_bracket();
      } else {
        skip_character();
      }
    }
    return text_.substr(begin, at_ - begin);
  }

  void skip_character() { at_ = std::min(at_ + (text_[at_] == '\\' ? 2 : 1), text_.size()); }

  // Nothing is a group in a bracket. One with a class ends for this at the class.
  void skip_bracket() {
    ++at_;
    if (next_is('^') || next_is('!')) ++at_;
    if (next_is(']')) ++at_;
    while (at_ < text_.size() && text_[at_] != ']') skip_character();
    if (next_is(']')) ++at_;
  }

  // Nothing if the group does not close.
  Result<std::optional<Group>> take_group(int depth) {
    if (depth > ShellGlob::kMaxGroupDepth) {
      return fail(Code::kInvalidPattern,
                  "the pattern nests groups such as +(a|b) more than {} deep; "
                  "write alternatives side by side",
                  ShellGlob::kMaxGroupDepth);
    }
    Group group{.type = text_[at_], .alternatives = {}};
    at_ += 2;
    while (true) {
      const auto text = take_text(true);
      group.alternatives += translate_text(text);
      if (at_ == text_.size()) return std::nullopt;
      if (next_is('|')) {
        group.alternatives += '|';
        ++at_;
      } else if (next_is(')')) {
        group.ends_empty = text.empty();
        ++at_;
        return group;
      } else {
        const auto inner = TRY(take_group(depth + 1));
        if (!inner) return std::nullopt;
        group.alternatives += inner->expression();
        group.has_negation = group.has_negation || inner->has_negation || inner->type == '!';
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Segment> translate_segment(std::string_view text) {
  if (auto shortcut = translate_shortcut(text)) return Segment{std::move(*shortcut)};
  return Translator(text).run();
}

Failure too_many_negations() {
  return fail(
      Code::kInvalidPattern,
      "the pattern has a !(…) within another group, or a second one; one is the most, or one "
      "in each alternative of its braces: exclude other things by patterns of their own");
}

}  // namespace cairn::shell_glob
