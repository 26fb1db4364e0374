#include "data/text/lines.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "base/utf8.h"

namespace cairn {
namespace {

constexpr std::size_t kLongLine = 4096;
constexpr std::size_t kGramSlots = 8192;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// At most `limit` bytes of `text`, cut between code points.
ByteView cut(ByteView text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && is_continuation(text[limit])) --limit;
  return text.substr(0, limit);
}

void append_printable(std::string& out, char c, bool keep_high) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == '\t') {
    out += "\\t";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c == '\n') {
    out += "\\n";
  } else if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !keep_high)) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
  } else {
    out += c;
  }
}

// Counts how many different three-byte pieces of a probe a line has.
class GramCounter final {
 public:
  explicit GramCounter(ByteView probe) : wanted_(kGramSlots), seen_(kGramSlots) {
    for_each_slot(probe, [&](std::size_t slot) {
      total_ += wanted_[slot] ? 0 : 1;
      wanted_[slot] = true;
    });
  }

  std::size_t total() const { return total_; }

  std::size_t common(ByteView line) {
    ++round_;
    std::size_t count = 0;
    for_each_slot(line, [&](std::size_t slot) {
      if (!wanted_[slot] || seen_[slot] == round_) return;
      seen_[slot] = round_;
      ++count;
    });
    return count;
  }

 private:
  static void for_each_slot(ByteView text, auto visit) {
    for (std::size_t i = 0; i + 3 <= text.size(); ++i) {
      std::uint32_t gram = 0;
      for (const char c : text.substr(i, 3)) gram = gram << 8 | static_cast<unsigned char>(c);
      visit((gram * 2654435761U >> 8) % kGramSlots);
    }
  }

  std::vector<bool> wanted_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t round_ = 0;
  std::size_t total_ = 0;
};

}  // namespace

std::vector<ByteView> split_lines(ByteView text) {
  std::vector<ByteView> lines;
  while (!text.empty()) {
    const auto newline = text.find('\n');
    const auto size = newline == ByteView::npos ? text.size() : newline + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

ByteView line_content(ByteView line) {
  if (!line.ends_with('\n')) return line;
  line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

LineEnding dominant_line_ending(ByteView text) {
  std::size_t lf = 0;
  std::size_t crlf = 0;
  for (auto at = text.find('\n'); at != ByteView::npos; at = text.find('\n', at + 1)) {
    ++(at > 0 && text[at - 1] == '\r' ? crlf : lf);
  }
  return crlf > lf ? LineEnding::kCrLf : LineEnding::kLf;
}

Bytes lf_to_crlf(ByteView text) {
  Bytes out;
  out.reserve(text.size() + text.size() / 16);
  char before = '\0';
  for (const char c : text) {
    if (c == '\n' && before != '\r') out += '\r';
    out += c;
    before = c;
  }
  return out;
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

ByteView trim_left(ByteView text) {
  const auto first = std::ranges::find_if_not(text, is_space);
  return text.substr(static_cast<std::size_t>(first - text.begin()));
}

ByteView trim_right(ByteView text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

ByteView trim(ByteView text) { return trim_right(trim_left(text)); }

std::string printable(ByteView line, std::size_t limit) {
  const auto shown = cut(line, limit);
  const bool keep_high = valid_utf8(shown);
  std::string out;
  std::size_t done = 0;
  for (; done < shown.size(); ++done) {
    const bool begins_character = !keep_high || !is_continuation(shown[done]);
    if (begins_character && out.size() >= limit) break;
    append_printable(out, shown[done], keep_high);
  }
  if (done < line.size()) out += "…";
  return out;
}

std::optional<std::size_t> most_similar_line(std::span<const ByteView> lines, ByteView probe) {
  GramCounter counter(probe);
  std::size_t best = (counter.total() + 1) / 2;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].size() > kLongLine) continue;
    const auto score = counter.common(lines[i]);
    if (score == 0 || score < best) continue;
    if (found && score == best && lines[i].size() >= lines[*found].size()) continue;
    best = score;
    found = i;
  }
  return found;
}

LineChange whole_change(std::span<const ByteView> before, std::span<const ByteView> after) {
  const auto differs = std::ranges::mismatch(before, after).in1;
  const auto first = static_cast<std::size_t>(differs - before.begin());
  auto removed = before.size() - first;
  auto added = after.size() - first;
  while (removed > 0 && added > 0 && before[first + removed - 1] == after[first + added - 1]) {
    --removed;
    --added;
  }
  return {.first = first, .removed = removed, .added = added};
}

bool too_long_to_compare(ByteView before, ByteView after) {
  // A line has at least one byte.
  if (before.size() + after.size() <= kMaxComparedLines) return false;
  const auto change = whole_change(split_lines(before), split_lines(after));
  return change.removed + change.added > kMaxComparedLines;
}

LineIndex::LineIndex(ByteView text) : text_(text), begins_{0} {
  for (auto at = text.find('\n'); at != ByteView::npos; at = text.find('\n', at + 1)) {
    begins_.push_back(at + 1);
  }
}

std::size_t LineIndex::line_of(std::size_t offset) const {
  const auto after = std::ranges::upper_bound(begins_, offset);
  return static_cast<std::size_t>(after - begins_.begin());
}

std::size_t LineIndex::column_of(std::size_t offset) const {
  const auto begin = begins_[line_of(offset) - 1];
  const auto before = text_.substr(begin, offset - begin);
  return 1 + before.size() -
         static_cast<std::size_t>(std::ranges::count_if(before, is_continuation));
}

ByteView LineIndex::indent_at(std::size_t offset) const {
  const auto begin = begins_[line_of(offset) - 1];
  const auto before = text_.substr(begin, offset - begin);
  return before.substr(0, before.find_first_not_of(" \t"));
}

}  // namespace cairn
