#include "data/text/pattern_charset.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/ascii.h"

namespace cairn {
namespace {

constexpr char32_t kKelvinSign = 0x212A;  // folds to k
constexpr char32_t kLongS = 0x017F;       // folds to s

struct NamedSet {
  std::string_view name;
  std::string_view ranges;  // pairs of first and last
};

constexpr std::string_view kWord = "09AZaz__";

constexpr NamedSet kPosixSets[] = {
    {"alnum", "09AZaz"},
    {"alpha", "AZaz"},
    {"ascii", {"\0\x7f", 2}},
    {"blank", "\t\t  "},
    {"cntrl", {"\0\x1f\x7f\x7f", 4}},
    {"digit", "09"},
    {"graph", "!~"},
    {"lower", "az"},
    {"print", " ~"},
    {"punct", "!/:@[`{~"},
    {"space", "\t\r  "},
    {"upper", "AZ"},
    {"word", kWord},
    {"xdigit", "09AFaf"},
};

CharSet of_ranges(std::string_view pairs) {
  CharSet set;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    set.add(CharSet::of_range(static_cast<unsigned char>(pairs[i]),
                              static_cast<unsigned char>(pairs[i + 1])));
  }
  return set;
}

}  // namespace

CharSet CharSet::everything() {
  CharSet set;
  set.ascii.set();
  set.beyond = true;
  return set;
}

CharSet CharSet::of_range(char32_t first, char32_t last) {
  CharSet set;
  for (char32_t c = first; c <= last && c < 128; ++c) set.ascii.set(c);
  set.beyond = last >= 128;
  set.kelvin_sign_ = first <= kKelvinSign && kKelvinSign <= last;
  set.long_s_ = first <= kLongS && kLongS <= last;
  return set;
}

CharSet CharSet::perl(char name) {
  return of_ranges(name == 'd' ? "09" : name == 's' ? "\t\n\f\r  " : kWord);
}

std::optional<CharSet> CharSet::posix(std::string_view name) {
  const auto* found = std::ranges::find(kPosixSets, name, &NamedSet::name);
  if (found == std::end(kPosixSets)) return std::nullopt;
  return of_ranges(found->ranges);
}

void CharSet::add(const CharSet& other) {
  ascii |= other.ascii;
  beyond |= other.beyond;
}

CharSet CharSet::folded() const {
  CharSet set = *this;
  if (kelvin_sign_) set.ascii.set('k');
  if (long_s_) set.ascii.set('s');
  for (std::size_t c = 'a'; c <= 'z'; ++c) {
    const std::size_t upper = c - 'a' + 'A';
    set.ascii[c] = set.ascii[upper] = set.ascii[c] || set.ascii[upper];
  }
  set.beyond |= set.ascii['k'] || set.ascii['s'];
  return set;
}

CharSet CharSet::negated() const {
  CharSet set;
  set.ascii = ~ascii;
  set.beyond = true;
  return set;
}

bool CharSet::has_one_letter_in_both_cases() const {
  if (ascii.count() - ascii['\n'] != 2) return false;
  std::size_t upper = 'A';
  while (upper <= 'Z' && !ascii[upper]) ++upper;
  return upper <= 'Z' && ascii[upper - 'A' + 'a'];
}

std::string CharSet::render_ascii() const {
  std::string out;
  for (unsigned first = 0; first < 128; ++first) {
    if (!ascii[first]) continue;
    unsigned last = first;
    while (last + 1 < 128 && ascii[last + 1]) ++last;
    out += render_byte(first);
    if (last > first) out += '-' + render_byte(last);
    first = last;
  }
  return out;
}

std::string render_byte(unsigned c) {
  const bool plain = is_alphanumeric(c) || c == '_';
  return plain ? std::string(1, static_cast<char>(c)) : fmt::format("\\x{:02x}", c);
}

}  // namespace cairn
