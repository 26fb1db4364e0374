#include "exposure/cli/output.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>

#include <unistd.h>

#include "base/os/os_error.h"
#include "base/quote.h"
#include "base/show.h"

namespace cairn::cli {
namespace {

bool colour_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  return term == nullptr || std::string_view(term) != "dumb";
}

// A byte that no text has, and a letter for the style: what somebody else wrote of that kind is a
// colour at most.
constexpr char kMark = '\xFF';
constexpr char kEnd = '0';

char letter(Style style) { return static_cast<char>('a' + static_cast<int>(style)); }

std::string_view escape(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kBold:
      return "\x1b[1m";
    case Style::kDim:
      return "\x1b[2m";
    case Style::kRed:
      return "\x1b[31m";
    case Style::kGreen:
      return "\x1b[32m";
    case Style::kYellow:
      return "\x1b[33m";
    case Style::kBlue:
      return "\x1b[34m";
    case Style::kCyan:
      return "\x1b[36m";
  }
  return "";
}

// Marks as the terminal understands them.
std::string coloured(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto mark = text.find(kMark);
    out += text.substr(0, mark);
    if (mark == std::string_view::npos || mark + 1 == text.size()) break;
    const char which = text[mark + 1];
    if (which == kEnd) out += "\x1b[0m";
    if (which >= 'a' && which <= letter(Style::kCyan)) out += escape(Style(which - 'a'));
    text.remove_prefix(mark + 2);
  }
  return out;
}

// Characters, which is what most of them take in columns.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

// 0, or why not.
int write_all(ByteView bytes) {
  const auto written = os::write_all(STDOUT_FILENO, bytes);
  return written ? 0 : written.error();
}

Style line_style(std::string_view line) {
  if (line.starts_with("---") || line.starts_with("+++")) return Style::kBold;
  if (line.starts_with("@@")) return Style::kCyan;
  if (line.starts_with('+')) return Style::kGreen;
  return line.starts_with('-') ? Style::kRed : Style::kPlain;
}

}  // namespace

Output::Output() : terminal_(::isatty(STDOUT_FILENO) == 1), colour_(terminal_ && colour_wanted()) {}

void Output::print_json(const json::Value& value) {
  auto text = shown_json(json::write_pretty(value));
  while (text.ends_with('\n')) text.pop_back();
  print("{}\n", text);
}

void Output::print_with(fmt::string_view format, fmt::format_args args) {
  if (terminal_) {
    buffer_ += coloured(shown_lines(fmt::vformat(format, args)));
  } else {
    fmt::vformat_to(std::back_inserter(buffer_), format, args);
  }
  if (buffer_.size() >= kBufferBytes) send();
}

void Output::send() {
  if (failed_ == 0) failed_ = write_all(buffer_);
  buffer_.clear();
}

Result<void> Output::flush() {
  send();
  if (failed_ == 0) return {};
  return fail(Code::kIoError, "cannot write to standard output: {}", os::description(failed_));
}

Result<void> Output::write(ByteView bytes) {
  TRY(flush());
  failed_ = write_all(bytes);
  return flush();
}

bool Output::abandoned() const { return failed_ == EPIPE; }

client::More Output::shown() {
  if (terminal_) send();
  return failed_ == 0 ? client::More::kYes : client::More::kNo;
}

std::string Output::paint(Style style, std::string_view text) const {
  if (!colour_ || style == Style::kPlain) return std::string(text);
  return fmt::format("{}{}{}{}{}", kMark, letter(style), text, kMark, kEnd);
}

std::string Output::safe(std::string_view text) const {
  return terminal_ ? shown_lines(text) : std::string(text);
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> out;
  for (const auto& column : columns_) out.push_back(width_of(column.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) out[i] = std::max(out[i], width_of(row[i].text));
  }
  return out;
}

std::string Table::line(const Output& out, const std::vector<Cell>& row,
                        const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string fill(widths[i] - width_of(row[i].text), ' ');
    const bool right = columns_[i].align == Align::kRight;
    if (i > 0) text += "  ";
    if (right) text += fill;
    text += out.paint(row[i].style, row[i].text);
    if (!right && i + 1 < row.size()) text += fill;
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

void Table::print(Output& out) const {
  const auto wide = widths();
  if (std::ranges::any_of(columns_, [](const Column& column) { return !column.title.empty(); })) {
    std::vector<Cell> titles;
    for (const auto& column : columns_) titles.emplace_back(column.title, Style::kDim);
    out.print("{}\n", line(out, titles, wide));
  }
  for (const auto& row : rows_) out.print("{}\n", line(out, row, wide));
}

void print_unified(Output& out, std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    out.print("{}\n", out.paint(line_style(line), out.safe(line)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

void note(std::string_view text) { fmt::print(stderr, "cairn: {}\n", shown_lines(text)); }

}  // namespace cairn::cli
