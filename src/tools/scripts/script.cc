#include "tools/scripts/script.h"

#include <algorithm>
#include <charconv>

#include "base/explain.h"
#include "base/quote.h"
#include "tools/scripts/environment.h"
#include "tools/scripts/libraries.h"
#include "tools/scripts/run.h"
#include "tools/scripts/values.h"

namespace cairn::script {
namespace {

constexpr const char* kChunk = "=script";
constexpr std::string_view kChunkPrefix = "script:";
constexpr std::size_t kMaxMessage = 1000;
constexpr int kLeft = -1;  // beside the states that lua_pcall gives

void on_count(lua_State* lua, lua_Debug*) {
  if (!Run::of(lua).meter.tick()) leave(lua);
}

// Nothing runs outside of lua_pcall; if it did, this would end the run and not the server.
int on_panic(lua_State* lua) {
  Run::of(lua).meter.stop(Stop::kInternal);
  leave(lua);
}

int note_line(lua_State* lua) {
  Run::of(lua).line = current_line(lua);
  return 1;
}

void load(lua_State* lua) {
  const auto source = Run::of(lua).source;
  if (luaL_loadbufferx(lua, source.data(), source.size(), kChunk, "t") != LUA_OK) lua_error(lua);
}

void keep_result(lua_State* lua) noexcept {
  auto& run = Run::of(lua);
  try {
    auto result = to_json(lua, -1, "result", run.limits.output);
    if (result) {
      run.result = std::move(*result);
    } else {
      run.result_error = std::move(result.error());
    }
  } catch (...) {
    run.meter.stop(Stop::kInternal);
  }
}

int load_only(lua_State* lua) {
  load(lua);
  return 0;
}

int load_and_call(lua_State* lua) {
  open_environment(lua);
  load(lua);
  push_value(lua, *Run::of(lua).arguments);
  lua_setglobal(lua, "args");
  lua_call(lua, 0, 1);
  keep_result(lua);
  return 0;
}

void push_raw(lua_State* lua, const char* field) {
  lua_pushstring(lua, field);
  lua_rawget(lua, 1);
}

// Of an uncaught error: its text, and for that of an operation its code and its line.
int describe(lua_State* lua) {
  if (is_failure(lua, 1)) {
    push_raw(lua, "code");
    push_raw(lua, "line");
    lua_getfield(lua, 1, "code");
    lua_pushliteral(lua, ": ");
    push_raw(lua, "message");
    lua_concat(lua, 3);
    lua_insert(lua, -3);
    return 3;
  }
  if (lua_isstring(lua, 1) != 0 || luaL_getmetafield(lua, 1, "__tostring") != LUA_TNIL) {
    return push_as_text(lua, 1);
  }
  lua_pushfstring(lua, "the script raised a %s value; give error() a text", luaL_typename(lua, 1));
  return 1;
}

// Calls what is at the top, with so many arguments; kLeft when a limit ended it.
int call(Run& run, lua_State* lua, int arguments, int results, int handler) {
  if (setjmp(run.exit) != 0) return kLeft;
  return lua_pcall(lua, arguments, results, handler);
}

std::string in_words(std::chrono::nanoseconds time) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  return ms % 1000 == 0 ? fmt::format("{} s", ms / 1000) : fmt::format("{} ms", ms);
}

std::string in_bytes(std::size_t bytes) {
  return bytes % (1 << 20) == 0 ? fmt::format("{} MiB", bytes >> 20)
                                : fmt::format("{} bytes", bytes);
}

Error limit_error(std::string_view limit, std::string message) {
  return Error(Code::kScriptLimit, std::move(message)).with("limit", std::string(limit));
}

Error output_error(const Limits& limits) {
  return limit_error("output", fmt::format("the result takes more than {} bytes of JSON; return "
                                           "less, or a part at a time",
                                           limits.output));
}

Error why_stopped(Stop why, const Limits& limits) {
  switch (why) {
    case Stop::kMemory:
      return limit_error("memory",
                         fmt::format("the script needs more than {} of memory; keep less at once",
                                     in_bytes(limits.memory)));
    case Stop::kInstructions:
      return limit_error("instructions",
                         fmt::format("the script was stopped after {} instructions; do less in "
                                     "one run",
                                     limits.instructions));
    case Stop::kTime:
      return limit_error("time", fmt::format("the script was stopped after {}; do less in one run",
                                             in_words(limits.time)));
    case Stop::kKeys:
      return limit_error("keys",
                         fmt::format("a table of the script has more than {} keys besides 1, 2, "
                                     "3, …; use several",
                                     kMaxKeys));
    case Stop::kAsked:
      return limit_error("stopped", "the script was stopped: nobody waits for it any more");
    case Stop::kNone:
    case Stop::kInternal:
      break;
  }
  return Error(Code::kInternal, "the script could not be run: a fault of the server");
}

// `script:7: text` as 7 and `text`.
std::int64_t take_line(std::string_view& text) {
  if (!text.starts_with(kChunkPrefix)) return 0;
  const auto digits = text.substr(kChunkPrefix.size());
  std::int64_t line = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  const auto rest = digits.substr(static_cast<std::size_t>(read.ptr - digits.data()));
  if (read.ec != std::errc() || line <= 0 || !rest.starts_with(": ")) return 0;
  text = rest.substr(2);
  return line;
}

Error at_line(Error error, std::int64_t line) {
  if (line <= 0) return error;
  return explained(std::move(error), fmt::format("line {}", line)).with("line", line);
}

std::string one_line(std::string_view text) {
  std::string out(text.substr(0, kMaxMessage + 4));
  std::ranges::replace_if(out, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  return shown(out, kMaxMessage);
}

// Of the error value at the top.
Error script_error(Run& run, lua_State* lua) {
  const auto line = run.line;
  lua_pushcfunction(lua, describe);
  lua_insert(lua, -2);
  const int state = call(run, lua, 1, 3, 0);
  if (run.meter.stopped() != Stop::kNone) {
    return at_line(why_stopped(run.meter.stopped(), run.limits), run.meter.line());
  }
  if (state != LUA_OK) {
    return at_line(Error(Code::kScriptError, "the script's error cannot be shown as text"), line);
  }
  auto text = text_at(lua, -3);
  const auto told = std::max(take_line(text), std::int64_t{lua_tointegerx(lua, -1, nullptr)});
  auto error = at_line(Error(Code::kScriptError, one_line(text)), told > 0 ? told : line);
  if (lua_type(lua, -2) != LUA_TSTRING) return error;
  return std::move(error).with("cause", one_line(text_at(lua, -2)));
}

// In a new state: the function, to its end. What it made is in the Run.
Result<void> perform(Run& run, lua_CFunction function) {
  auto* const lua = lua_newstate(Meter::allocate, &run.meter);
  if (lua == nullptr) return Failure(why_stopped(Stop::kMemory, run.limits));
  *static_cast<Run**>(lua_getextraspace(lua)) = &run;
  lua_atpanic(lua, on_panic);
  run.meter.watch(lua, on_count);
  lua_pushcfunction(lua, note_line);
  lua_pushcfunction(lua, function);
  const int state = call(run, lua, 0, 0, 1);
  if (state == LUA_ERRMEM) run.meter.stop(Stop::kMemory);
  if (const auto why = run.meter.stopped(); why != Stop::kNone) {
    return Failure(at_line(why_stopped(why, run.limits), run.meter.line()));
  }
  if (state != LUA_OK) return Failure(script_error(run, lua));
  if (!run.result_error) return {};
  return Failure(run.result_error->code == Code::kScriptLimit ? output_error(run.limits)
                                                              : std::move(*run.result_error));
}

Result<void> check_source(std::string_view source) {
  if (source.size() > kMaxSource) {
    return fail(Code::kScriptError, "the script has {} bytes; at most {} are allowed",
                source.size(), kMaxSource);
  }
  if (source.starts_with(LUA_SIGNATURE[0])) {
    return fail(Code::kScriptError, "the script is compiled Lua; give its source");
  }
  return {};
}

Result<void> check_names(std::string_view what, std::vector<std::string_view> names) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) {
    return fail(Code::kInvalidArgument, "there are two {} '{}'", what, shown(*twice));
  }
  for (const auto name : names) {
    if (name.empty() || name.find('\0') != name.npos) {
      return fail(Code::kInvalidArgument, "'{}' is not a name for one of the {}", shown(name),
                  what);
    }
  }
  return {};
}

Result<void> check_handles(std::span<const Handle> handles) {
  std::vector<std::string_view> names;
  for (const auto& handle : handles) {
    names.push_back(handle.name);
    TRY(check_names("operations", {handle.operations.begin(), handle.operations.end()}));
  }
  return check_names("contexts", std::move(names));
}

}  // namespace

void leave(lua_State* lua) noexcept { std::longjmp(Run::of(lua).exit, 1); }

void Log::add(std::string_view text) {
  while (!full_) {
    std::string line(text.substr(0, std::min(text.find('\n'), left_ + 1)));
    full_ = line.size() >= left_;
    std::ranges::replace(line, '\t', ' ');
    lines_.push_back(full_ ? shown(line, left_) : shown(line, left_ + line.size() * 3));
    if (full_) {
      lines_.emplace_back("… (more was printed than is kept)");
      return;
    }
    left_ -= line.size() + 1;
    if (line.size() == text.size()) return;
    text.remove_prefix(line.size() + 1);
  }
}

Result<void> check(std::string_view source) {
  TRY(check_source(source));
  const SystemClock clock;
  const Limits limits;
  Run run(clock, limits);
  run.source = source;
  return perform(run, load_only);
}

Result<Outcome> run(std::string_view source, const json::Value& arguments,
                    std::span<const Handle> handles, const Host& host, const Clock& clock,
                    const Limits& limits) {
  TRY(check_source(source));
  TRY(check_handles(handles));
  Run run(clock, limits);
  run.source = source;
  run.arguments = &arguments;
  run.handles = handles;
  run.host = &host;
  auto done = perform(run, load_and_call);
  auto log = run.log.take();
  if (done) return Outcome{std::move(run.result), std::move(log), run.meter.steps()};
  if (log.empty()) return Failure(std::move(done.error()));
  return Failure(std::move(done.error()).with("log", std::move(log)));
}

}  // namespace cairn::script
