// Scripts of users: Lua 5.4 in a sandbox, run for strangers.
//
// A script is one chunk. It finds its arguments as `args`, what it may reach as
// `contexts.<name>.<operation>{...}`, and gives back what it returns (nothing is null). Of Lua's
// own libraries it has string, table, math and utf8 and the harmless part of the base library;
// `json` encodes and decodes. environment.h says what differs from plain Lua.
//
// JSON in Lua: null is the constant `null`, integers and doubles stay what they are (an integer of
// 2^63 or more becomes a double). A list or object from outside is known as such also when it is
// empty; of the script's own tables array{} makes a list and object{} an object, and one without
// either is a list when its keys are 1..n or it has none, an object when they are strings. Objects
// come out with their keys sorted.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "data/json/json.h"

namespace cairn::script {

inline constexpr std::size_t kMaxSource = 64 << 10;
// How many keys one table of a script may have besides 1..n. Lua takes the square of this many
// steps, and cannot be stopped in between, when somebody chooses keys that collide.
inline constexpr std::size_t kMaxKeys = 32 << 10;

struct Limits {
  std::size_t memory = 16 << 20;           // bytes, of what Lua keeps
  std::int64_t instructions = 50'000'000;  // of Lua, and their like in library functions
  std::chrono::nanoseconds time = std::chrono::seconds(2);
  std::size_t output =
      60'000;               // bytes of JSON: of the result, and of the arguments of one operation
  std::size_t log = 8'000;  // bytes of what print() keeps; the rest is dropped
  // Asked to stop by whoever waits for the outcome.
  std::stop_token stop = {};
};

// The data that a script may reach: the table `contexts.<name>`, a function in it for each
// operation.
struct Handle {
  std::string name;
  std::vector<std::string> operations;
};

// Runs an operation for a script, on the thread that runs the script. Its time counts; it is not
// interrupted. The script can catch what it fails with.
using Host = std::function<Result<json::Value>(std::string_view handle, std::string_view operation,
                                               json::Object arguments)>;

struct Outcome {
  json::Value value;
  std::vector<std::string> log;  // the lines of print()
  std::int64_t steps = 0;        // instructions used, about
};

// Whether the text is a script at all; runs nothing.
//
// Fails with  SCRIPT_ERROR `line 3: …` (detail `line`), SCRIPT_LIMIT.
// Costs       milliseconds; up to half a second for the worst 64 KiB (thousands of `or` in a row).
Result<void> check(std::string_view source);

// Runs a script to its end, its error or its limit. Two runs share nothing; the same arguments and
// answers give the same outcome (math.random too) unless a limit ends it.
//
// Threads     from any number of them.
// Fails with  SCRIPT_ERROR `line 7: …`: the script's own error; details `line`, and `cause` with
// the
//             code when it is that of an operation.
//             SCRIPT_LIMIT: detail `limit` says which: memory, instructions, time, output, keys,
//             stopped (by the token). Nothing in the script can catch it.
//             INVALID_ARGUMENT: two handles or operations of one name.
//             INTERNAL: the host threw.
//             All of a script that began have the detail `log` when it printed.
// Costs       a tenth of a millisecond and 30 KiB for an empty script. It may overrun its time by
//             half a second of the processor: one step of Lua is not interrupted.
Result<Outcome> run(std::string_view source, const json::Value& arguments,
                    std::span<const Handle> handles, const Host& host, const Clock& clock,
                    const Limits& limits = {});

}  // namespace cairn::script
