#include "data/text/pattern_candidate_writer.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"

namespace cairn {
namespace {

constexpr char32_t kKelvinSign = 0x212A;  // folds to k
constexpr char32_t kLongS = 0x017F;       // folds to s

// Any one character beyond ASCII, as bytes; and in RE2's dialect, as a range for a class.
constexpr std::string_view kBytesBeyond = R"([\xc0-\xff][\x80-\xbf]{1,3})";
constexpr std::string_view kRangeBeyond = R"(\x{80}-\x{10ffff})";
constexpr int kMaxSequence = 4;

// Repeats beyond these make large automata and tell few lines apart.
constexpr int kMostRequired = 32;
constexpr int kMostAllowed = 64;

std::string render_repeat(int least, int most) {
  const bool bounded =
      most != CandidateWriter::kUnbounded && most <= kMostAllowed && least <= kMostRequired;
  least = std::min(least, kMostRequired);
  if (bounded) return fmt::format("{{{},{}}}", least, most);
  if (least == 0) return "*";
  return least == 1 ? "+" : fmt::format("{{{},}}", least);
}

}  // namespace

std::string to_utf8(char32_t c) {
  if (c < 0x80) return {static_cast<char>(c)};
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  std::string out{static_cast<char>((0xF00U >> (more + 1)) | (c >> (6 * more)))};
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3F));
  return out;
}

void CandidateWriter::text(char32_t c) {
  if (c >= 0x80 && dialect_ == Dialect::kRe2) {
    out_ += fmt::format("\\x{{{:x}}}", std::uint32_t{c});
    return;
  }
  for (const char byte : to_utf8(c)) out_ += render_byte(static_cast<unsigned char>(byte));
}

void CandidateWriter::character(char32_t c) {
  begin_piece(Kind::kText);
  text(c);
}

void CandidateWriter::folded_character(char32_t c) {
  if (c >= 0x80) {
    set(CharSet::of_range(c, c).folded());
    return;
  }
  if (!is_letter(c)) return character(c);
  const char lower = static_cast<char>(c | 32U);
  begin_piece(Kind::kUnit);
  out_ += fmt::format("[{}{}", static_cast<char>(c & ~32U), lower);
  if (lower == 'k') kelvin_sign_ |= third_case(kKelvinSign);
  if (lower == 's') long_s_ |= third_case(kLongS);
  out_ += ']';
}

bool CandidateWriter::third_case(char32_t c) {
  if (dialect_ == Dialect::kHyperscan) return true;
  text(c);
  return false;
}

bool CandidateWriter::set(CharSet set) {
  begin_piece(Kind::kSet);
  set.ascii.reset('\n');
  piece_.set = set;
  const auto ranges = set.render_ascii();
  if (!set.beyond) {
    out_ += fmt::format("[{}]", ranges);
  } else if (dialect_ == Dialect::kRe2) {
    out_ += fmt::format("[{}{}]", ranges, kRangeBeyond);
  } else if (ranges.empty()) {
    out_ += fmt::format("(?:{})", kBytesBeyond);
  } else {
    out_ += fmt::format("(?:[{}]|{})", ranges, kBytesBeyond);
  }
  return set.beyond || !ranges.empty();
}

void CandidateWriter::any_byte() {
  begin_piece(Kind::kUnit);
  out_ += dialect_ == Dialect::kRe2 ? R"(\C)" : R"([\x00-\x09\x0b-\xff])";
}

void CandidateWriter::assertion(std::string_view text) {
  begin_piece(Kind::kAssertion);
  out_ += text;
}

void CandidateWriter::line_end(bool last) {
  // Vectorscan 5.4.9 misses some matches of `\r?$`, so this does without `$`.
  needs_last_line_ |= last;
  assertion(last ? R"([\x0a\x0d])" : "(?:)");
}

void CandidateWriter::open_group() {
  groups_.push_back(out_.size());
  out_ += "(?:";
  piece_ = {};
}

void CandidateWriter::close_group() {
  out_ += ')';
  piece_ = {.kind = Kind::kUnit, .begin = groups_.back(), .set = {}};
  groups_.pop_back();
}

void CandidateWriter::alternative() {
  out_ += '|';
  piece_ = {};
}

bool CandidateWriter::repeat(int least, int most) {
  const Piece piece = std::exchange(piece_, {});
  switch (piece.kind) {
    case Kind::kNone:
      return false;
    case Kind::kAssertion:
      if (least == 0) out_.replace(piece.begin, out_.npos, "(?:)");
      return true;
    case Kind::kText:
      out_.insert(piece.begin, "(?:");
      out_ += ')';
      break;
    case Kind::kSet:
      if (piece.set.beyond && dialect_ == Dialect::kHyperscan) {
        out_.resize(piece.begin);
        out_ += fmt::format("[{}\\x80-\\xff]", piece.set.render_ascii());
        if (most != kUnbounded) most *= kMaxSequence;
      }
      break;
    case Kind::kUnit:
      break;
  }
  if (most == 0) {
    out_.replace(piece.begin, out_.npos, "(?:)");
  } else {
    out_ += render_repeat(least, most);
  }
  return true;
}

std::string CandidateWriter::finish() && {
  // A line with one of those is rare enough to be a candidate whatever else it has.
  if (kelvin_sign_) {
    alternative();
    text(kKelvinSign);
  }
  if (long_s_) {
    alternative();
    text(kLongS);
  }
  return std::move(out_);
}

}  // namespace cairn
