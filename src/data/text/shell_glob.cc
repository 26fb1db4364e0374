#include "data/text/shell_glob.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "base/utf8.h"
#include "data/text/shell_glob_braces.h"
#include "data/text/shell_glob_segment.h"

namespace cairn {
namespace {

using shell_glob::Segment;
using Names = std::vector<std::string_view>;

// Several '/' are one. A path that begins or ends with one has an empty name there.
Names split(std::string_view path) {
  Names names;
  while (true) {
    auto slash = path.find('/');
    names.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return names;
    path.remove_prefix(std::min(path.find_first_not_of('/', slash), path.size()));
  }
}

// Without repeated `**`, and without the part before a `..`.
Names simplified(const Names& parts) {
  Names simple;
  for (auto part : parts) {
    const auto last = simple.empty() ? std::string_view() : simple.back();
    if (part == "**" && last == "**") continue;
    if (part == ".." && !last.empty() && last != ".." && last != "." && last != "**") {
      simple.pop_back();
    } else {
      simple.push_back(part);
    }
  }
  if (simple.empty()) simple.emplace_back();
  return simple;
}

// ---- Matcher ----------------------------------------------------------------------------------

using Segments = std::span<const Segment>;
using NameSpan = std::span<const std::string_view>;

bool is_dots(std::string_view name) { return name == "." || name == ".."; }

// As many names as there are segments; one more if that is empty, as `a` matches "a/".
bool each_matches(Segments segments, NameSpan names) {
  if (names.size() < segments.size() || names.size() > segments.size() + 1) return false;
  if (names.size() > segments.size() && !names.back().empty()) return false;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!segments[i].matches(names[i])) return false;
  }
  return true;
}

// What lies between the first `**` of a pattern and its last: sections that have to be found in the
// path in this order. `limit` is where the section can begin at the latest. It is too small if
// sections have different lengths, and then names are missed; but minimatch misses the same.
struct Section {
  Segments segments;
  std::ptrdiff_t limit = 0;
};

std::vector<Section> sections(Segments body, std::size_t names) {
  std::vector<Section> result;
  std::vector<std::size_t> before;  // each section: how many segments
  std::size_t count = 0;
  while (true) {
    auto end =
        static_cast<std::size_t>(std::ranges::find_if(body, &Segment::is_any_depth) - body.begin());
    before.push_back(count);
    result.push_back({body.first(end)});
    count += end;
    if (end == body.size()) break;
    body = body.subspan(end + 1);
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].limit =
        static_cast<std::ptrdiff_t>(names) -
        static_cast<std::ptrdiff_t>(before[result.size() - 1 - i] + result[i].segments.size());
  }
  return result;
}

class SectionSearch final {
 public:
  // minimatch gives up beyond.
  static constexpr std::size_t kMaxSections = 200;

  SectionSearch(NameSpan names, std::vector<Section> sections, bool has_tail)
      : names_(names),
        sections_(std::move(sections)),
        has_tail_(has_tail),
        known_(sections_.size() * (names.size() + 1)) {}

  bool run(std::size_t begin) {
    return sections_.size() <= kMaxSections && find(0, begin) == Outcome::kYes;
  }

 private:
  // kOver: nor does it from any later name.
  enum class Outcome : char { kUnknown, kYes, kNo, kOver };

  Outcome find(std::size_t section, std::size_t begin) {
    if (section == sections_.size()) return finish(begin);
    auto& known = known_[section * (names_.size() + 1) + begin];
    if (known == Outcome::kUnknown) known = search(section, begin);
    return known;
  }

  Outcome search(std::size_t section, std::size_t begin) {
    const auto& [segments, limit] = sections_[section];
    for (; static_cast<std::ptrdiff_t>(begin) <= limit; ++begin) {
      if (each_matches(segments, names_.subspan(begin, segments.size()))) {
        const auto rest = find(section + 1, begin + segments.size());
        if (rest != Outcome::kNo) return rest;
      }
      if (is_dots(names_[begin])) return Outcome::kNo;
    }
    return Outcome::kOver;
  }

  // The last `**` takes the rest, of which there has to be some.
  Outcome finish(std::size_t begin) const {
    const auto rest = names_.subspan(begin);
    if (std::ranges::any_of(rest, is_dots)) return Outcome::kNo;
    return has_tail_ || !rest.empty() ? Outcome::kYes : Outcome::kNo;
  }

  NameSpan names_;
  std::vector<Section> sections_;
  bool has_tail_;
  std::vector<Outcome> known_;  // for each section and name to begin at
};

// How many of the last names the segments match; nothing if they do not.
std::optional<std::size_t> tail_length(Segments tail, NameSpan names) {
  if (tail.empty()) return 0;
  if (tail.size() > names.size()) return std::nullopt;
  if (each_matches(tail, names.last(tail.size()))) return tail.size();
  // `a/**/*` matches "a/b/" too.
  if (!names.back().empty() || tail.size() == names.size()) return std::nullopt;
  if (each_matches(tail, names.last(tail.size() + 1))) return tail.size() + 1;
  return std::nullopt;
}

bool path_matches(Segments segments, NameSpan names) {
  const auto first = std::ranges::find_if(segments, &Segment::is_any_depth);
  if (first == segments.end()) return each_matches(segments, names);
  const auto head = static_cast<std::size_t>(first - segments.begin());
  if (names.size() < head || !each_matches(segments.first(head), names.first(head))) return false;
  auto last = segments.size() - 1;
  while (!segments[last].is_any_depth()) --last;
  const auto tail = tail_length(segments.subspan(last + 1), names.subspan(head));
  if (!tail) return false;
  if (head == last) {
    const auto between = names.subspan(head, names.size() - head - *tail);
    return (*tail > 0 || !between.empty()) && std::ranges::none_of(between, is_dots);
  }
  auto body = sections(segments.subspan(head + 1, last - head - 1), names.size() - *tail);
  return SectionSearch(names, std::move(body), *tail > 0).run(head);
}

// The segments before the first `**` decide.
bool may_match_names_below(Segments segments, NameSpan dir) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (i == dir.size() || segments[i].is_any_depth()) return true;
    if (!segments[i].matches(dir[i])) return false;
  }
  return false;
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

}  // namespace

struct ShellGlob::Program {
  std::string pattern;
  bool negated = false;
  std::vector<std::vector<Segment>> alternatives;
};

Result<ShellGlob> ShellGlob::parse(std::string_view pattern) {
  TRY(check_text(pattern));
  auto program = std::make_shared<Program>();
  program->pattern = pattern;
  if (pattern.starts_with('#')) return ShellGlob(std::move(program));
  const auto begin = std::min(pattern.find_first_not_of('!'), pattern.size());
  program->negated = begin % 2 == 1;
  auto expansion = TRY(shell_glob::expand_braces(pattern.substr(begin)));
  std::ranges::sort(expansion);
  const auto [same, end] = std::ranges::unique(expansion);
  expansion.erase(same, end);
  shell_glob::Reading reading;
  for (const auto& expanded : expansion) {
    auto& segments = program->alternatives.emplace_back();
    for (auto part : simplified(split(expanded))) {
      segments.push_back(TRY(Segment::parse(part, reading)));
    }
  }
  return ShellGlob(std::move(program));
}

bool ShellGlob::matches(std::string_view path) const {
  if (program_->pattern.empty()) return path.empty();
  const auto names = split(path);
  return program_->negated !=
         std::ranges::any_of(program_->alternatives,
                             [&](const auto& segments) { return path_matches(segments, names); });
}

bool ShellGlob::may_match_below(std::string_view dir) const {
  if (program_->negated) return true;
  const auto names = dir.empty() ? Names() : split(dir);
  return std::ranges::any_of(program_->alternatives, [&](const auto& segments) {
    return may_match_names_below(segments, names);
  });
}

const std::string& ShellGlob::pattern() const { return program_->pattern; }

}  // namespace cairn
