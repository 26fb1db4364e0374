#include "data/text/shell_glob_set.h"

#include <algorithm>
#include <optional>
#include <span>

#include <re2/re2.h>

#include "data/text/glob_character.h"
#include "data/text/pattern_candidate_writer.h"

namespace cairn::shell_glob {
namespace {

// Control characters and their like, with what is not assigned: RE2's \p{C} leaves that out.
#define CAIRN_OTHER "[^\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Z}]"

// What minimatch takes the classes for. That [:print:] is what cannot be printed is its mistake.
struct Class {
  std::u32string_view name;
  std::string_view expression;  // RE2's
  bool unicode = true;
  bool all_but = false;  // all but what the expression matches
};

constexpr Class kClasses[] = {
    {U"[:alnum:]", "\\p{L}|\\p{Nl}|\\p{Nd}"},
    {U"[:alpha:]", "\\p{L}|\\p{Nl}"},
    {U"[:ascii:]", "[\\x00-\\x7f]", false},
    {U"[:blank:]", "\\p{Zs}|\\t"},
    {U"[:cntrl:]", "\\p{Cc}"},
    {U"[:digit:]", "\\p{Nd}"},
    {U"[:graph:]", "\\p{Z}|" CAIRN_OTHER, true, true},
    {U"[:lower:]", "\\p{Ll}"},
    {U"[:print:]", CAIRN_OTHER},
    {U"[:punct:]", "\\p{P}"},
    {U"[:space:]", "\\p{Z}|[\\t\\r\\n\\v\\f]"},
    {U"[:upper:]", "\\p{Lu}"},
    {U"[:word:]", "\\p{L}|\\p{Nl}|\\p{Nd}|\\p{Pc}"},
    {U"[:xdigit:]", "[A-Fa-f0-9]", false},
};
#undef CAIRN_OTHER

const Class* class_at(std::u32string_view text) {
  const auto* found =
      std::ranges::find_if(kClasses, [&](const Class& one) { return text.starts_with(one.name); });
  return found == std::end(kClasses) ? nullptr : found;
}

bool any_has(std::span<const std::shared_ptr<const NamedClass>> classes, char32_t code) {
  return std::ranges::any_of(classes, [&](const auto& one) { return one->has(code); });
}

}  // namespace

// ---- Membership -------------------------------------------------------------------------------

NamedClass::NamedClass(std::string_view expression)
    : expression_(std::make_unique<const re2::RE2>(std::string(expression))) {
  for (char32_t c = 0; c < ascii_.size(); ++c) ascii_[c] = matches(c);
}

NamedClass::~NamedClass() = default;

bool NamedClass::has(char32_t code) const {
  return code < ascii_.size() ? ascii_[code] : matches(code);
}

// Half of a surrogate pair is in no class.
bool NamedClass::matches(char32_t code) const {
  bool is_scalar = code < 0xD800 || (code > 0xDFFF && code < kNotACharacter);
  return is_scalar && re2::RE2::FullMatch(to_utf8(code), *expression_);
}

std::shared_ptr<const NamedClass> NamedClasses::get(std::string_view expression) {
  auto& known = known_[expression];
  if (!known) known = std::make_shared<const NamedClass>(expression);
  return known;
}

bool Set::lists(char32_t code) const {
  return std::ranges::any_of(
             ranges_, [&](Range range) { return range.first <= code && code <= range.last; }) ||
         any_has(inside_, code);
}

// Beside [:graph:], a negated set is not what neither lists but what one of the two does not.
bool Set::compute(char32_t code) const {
  return (lists_something() && lists(code) != negated_) ||
         (!outside_.empty() && any_has(outside_, code) == negated_);
}

// ---- Reader -----------------------------------------------------------------------------------

class SetReader final {
 public:
  SetReader(std::u32string_view text, std::size_t at, NamedClasses& classes)
      : text_(text), begin_(at), at_(at + 1), classes_(classes) {}

  SetRead read() {
    set_.negated_ = next_is(U'!') || next_is(U'^');
    if (set_.negated_) ++at_;
    // A ']' that comes first is a member, as in every shell.
    for (bool first = true; first || !next_is(U']'); first = false) {
      if (!member()) return never_ ? never() : SetRead{};
    }
    ++at_;
    return finished();
  }

 private:
  bool next_is(char32_t c) const { return at_ < text_.size() && text_[at_] == c; }

  // False if the text ends, or nothing can match the set.
  bool member() {
    if (const auto* found = class_at(text_.substr(at_)); found != nullptr) {
      add(*found);
      return true;
    }
    auto first = character();
    if (!first) return false;
    bool range = next_is(U'-') && !text_.substr(at_).starts_with(U"-]");
    if (!range) {
      add(*first, *first);
      return true;
    }
    ++at_;
    never_ = class_at(text_.substr(at_)) != nullptr;  // [a-[:digit:]]
    auto last = never_ ? std::nullopt : character();
    // A range that is backwards has nothing, but spoils nothing.
    if (last && *first <= *last) add(*first, *last);
    return last.has_value();
  }

  std::optional<char32_t> character() {
    if (next_is(U'\\')) ++at_;
    if (at_ == text_.size()) return std::nullopt;
    return text_[at_++];
  }

  void add(char32_t first, char32_t last) { set_.ranges_.push_back({first, last}); }

  void add(const Class& one) {
    at_ += one.name.size();
    auto& classes = one.all_but ? set_.outside_ : set_.inside_;
    const auto added = classes_.get(one.expression);
    if (std::ranges::find(classes, added) == classes.end()) classes.push_back(added);
    unicode_ = unicode_ || one.unicode;
  }

  // Takes the rest of the text along: after this it cannot match.
  SetRead never() const {
    return {.kind = SetRead::Kind::kNever, .length = text_.size() - begin_, .set = {}};
  }

  SetRead finished() {
    if (!set_.lists_something() && set_.outside_.empty()) return never();
    SetRead result{.kind = SetRead::Kind::kSet, .length = at_ - begin_, .set = {}};
    if (is_one_character()) {
      result.kind = SetRead::Kind::kCharacter;
      result.code = set_.ranges_[0].first;
      return result;
    }
    for (char32_t c = 0; c < set_.ascii_.size(); ++c) set_.ascii_[c] = set_.compute(c);
    result.set = std::make_shared<const Set>(std::move(set_));
    result.unicode = unicode_;
    return result;
  }

  bool is_one_character() const {
    return !set_.negated_ && set_.inside_.empty() && set_.outside_.empty() &&
           set_.ranges_.size() == 1 && set_.ranges_[0].first == set_.ranges_[0].last;
  }

  std::u32string_view text_;
  std::size_t begin_;
  std::size_t at_;
  NamedClasses& classes_;
  Set set_;
  bool unicode_ = false;
  bool never_ = false;
};

SetRead read_set(std::u32string_view text, std::size_t at, NamedClasses& classes) {
  return SetReader(text, at, classes).read();
}

}  // namespace cairn::shell_glob
