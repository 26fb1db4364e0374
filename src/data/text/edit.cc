#include "data/text/edit.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>

#include "data/text/lines.h"

namespace cairn {
namespace {

constexpr std::size_t kNone = ByteView::npos;

// ---- matching ----

struct Match {
  std::size_t begin;
  std::size_t end;
};

// Like text.find(), but linear also in the worst case, which the C library's memmem promises.
std::size_t find_from(ByteView text, ByteView needle, std::size_t from) {
  const auto rest = text.substr(from);
  const void* hit = memmem(rest.data(), rest.size(), needle.data(), needle.size());
  if (hit == nullptr) return kNone;
  return static_cast<std::size_t>(static_cast<const char*>(hit) - text.data());
}

std::vector<Match> exact_matches(ByteView text, ByteView needle) {
  std::vector<Match> matches;
  for (auto at = find_from(text, needle, 0); at != kNone;
       at = find_from(text, needle, at + needle.size())) {
    matches.push_back({at, at + needle.size()});
  }
  return matches;
}

// A text with `\r\n` folded to `\n`, and the way back.
struct Folded {
  Bytes text;
  std::vector<std::size_t> shortened;  // places in `text` of the line ends that were folded

  std::size_t original(std::size_t offset) const {
    const auto before = std::ranges::lower_bound(shortened, offset);
    return offset + static_cast<std::size_t>(before - shortened.begin());
  }
};

Folded fold(ByteView text) {
  Folded folded;
  folded.text.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      folded.shortened.push_back(folded.text.size());
    } else {
      folded.text += text[i];
    }
  }
  return folded;
}

std::vector<Match> folded_matches(ByteView text, ByteView needle) {
  const auto folded = fold(text);
  auto matches = exact_matches(folded.text, fold(needle).text);
  for (auto& match : matches) {
    match = {folded.original(match.begin), folded.original(match.end)};
  }
  return matches;
}

std::vector<Match> find_matches(ByteView text, ByteView needle) {
  const bool may_fold = needle.contains('\n') && text.contains("\r\n");
  // An exact match of a leading `\n` could cut a `\r\n` in two; folding never does.
  if (!may_fold || !needle.starts_with('\n')) {
    auto matches = exact_matches(text, needle);
    if (!matches.empty() || !may_fold) return matches;
  }
  return folded_matches(text, needle);
}

// ---- replacing ----

// The new text in the two spellings of line ends, and which of them fits where.
class Substitute final {
 public:
  Substitute(ByteView text, ByteView new_text)
      : plain_(new_text), crlf_(lf_to_crlf(new_text)), ending_(dominant_line_ending(text)) {}

  ByteView in_place_of(ByteView replaced) const {
    const auto ending = replaced.contains('\n') ? dominant_line_ending(replaced) : ending_;
    // Asked to change nothing but line ends, do so.
    if (ending == LineEnding::kLf || crlf_ == replaced) return plain_;
    return crlf_;
  }

 private:
  ByteView plain_;
  Bytes crlf_;
  LineEnding ending_;
};

std::optional<Bytes> replace(ByteView text, std::span<const Match> matches, ByteView new_text) {
  if (matches.size() * new_text.size() > kMaxEditedSize) return std::nullopt;
  const Substitute substitute(text, new_text);
  Bytes out;
  std::size_t done = 0;
  for (const auto& match : matches) {
    out += text.substr(done, match.begin - done);
    out += substitute.in_place_of(text.substr(match.begin, match.end - match.begin));
    done = match.end;
  }
  out += text.substr(done);
  if (out.size() > kMaxEditedSize && out.size() > text.size()) return std::nullopt;
  return out;
}

// ---- the nearest miss ----

constexpr std::size_t kShownBytes = 72;    // of one line
constexpr std::size_t kShownLines = 3;     // of each side
constexpr std::size_t kVotingLines = 256;  // of the old text
constexpr std::size_t kTellingLine = 4;    // bytes: a shorter line, like `}`, says little

using Lines = std::vector<ByteView>;

Lines contents_of(ByteView text) {
  auto lines = split_lines(text);
  // The piece after the last line end matters to an old text: it begins a line of the text.
  if (text.ends_with('\n')) lines.push_back({});
  for (auto& line : lines) line = line_content(line);
  return lines;
}

// Where the old text would begin if the lines it shares with the text stood where most (and the
// longest) of them do. May lie before the first line.
std::optional<std::ptrdiff_t> start_by_votes(const Lines& text, const Lines& old_text) {
  std::map<ByteView, std::ptrdiff_t> places;
  for (std::size_t i = 0; i < old_text.size() && places.size() < kVotingLines; ++i) {
    const auto line = trim(old_text[i]);
    if (line.size() >= kTellingLine) places.try_emplace(line, static_cast<std::ptrdiff_t>(i));
  }
  std::map<std::ptrdiff_t, std::size_t> votes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto line = trim(text[i]);
    const auto place = places.find(line);
    if (place == places.end()) continue;
    votes[static_cast<std::ptrdiff_t>(i) - place->second] += std::min<std::size_t>(line.size(), 64);
  }
  if (votes.empty()) return std::nullopt;
  return std::ranges::max_element(votes, {}, &decltype(votes)::value_type::second)->first;
}

std::optional<std::ptrdiff_t> start_of_nearest(const Lines& text, const Lines& old_text) {
  if (const auto start = start_by_votes(text, old_text)) return start;
  const auto longest =
      std::ranges::max_element(old_text, {}, [](ByteView l) { return trim(l).size(); });
  const auto line = most_similar_line(text, trim(*longest).substr(0, 256));
  if (!line) return std::nullopt;
  return static_cast<std::ptrdiff_t>(*line) - (longest - old_text.begin());
}

Bytes without_space(ByteView text) {
  Bytes out;
  std::ranges::remove_copy_if(text, std::back_inserter(out), is_space);
  return out;
}

// The old text laid over the text, line by line, from `start` on.
class Overlay final {
 public:
  Overlay(const Lines& text, const Lines& old_text, std::ptrdiff_t start)
      : text_(text), old_(old_text), start_(start) {}

  std::optional<ByteView> text_line(std::size_t i) const {
    const auto at = start_ + static_cast<std::ptrdiff_t>(i);
    if (at < 0 || at >= std::ssize(text_)) return std::nullopt;
    return text_[static_cast<std::size_t>(at)];
  }

  // The first line of the old text that is not in its place.
  std::size_t first_difference() const {
    for (std::size_t i = 0; i < old_.size(); ++i) {
      const auto line = text_line(i);
      if (!line || !fits(i, *line, old_[i])) return i;
    }
    return old_.size();
  }

  std::string_view what_differs(std::size_t first) const {
    if (first == old_.size()) return "where only the line ends differ";
    if (!differs_in_space_only(first)) return "where it differs";
    const auto line = text_line(first).value_or("");
    if (trim_left(line) == trim_left(old_[first])) return "where only the indentation differs";
    if (trim_right(line) == trim_right(old_[first])) return "where only trailing spaces differ";
    return "where only white space differs";
  }

  // The first lines that differ: `-` those of the old text, `+` those of the text.
  std::string show(std::size_t first) const {
    std::string minus;
    std::string plus;
    for (auto i = first; i < std::min(old_.size(), first + kShownLines); ++i) {
      const auto line = text_line(i);
      if (line && i > first && fits(i, *line, old_[i])) break;
      const auto skip = common_start(old_[i], line.value_or(""));
      minus += fmt::format("\n- {}", excerpt(old_[i], skip));
      plus += line ? fmt::format("\n+ {}", excerpt(*line, skip)) : "\n+ (no such line)";
    }
    return minus + plus;
  }

 private:
  // Only the ends of an old text may be parts of lines.
  bool fits(std::size_t i, ByteView line, ByteView old_line) const {
    const bool first = i == 0;
    const bool last = i + 1 == old_.size();
    if (first && last) return find_from(line, old_line, 0) != kNone;
    if (first) return line.ends_with(old_line);
    return last ? line.starts_with(old_line) : line == old_line;
  }

  bool differs_in_space_only(std::size_t first) const {
    for (auto i = first; i < old_.size(); ++i) {
      const auto line = text_line(i);
      if (!line || !fits(i, without_space(*line), without_space(old_[i]))) return false;
    }
    return true;
  }

  // How much of two long lines to leave out so that their difference can be seen.
  static std::size_t common_start(ByteView a, ByteView b) {
    if (std::max(a.size(), b.size()) <= kShownBytes) return 0;
    const auto same = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    return same > kShownBytes / 2 ? same - kShownBytes / 4 : 0;
  }

  static std::string excerpt(ByteView line, std::size_t skip) {
    while (skip > 0 && skip < line.size() && (line[skip] & '\xC0') == '\x80') --skip;
    return (skip > 0 ? "…" : "") + printable(line.substr(skip), kShownBytes);
  }

  const Lines& text_;
  const Lines& old_;
  std::ptrdiff_t start_;
};

// ---- errors ----

// Which edit of how many.
struct Position {
  std::size_t index;
  std::size_t count;

  std::string prefix() const {
    return count > 1 ? fmt::format("edit {} of {}: ", index + 1, count) : std::string();
  }
  Failure fail(Code code, std::string_view message) const {
    return Failure(
        Error(code, prefix().append(message)).with("edit", static_cast<std::int64_t>(index + 1)));
  }
};

Failure no_match(Position position, ByteView text, ByteView old_text) {
  auto refuse = [&](std::string_view message) {
    auto failure = position.fail(Code::kEditNoMatch, message);
    failure.error().details["matches"] = std::int64_t{0};
    return failure;
  };
  const auto text_lines = contents_of(text);
  const auto old_lines = contents_of(old_text);
  const auto start = start_of_nearest(text_lines, old_lines);
  if (!start) {
    return refuse("the old text does not occur, and nothing like it; read the file again");
  }
  const Overlay overlay(text_lines, old_lines, *start);
  const auto first = overlay.first_difference();
  const auto line = std::max<std::ptrdiff_t>(*start, 0) + 1;
  auto failure = refuse(fmt::format(
      "the old text does not occur; the nearest is at line {}, {}{}{}", line,
      overlay.what_differs(first), first < old_lines.size() ? " ('-' old text, '+' file):" : "",
      overlay.show(first)));
  failure.error().details["nearestLine"] = static_cast<std::int64_t>(line);
  return failure;
}

std::string line_list(ByteView text, std::span<const Match> matches) {
  constexpr std::size_t kListed = 5;
  const LineIndex index(text);
  std::string list;
  for (const auto& match : matches.first(std::min(kListed, matches.size()))) {
    if (!list.empty()) list += ", ";
    list += fmt::format("{}", index.line_of(match.begin));
  }
  return list + (matches.size() > kListed ? ", …" : "");
}

Failure ambiguous(Position position, ByteView text, std::span<const Match> matches) {
  auto failure = position.fail(
      Code::kEditAmbiguous,
      fmt::format("the old text occurs {} times, on lines {}; give more of the lines around it to "
                  "make it unique, or set 'replaceAll'",
                  matches.size(), line_list(text, matches)));
  failure.error().details["matches"] = static_cast<std::int64_t>(matches.size());
  return failure;
}

Result<void> check(const Replacement& edit, Position position) {
  if (edit.old_text.empty()) {
    return position.fail(Code::kInvalidArgument, "the old text is empty; say what to replace");
  }
  if (edit.old_text == edit.new_text) {
    return position.fail(Code::kInvalidArgument, "the old and the new text are the same");
  }
  return {};
}

}  // namespace

Result<EditResult> apply_edits(ByteView text, std::span<const Replacement> edits) {
  EditResult result{Bytes(text), {}};
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const auto& edit = edits[i];
    const Position position{i, edits.size()};
    TRY(check(edit, position));
    const auto matches = find_matches(result.text, edit.old_text);
    if (matches.empty()) return no_match(position, result.text, edit.old_text);
    if (matches.size() > 1 && !edit.all) return ambiguous(position, result.text, matches);
    auto replaced = replace(result.text, matches, edit.new_text);
    if (!replaced) {
      return position.fail(Code::kFileTooLarge,
                           fmt::format("the result would be over {} bytes", kMaxEditedSize));
    }
    result.text = std::move(*replaced);
    result.counts.push_back(matches.size());
  }
  return result;
}

}  // namespace cairn
