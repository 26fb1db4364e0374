// One run of a script, as the functions that Lua calls find it. Private to the sandbox.
//
// Lua leaves functions with longjmp, and so does a run that is over a limit. No frame that calls
// Lua may hold anything with a destructor, unless every call in it is one that cannot raise. What
// C++ makes for Lua is kept in the Run, and C++ that may throw runs in functions that are noexcept.
//
// Threads     one at a time: the thread that runs the script.
#pragma once

#include <csetjmp>
#include <optional>
#include <span>
#include <string>

#include "tools/scripts/meter.h"
#include "tools/scripts/script.h"

namespace cairn::script {

// The lines of print().
class Log final {
 public:
  explicit Log(std::size_t max_bytes) : left_(max_bytes) {}

  // As lines that can be shown.
  void add(std::string_view text);
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
  std::size_t left_;
  bool full_ = false;
};

struct Run {
  Run(const Clock& clock, const Limits& max) : limits(max), meter(clock, max), log(max.log) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  static Run& of(lua_State* lua) { return **static_cast<Run**>(lua_getextraspace(lua)); }

  std::string_view source{};
  const json::Value* arguments = nullptr;
  std::span<const Handle> handles{};
  const Host* host = nullptr;
  const Limits& limits;

  Meter meter;
  Log log;
  std::jmp_buf exit;
  std::int64_t line = 0;  // where the uncaught error was raised

  // On their way between C++ and Lua.
  json::Value value;
  std::string text;
  std::optional<Error> error;

  json::Value result;
  std::optional<Error> result_error;
};

// Ends the run from within any function that Lua called.
[[noreturn]] void leave(lua_State* lua) noexcept;

// Charges the meter, and ends the run when it says no.
inline void charge(lua_State* lua, std::int64_t steps) {
  if (!Run::of(lua).meter.charge(steps)) leave(lua);
}

inline std::string_view text_at(lua_State* lua, int index) {
  std::size_t size = 0;
  const auto* const text = lua_tolstring(lua, index, &size);
  return {text, size};
}

inline void push_text(lua_State* lua, std::string_view text) {
  lua_pushlstring(lua, text.data(), text.size());
}

}  // namespace cairn::script
