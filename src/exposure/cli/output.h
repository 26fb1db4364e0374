// The output of commands: results on standard output, notes and progress on standard error.
//
// Nothing that is printed is a command to a terminal, whoever wrote it: there control characters
// become visible, and so they are in JSON and on standard error everywhere. Colours are marks until
// then (paint). Only write() passes bytes as they are.
//
// Threads     one at a time: the thread of the command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/result.h"
#include "data/json/json.h"
#include "exposure/client/client.h"
#include "exposure/client/human.h"

namespace cairn::cli {

enum class Style { kPlain, kBold, kDim, kRed, kGreen, kYellow, kBlue, kCyan };

// Standard output, buffered. A failed write is remembered and reported by flush().
class Output final {
 public:
  Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  bool is_terminal() const { return terminal_; }
  void allow_colour(bool allowed) { colour_ = colour_ && allowed; }

  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    print_with(format, fmt::make_format_args(args...));
  }
  // One document, for programs.
  void print_json(const json::Value& value);
  // Bytes as they are. Fails when they cannot be written.
  Result<void> write(ByteView bytes);
  Result<void> flush();
  // Whoever read it has gone: not worth a message.
  bool abandoned() const;
  // For rows that come one by one: people see each at once. kNo when nobody reads any more.
  client::More shown();

  std::string paint(Style style, std::string_view text) const;
  // Text from outside, for widths: on a terminal it is shown so in any case. Tabs and line ends
  // stay.
  std::string safe(std::string_view text) const;

 private:
  static constexpr std::size_t kBufferBytes = 64 * 1024;
  void print_with(fmt::string_view format, fmt::format_args args);
  void send();

  bool terminal_;
  bool colour_;
  std::string buffer_;
  int failed_ = 0;  // errno
};

// Rows whose columns stand under each other.
class Table final {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };
  struct Cell {
    Cell(std::string t, Style s = Style::kPlain) : text(std::move(t)), style(s) {}
    std::string text;
    Style style;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  // With the titles above when any column has one.
  void print(Output& out) const;

 private:
  std::vector<std::size_t> widths() const;
  std::string line(const Output& out, const std::vector<Cell>& row,
                   const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// A unified diff, in colours.
void print_unified(Output& out, std::string_view text);

using client::counted;
using client::human_size;
using client::human_time;

// A line on standard error, for whoever watches.
void note(std::string_view text);

}  // namespace cairn::cli
