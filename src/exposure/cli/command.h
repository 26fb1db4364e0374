// Command and Option: what a command takes from the command line, told without the parser (CLI11).
// Its header costs more than most commands to compile, so only commands.cc includes it.
//
// Both are handles, freely copied; they and the variables that values go to belong to one Commands
// and are used while it lives.
//
// Threads     one at a time: the main thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cairn::cli {

template <typename... T>
using OneReferenceOf = std::variant<std::reference_wrapper<T>...>;

// Where a value goes. The variable stays as it is when nothing is given.
using Variable = OneReferenceOf<std::string, std::optional<std::string>, std::vector<std::string>,
                                int, std::int64_t, std::size_t, double>;

// An option, or an argument. What is said of it gives it back, to say more.
class Option final {
 public:
  // The heading of --help that it stands under.
  Option group(std::string_view heading) const;
  Option required(bool needed = true) const;
  // One value each time, and any number of times. For a list.
  Option repeated() const;

  // Which values are taken; the parser refuses others.
  Option one_of(std::initializer_list<std::string_view> values) const;
  Option range(int least, int most) const;
  Option positive() const;
  Option non_negative() const;

  // Whether the command line has it. REQUIRES: it is parsed.
  bool given() const;

 private:
  friend class Command;
  explicit Option(void* option) : option_(option) {}

  void* option_;  // the parser's
};

class Command final {
 public:
  // `-n,--limit N`: `names`, and in --help `kind` for the value.
  Option add_value(std::string_view names, Variable value, std::string_view kind,
                   std::string_view description) const;
  // `--root`, alone or with values behind it.
  Option add_values(std::string_view names, std::vector<std::string>& values, std::string_view kind,
                    std::string_view description) const;
  // An argument, known by its place. Required, until something else is said.
  Option add_argument(std::string_view name, Variable value, std::string_view description) const;
  Option add_flag(std::string_view names, bool& value, std::string_view description) const;

 private:
  friend class Commands;
  explicit Command(void* command) : command_(command) {}

  void* command_;  // the parser's
};

}  // namespace cairn::cli
