#include "tools/workspace/loose_edit.h"

#include <algorithm>
#include <array>
#include <optional>

#include "data/text/edit.h"
#include "data/text/lines.h"
#include "tools/workspace/line_diff.h"

namespace cairn::work {
namespace {

// White space beyond ASCII, as the language of the reference server trims it.
constexpr std::array<std::string_view, 19> kWideSpaces = {
    "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
    "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200A", "\u2028",
    "\u2029", "\u202F", "\u205F", "\u3000", "\uFEFF"};

std::size_t space_at_start(ByteView text) {
  if (!text.empty() && is_space(text.front())) return 1;
  for (const auto space : kWideSpaces) {
    if (text.starts_with(space)) return space.size();
  }
  return 0;
}

std::size_t space_at_end(ByteView text) {
  if (!text.empty() && is_space(text.back())) return 1;
  for (const auto space : kWideSpaces) {
    if (text.ends_with(space)) return space.size();
  }
  return 0;
}

ByteView indent_of(ByteView line) {
  auto rest = line;
  for (auto size = space_at_start(rest); size > 0; size = space_at_start(rest)) {
    rest.remove_prefix(size);
  }
  return line.substr(0, line.size() - rest.size());
}

ByteView without_indent(ByteView line) { return line.substr(indent_of(line).size()); }

ByteView core_of(ByteView line) {
  line = without_indent(line);
  for (auto size = space_at_end(line); size > 0; size = space_at_end(line)) {
    line.remove_suffix(size);
  }
  return line;
}

// Characters, not bytes: an indent is counted by eye.
std::size_t width(ByteView indent) {
  return static_cast<std::size_t>(std::ranges::count_if(
      indent, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::vector<ByteView> lines_between(ByteView text) {
  std::vector<ByteView> out;
  for (;;) {
    const auto end = text.find('\n');
    out.push_back(text.substr(0, end));
    if (end == ByteView::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::size_t count_of(ByteView text, ByteView what) {
  std::size_t out = 0;
  for (auto at = text.find(what); at != ByteView::npos && out < kMaxCounted;
       at = text.find(what, at + what.size())) {
    ++out;
  }
  return out;
}

std::size_t line_of(ByteView text, std::size_t offset) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, offset), '\n'));
}

// The new lines, indented as what they replace.
std::string indented(const std::vector<ByteView>& old_lines, ByteView new_text, ByteView indent) {
  std::string out;
  const auto new_lines = lines_between(new_text);
  for (std::size_t i = 0; i < new_lines.size(); ++i) {
    const auto line = new_lines[i];
    if (i == 0) {
      out += indent;
      out += without_indent(line);
      continue;
    }
    out += '\n';
    const auto old_indent = i < old_lines.size() ? indent_of(old_lines[i]) : ByteView();
    const auto new_indent = indent_of(line);
    if (old_indent.empty() || new_indent.empty()) {
      out += line;
      continue;
    }
    out += indent;
    if (width(new_indent) > width(old_indent)) {
      out.append(width(new_indent) - width(old_indent), ' ');
    }
    out += without_indent(line);
  }
  return out;
}

// A text made anew from front to back, with other parts in the place of some.
class Rebuilt final {
 public:
  Rebuilt(ByteView text, std::size_t edit) : text_(text), edit_(edit) {}

  Result<void> replace(std::size_t begin, std::size_t size, ByteView instead) {
    out_ += text_.substr(at_, begin - at_);
    out_ += instead;
    at_ = begin + size;
    return check(out_.size());
  }
  Result<Bytes> finish() && {
    TRY(check(out_.size() + text_.size() - at_));
    out_ += text_.substr(at_);
    return std::move(out_);
  }

 private:
  Result<void> check(std::size_t size) const {
    if (size <= kMaxEditedSize) return {};
    return fail(Code::kFileTooLarge, "edit {} makes the file larger than {} bytes", edit_,
                kMaxEditedSize);
  }

  ByteView text_;
  std::size_t edit_;
  Bytes out_;
  std::size_t at_ = 0;
};

using Match = LooseResult::Match;

// The text as it stands.
Result<std::optional<Match>> replace_text(Bytes& text, const LooseEdit& edit, std::size_t number) {
  const auto& old_text = edit.old_text;
  auto at = text.find(old_text);
  if (at == Bytes::npos) return std::nullopt;
  Match out{
      .count = edit.all ? 0 : count_of(text, old_text), .line = line_of(text, at), .all = edit.all};
  Rebuilt next(text, number);
  do {
    TRY(next.replace(at, old_text.size(), edit.new_text));
    if (edit.all) ++out.count;
    at = text.find(old_text, at + old_text.size());
  } while (edit.all && at != Bytes::npos);
  text = TRY(std::move(next).finish());
  return out;
}

// Whole lines that are the same but for the white space around them.
Result<std::optional<Match>> replace_lines(Bytes& text, const LooseEdit& edit, std::size_t number) {
  const auto old_lines = lines_between(edit.old_text);
  const auto lines = lines_between(text);
  std::vector<ByteView> old_cores;
  for (const auto line : old_lines) old_cores.push_back(core_of(line));
  std::vector<ByteView> cores;
  for (const auto line : lines) cores.push_back(core_of(line));
  Match found{.loose = true, .all = edit.all};
  Rebuilt next(text, number);
  for (std::size_t i = 0; i + old_lines.size() <= lines.size(); ++i) {
    if (!std::equal(old_cores.begin(), old_cores.end(), cores.begin() + static_cast<long>(i))) {
      continue;
    }
    if (++found.count == 1) found.line = i + 1;
    if (found.count > 1 && !edit.all) continue;
    const auto& first = lines[i];
    const auto& last = lines[i + old_lines.size() - 1];
    const auto begin = static_cast<std::size_t>(first.data() - text.data());
    const auto end = static_cast<std::size_t>(last.data() - text.data()) + last.size();
    TRY(next.replace(begin, end - begin, indented(old_lines, edit.new_text, indent_of(first))));
    // What was replaced is not matched again.
    if (edit.all) i += old_lines.size() - 1;
  }
  if (found.count == 0) return std::nullopt;
  text = TRY(std::move(next).finish());
  return found;
}

// Names the text that comes nearest, in the words of exact edits.
Failure no_match(ByteView text, const LooseEdit& edit, std::size_t number) {
  std::string nearest;
  const Replacement exact{edit.old_text, edit.new_text + "\n", false};
  const auto tried = apply_edits(text, std::span(&exact, 1));
  if (!tried && tried.error().code == Code::kEditNoMatch) nearest = tried.error().message;
  return Failure(
      Error(Code::kEditNoMatch, fmt::format("Could not find exact match for edit:\n{}{}{}",
                                            edit.old_text, nearest.empty() ? "" : "\n", nearest))
          .with("edit", static_cast<std::int64_t>(number)));
}

}  // namespace

Bytes without_cr(ByteView text) {
  Bytes out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out += text[i];
  }
  return out;
}

Result<LooseResult> loose_edits(ByteView before, const std::vector<LooseEdit>& edits,
                                Budget& budget) {
  LooseResult out;
  out.text = without_cr(before);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (!budget.in_time()) {
      return fail(Code::kBudgetExceeded, "edit {} of {} was not begun in time; send fewer", i + 1,
                  edits.size());
    }
    const LooseEdit edit{.old_text = without_cr(edits[i].old_text),
                         .new_text = without_cr(edits[i].new_text),
                         .all = edits[i].all};
    if (edit.old_text.empty()) {
      return fail(Code::kInvalidArgument,
                  "edit {} has an empty oldText; write_file gives a file other content", i + 1);
    }
    auto match = TRY(replace_text(out.text, edit, i + 1));
    if (!match) match = TRY(replace_lines(out.text, edit, i + 1));
    if (!match) return no_match(out.text, edits[i], i + 1);
    out.matches.push_back(*match);
  }
  return out;
}

Bytes with_old_ends(ByteView before, ByteView after) {
  if (!before.contains("\r\n")) return Bytes(after);
  const auto plain = without_cr(before);
  const auto original = split_lines(before);
  const auto old_lines = split_lines(plain);
  const auto new_lines = split_lines(after);
  const bool crlf = dominant_line_ending(before) == LineEnding::kCrLf;
  Bytes out;
  for (const auto& step : line_steps(old_lines, new_lines)) {
    if (step.kind == LineStep::Kind::kRemoved) continue;
    if (step.kind == LineStep::Kind::kSame) {
      out += original[step.line];
      continue;
    }
    const auto line = new_lines[step.line];
    if (crlf && line.ends_with('\n')) {
      out += line.substr(0, line.size() - 1);
      out += "\r\n";
    } else {
      out += line;
    }
  }
  return out;
}

}  // namespace cairn::work
