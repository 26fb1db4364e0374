#include "data/text/text_conflict.h"

#include <algorithm>
#include <span>

#include "data/text/lines.h"
#include "data/text/unified_diff.h"

namespace cairn {
namespace {

using Lines = std::vector<ByteView>;

// One side's text and its changes since the base, taken one after the other.
class Side final {
 public:
  Side(ByteView base, ByteView text)
      : lines_(split_lines(text)), patches_(line_patches(base, text)) {}

  // The line of the base at which the next change begins; SIZE_MAX when there is none.
  std::size_t next() const { return at_ < patches_.size() ? patches_[at_].at : SIZE_MAX; }
  // Takes the next change; the line of the base after it.
  std::size_t take() {
    const auto& patch = patches_[at_++];
    after_ = patch.at_after + patch.added;
    before_ = patch.at + patch.removed;
    return before_;
  }
  // The line here that stands where this one of the base does, or did. REQUIRES: it lies between
  // the change taken last and the next one.
  std::size_t here(std::size_t base_line) const { return after_ + (base_line - before_); }
  std::span<const ByteView> lines(std::size_t begin, std::size_t end) const {
    return std::span(lines_).subspan(begin, end - begin);
  }

 private:
  Lines lines_;
  std::vector<LinePatch> patches_;
  std::size_t at_ = 0;
  std::size_t before_ = 0;  // lines of the base up to the end of the last change
  std::size_t after_ = 0;   // lines here up to there
};

LineSpan span_of(std::size_t begin, std::size_t end) { return {begin + 1, end - begin}; }

class Merging final {
 public:
  Merging(ByteView base, ByteView ours, ByteView theirs)
      : base_(split_lines(base)), ours_(base, ours), theirs_(base, theirs) {}

  TextConflict run() {
    std::size_t done = 0;  // lines of the base
    while (std::min(ours_.next(), theirs_.next()) != SIZE_MAX) {
      const auto begin = std::min(ours_.next(), theirs_.next());
      append(std::span(base_).subspan(done, begin - done));
      done = group(begin);
    }
    append(std::span(base_).subspan(done));
    return std::move(out_);
  }

 private:
  // The changes that touch each other, from this line of the base on; the line after them.
  std::size_t group(std::size_t begin) {
    const auto ours_begin = ours_.here(begin);
    const auto theirs_begin = theirs_.here(begin);
    auto end = begin;
    bool by_us = false;
    bool by_them = false;
    while (std::min(ours_.next(), theirs_.next()) <= end) {
      const bool first_ours = ours_.next() <= theirs_.next();
      (first_ours ? by_us : by_them) = true;
      end = std::max(end, first_ours ? ours_.take() : theirs_.take());
    }
    const auto ours = ours_.lines(ours_begin, ours_.here(end));
    const auto theirs = theirs_.lines(theirs_begin, theirs_.here(end));
    if (by_us && by_them && !std::ranges::equal(ours, theirs)) {
      out_.hunks.push_back({span_of(begin, end),
                            span_of(ours_begin, ours_.here(end)),
                            span_of(theirs_begin, theirs_.here(end)),
                            {written_ + 1, theirs.size()}});
    }
    append(by_them ? theirs : ours);
    return end;
  }

  void append(std::span<const ByteView> lines) {
    for (const auto line : lines) out_.merged += line;
    written_ += lines.size();
  }

  Lines base_;
  Side ours_;
  Side theirs_;
  TextConflict out_;
  std::size_t written_ = 0;  // lines
};

}  // namespace

TextConflict text_conflict(ByteView base, ByteView ours, ByteView theirs) {
  return Merging(base, ours, theirs).run();
}

Bytes lines_of(ByteView text, const LineSpan& span) {
  const auto lines = split_lines(text);
  Bytes out;
  for (const auto line : std::span(lines).subspan(span.first - 1, span.count)) out += line;
  return out;
}

}  // namespace cairn
