#include "data/text/pattern.h"

#include <atomic>
#include <cstring>
#include <optional>
#include <string>

#include <re2/re2.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "data/text/pattern_candidate.h"
#include "data/text/pattern_literal.h"

namespace cairn {
namespace {

// Of the states of each automaton.
constexpr std::int64_t kMaxMemory = 8 << 20;

// A line that goes on reporting ends after it has been decided is left for the next one.
constexpr int kMaxIdleReports = 32;

// A match has at most one capture before its own: the word inside its boundaries.
constexpr int kMaxGroups = 2;

// Both sides are said in terms of \b and \B over single bytes, since \W would miss bytes that are
// not UTF-8. From the line's begin or the end of a word on, bytes outside words up to the match:
constexpr std::string_view kBeforeWord = R"((?:^|\w\b\C)(?:\B\C)*?)";
// From the match on, the end of the line or bytes outside words up to it or to the next word:
constexpr std::string_view kAfterWord = R"((?:$|\C(?:\B\C)*(?:\B$|\b\w)))";

bool is_word_byte(char c) { return is_alphanumeric(c) || c == '_'; }

re2::StringPiece piece(ByteView text) { return {text.data(), text.size()}; }

std::uint64_t count_newlines(ByteView text) {
  constexpr std::size_t kBlock = 192;  // fewer than a byte can count
  const char* at = text.data();
  const char* const end = at + text.size();
  std::uint64_t count = 0;
  for (; end - at >= static_cast<std::ptrdiff_t>(kBlock); at += kBlock) {
    std::uint8_t in_block = 0;
    for (std::size_t i = 0; i < kBlock; ++i) in_block += at[i] == '\n';
    count += in_block;
  }
  for (; at < end; ++at) count += *at == '\n';
  return count;
}

RE2::Options re2_options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxMemory);
  return options;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (c & 0xC0) != 0x80;
  return count;
}

Result<void> check_text(std::string_view text) {
  if (text.empty()) return fail(Code::kInvalidPattern, "the pattern is empty; give a text to find");
  if (text.size() > Pattern::kMaxBytes) {
    return fail(Code::kInvalidPattern, "the pattern has {} bytes; at most {} are allowed",
                text.size(), Pattern::kMaxBytes);
  }
  if (!valid_utf8(text)) return fail(Code::kInvalidPattern, "the pattern is not valid UTF-8");
  if (const auto newline = text.find('\n'); newline != text.npos) {
    const auto position = count_characters(text.substr(0, newline)) + 1;
    return Failure(Error(Code::kInvalidPattern,
                         fmt::format("the pattern has a newline at character {}; matching is line "
                                     "by line, so search for one of its lines",
                                     position))
                       .with("position", static_cast<std::int64_t>(position)));
  }
  return {};
}

// RE2's message, in our own words where it would be misunderstood.
std::string reason(const RE2& re) {
  const auto& part = re.error_arg();
  switch (re.error_code()) {
    case RE2::ErrorBadPerlOp:
      if (part == "(?=" || part == "(?!" || part == "(?<") return "look-around is not supported";
      break;
    case RE2::ErrorBadEscape:
      if (part.size() == 2 && part[1] >= '1' && part[1] <= '9') {
        return "back-references are not supported";
      }
      break;
    case RE2::ErrorPatternTooLarge:
      return "it is too large; use smaller repeat counts";
    default:
      break;
  }
  return re.error();
}

Failure syntax_error(std::string_view text, const RE2& re, std::string_view as_text) {
  const auto offset = re.error_arg().empty() ? text.npos : text.find(re.error_arg());
  const auto position =
      offset == text.npos ? 0
                          : static_cast<std::int64_t>(count_characters(text.substr(0, offset))) + 1;
  Error error(
      Code::kInvalidPattern,
      fmt::format("the pattern is not a valid regular expression{}: {}. The syntax is RE2's, "
                  "without back-references and look-around; to search for the text as it "
                  "stands, {}",
                  position == 0 ? "" : fmt::format(", at character {}", position), reason(re),
                  as_text));
  if (position != 0) std::move(error).with("position", position);
  return Failure(std::move(error));
}

// REQUIRES: RE2 accepts `source` on its own. (An open \Q in it needs its \E before anything else.)
std::unique_ptr<const RE2> whole_word(const std::string& source, bool ignore_case) {
  const auto* const flags = ignore_case ? "i" : "";
  std::unique_ptr<const RE2> re;
  for (const auto* close : {"))", "\\E))"}) {
    re = std::make_unique<const RE2>(
        fmt::format("{}((?{}:{}{}{}", kBeforeWord, flags, source, close, kAfterWord),
        re2_options());
    if (re->ok()) break;
  }
  return re;
}

}  // namespace

struct Pattern::Program {
  std::unique_ptr<const RE2> exact;  // decides a line
  int group = 0;                     // of exact, that is the match
  bool whole_word = false;
  std::optional<LiteralFinder> literal;  // all there is to find, if there is
  std::unique_ptr<const RE2> candidate;  // finds lines to decide; else all are
  std::string expression;                // the same for the accelerator
  bool needs_last_line = false;          // neither finds its end if it has no newline
  std::uint64_t accelerate_after = 0;

  bool decide(ByteView line, re2::StringPiece* groups) const {
    return exact->Match(piece(line), 0, line.size(), RE2::UNANCHORED, groups, group + 1);
  }

  // The accelerator, if it is there or due; `bytes` more are about to be searched.
  const Accelerator* accelerator(std::uint64_t bytes) const {
    if (const auto* ready = ready_.load(std::memory_order_acquire)) return ready;
    if (tried_.load(std::memory_order_relaxed)) return nullptr;
    if (searched_.fetch_add(bytes, std::memory_order_relaxed) + bytes < accelerate_after) {
      return nullptr;
    }
    if (tried_.exchange(true)) return nullptr;
    owner_ = Accelerator::compile(expression);
    ready_.store(owner_.get(), std::memory_order_release);
    return owner_.get();
  }

  bool accelerated() const { return ready_.load(std::memory_order_relaxed) != nullptr; }

 private:
  mutable std::atomic<std::uint64_t> searched_{0};
  mutable std::atomic<bool> tried_{false};
  mutable std::atomic<const Accelerator*> ready_{nullptr};
  mutable std::unique_ptr<const Accelerator> owner_;  // written once, by who set tried_
};

Result<Pattern> Pattern::compile(std::string_view text, PatternOptions options,
                                 PatternTuning tuning) {
  TRY(check_text(text));
  auto source = options.regex ? std::string(text) : RE2::QuoteMeta(piece(text));
  auto re2 = re2_options();
  re2.set_case_sensitive(!options.ignore_case);

  auto program = std::make_shared<Program>();
  program->exact = std::make_unique<const RE2>(source, re2);
  if (!program->exact->ok()) return syntax_error(text, *program->exact, options.as_text);
  if (auto apart = keep_apart(source, options.ignore_case); apart != source) {
    source = std::move(apart);
    program->exact = std::make_unique<const RE2>(source, re2);
    if (!program->exact->ok()) return syntax_error(text, *program->exact, options.as_text);
  }
  if (options.whole_word) {
    program->exact = whole_word(source, options.ignore_case);
    program->group = 1;
    program->whole_word = true;
    if (!program->exact->ok()) return syntax_error(text, *program->exact, options.as_text);
  }

  auto candidate = loosen(source, options.ignore_case, Dialect::kRe2);
  if (candidate.wants_newline) {
    return fail(Code::kInvalidPattern,
                "the pattern asks for a newline ('\\n'), but matching is line by line; use '$' for "
                "the end of a line, or search for one line at a time");
  }
  if (candidate.literal && tuning.literal_finder) program->literal.emplace(*candidate.literal);
  if (candidate.expression) {
    auto loose = std::make_unique<const RE2>("(?m)" + *candidate.expression, re2_options());
    if (loose->ok()) program->candidate = std::move(loose);
    program->needs_last_line = candidate.needs_last_line;
    program->expression = *loosen(source, options.ignore_case, Dialect::kHyperscan).expression;
  }
  program->accelerate_after = tuning.accelerate_after;
  return Pattern(std::move(program));
}

bool Pattern::accelerated() const { return program_->accelerated(); }

// Goes through a text line by line, skipping most; knows the number of a line when asked.
class Searcher::Lines final {
 public:
  struct Line {
    std::size_t begin, end;  // without its terminator
    std::size_t next;        // the begin of the next, or the end of the text
  };

  Lines(ByteView text, const Pattern::Program& program, Found found)
      : text_(text), program_(program), found_(found) {}

  ByteView text() const { return text_; }
  ByteView rest() const { return text_.substr(next_); }
  std::size_t next() const { return next_; }
  // No line is left, or none is wanted.
  bool done() const { return stopped_ || next_ == text_.size(); }

  // The line that `position` is in. REQUIRES: !done(), next() <= position <= text().size(), and
  // position is not behind a last newline.
  Line at(std::size_t position) const {
    const char* const base = text_.data();
    const void* before = memrchr(base + next_, '\n', position - next_);
    const void* after = std::memchr(base + position, '\n', text_.size() - position);
    Line line{.begin = before == nullptr ? next_ : offset(before) + 1,
              .end = after == nullptr ? text_.size() : offset(after),
              .next = after == nullptr ? text_.size() : offset(after) + 1};
    if (after != nullptr && line.end > line.begin && base[line.end - 1] == '\r') --line.end;
    return line;
  }

  void skip(const Line& line) { next_ = line.next; }

  // Skips the line, after reporting it if it matches.
  void decide(const Line& line) {
    re2::StringPiece groups[kMaxGroups];
    if (program_.decide(text_.substr(line.begin, line.end - line.begin), groups)) {
      const auto& match = groups[program_.group];
      report(line, offset(match.data()), match.size());
    }
    skip(line);
  }

  void report(const Line& line, std::size_t match, std::size_t size) {
    number_ += count_newlines(text_.substr(counted_, line.begin - counted_));
    counted_ = line.begin;
    stopped_ = !found_({.begin = line.begin,
                        .end = line.end,
                        .number = number_,
                        .match_begin = match,
                        .match_end = match + size});
  }

  // The last line, if it is not decided and has no newline.
  void decide_unterminated() {
    if (!done() && text_.back() != '\n') decide(at(text_.size()));
  }

  // Behind the newline of the last line, where no line is.
  bool is_behind_last(std::size_t position) const {
    return position == text_.size() && text_.back() == '\n';
  }

 private:
  std::size_t offset(const void* place) const {
    return static_cast<std::size_t>(static_cast<const char*>(place) - text_.data());
  }

  ByteView text_;
  const Pattern::Program& program_;
  Found found_;
  std::size_t next_ = 0;     // the begin of the first line not decided
  std::size_t counted_ = 0;  // the begin of the line with number_
  std::uint64_t number_ = 1;
  bool stopped_ = false;
};

bool Searcher::any(ByteView text) {
  bool found = false;
  search(text, [&](const LineMatch&) {
    found = true;
    return false;
  });
  return found;
}

void Searcher::run(ByteView text, Found found) {
  if (text.empty()) return;
  Lines lines(text, *program_, found);
  if (program_->literal) {
    search_literal(lines);
  } else if (program_->candidate == nullptr) {
    search_each_line(lines);
  } else if (const auto* accelerator = text.size() <= Accelerator::kMaxText
                                           ? program_->accelerator(text.size())
                                           : nullptr) {
    search_accelerated(lines, *accelerator);
  } else {
    search_candidates(lines);
  }
}

void Searcher::search_literal(Lines& lines) {
  const auto text = lines.text();
  const auto size = program_->literal->needle().size();
  std::size_t from = 0;
  while (!lines.done()) {
    const auto begin = program_->literal->find(text, from);
    if (begin == text.npos) return;
    from = begin + 1;
    const auto end = begin + size;
    if (program_->whole_word && ((begin > 0 && is_word_byte(text[begin - 1])) ||
                                 (end < text.size() && is_word_byte(text[end])))) {
      continue;
    }
    const auto line = lines.at(begin);
    if (end > line.end) continue;  // it takes the `\r` of the line's terminator
    lines.report(line, begin, size);
    lines.skip(line);
    from = line.next;
  }
}

void Searcher::search_each_line(Lines& lines) {
  while (!lines.done()) lines.decide(lines.at(lines.next()));
}

void Searcher::search_candidates(Lines& lines) {
  while (!lines.done()) {
    const auto rest = lines.rest();
    re2::StringPiece match;
    if (!program_->candidate->Match(piece(rest), 0, rest.size(), RE2::UNANCHORED, &match, 1)) break;
    const auto position = static_cast<std::size_t>(match.data() - lines.text().data());
    if (lines.is_behind_last(position)) break;
    lines.decide(lines.at(position));
  }
  if (program_->needs_last_line) lines.decide_unterminated();
}

void Searcher::search_accelerated(Lines& lines, const Accelerator& accelerator) {
  struct Scan {
    Lines& lines;
    std::size_t base;  // of the scanned rest
    int idle = 0;
  };
  const auto on_end = [](void* context, std::size_t end) {
    auto& [all, base, idle] = *static_cast<Scan*>(context);
    const auto position = base + end;
    if (position < all.next()) return ++idle < kMaxIdleReports;
    idle = 0;
    // At a line's begin this may be the end of the line before (with its newline for `$`), or
    // Hyperscan may have yet to report one: an end with \b comes up to one byte late.
    if (position > all.next() && all.text()[position - 1] == '\n') {
      all.decide(all.at(position - 1));
    }
    if (!all.done() && !all.is_behind_last(position)) all.decide(all.at(position));
    return !all.done();
  };
  while (!lines.done()) {
    Scan scan{lines, lines.next()};
    if (!accelerator.scan(lines.rest(), scratch_, on_end, &scan)) return search_candidates(lines);
    if (scan.idle < kMaxIdleReports) break;  // it came to the end
  }
  if (program_->needs_last_line) lines.decide_unterminated();
}

}  // namespace cairn
