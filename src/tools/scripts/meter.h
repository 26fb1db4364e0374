// The use that a run has made of its limits: Lua's memory, instructions, time. Private to the
// sandbox.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <lua.hpp>

#include "tools/scripts/script.h"

namespace cairn::script {

// Why a run must end.
enum class Stop {
  kNone,
  kMemory,
  kInstructions,
  kTime,
  kKeys,
  kAsked,     // by the token
  kInternal,  // a fault of the server's
};

// The memory of one Lua state and the count of what it did.
//
// Lua looks at the clock nowhere, and one instruction of it may compare megabytes. So the meter is
// asked in three places: Lua's count hook comes the more often the larger the blocks are that an
// instruction may meet; the allocator looks every megabyte; library functions charge what they do.
//
// Invariants  once stopped it stays so and grants no memory.
//             frees all blocks when it ends: a state in it is never closed, only forgotten.
// Threads     one at a time.
class Meter final {
 public:
  Meter(const Clock& clock, const Limits& limits);
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  ~Meter();

  // A lua_Alloc.
  static void* allocate(void* meter, void* block, std::size_t old_size, std::size_t size) noexcept;

  // Sets the count hook of the state, and keeps it as often as is needed.
  void watch(lua_State* state, lua_Hook hook) noexcept;
  // For the hook: charges what passed since it came last. False: end the run.
  bool tick() noexcept;
  // Of a library function, before it does so much. A step is about one instruction of Lua, ten
  // nanoseconds. False: end the run.
  bool charge(std::int64_t steps) noexcept;
  // Whether it may go on, by all limits and now.
  bool look() noexcept;

  void stop(Stop why) noexcept;
  Stop stopped() const { return stop_; }
  // The line of the script that was running then; 0 if none.
  int line() const { return line_; }
  std::int64_t steps() const { return steps_; }
  std::size_t memory() const { return used_; }

 private:
  struct Block;

  bool grants(const void* block, std::size_t tag, std::size_t had, std::size_t size) noexcept;
  bool within_memory(const void* block, std::size_t had, std::size_t size) noexcept;
  // That instructions will meet a block of this size.
  void expect(std::size_t size, std::size_t bytes_per_hook) noexcept;
  void hook_every(int instructions) noexcept;
  void release(void* block, std::size_t size) noexcept;
  void* resize(void* block, std::size_t had, std::size_t size) noexcept;

  const Clock& clock_;
  const std::size_t max_memory_;
  const std::int64_t max_steps_;
  const std::chrono::nanoseconds deadline_;
  const std::stop_token token_;

  lua_State* state_ = nullptr;
  lua_Hook hook_ = nullptr;
  int period_ = 0;  // instructions between two calls of the hook

  Block* blocks_ = nullptr;
  std::size_t used_ = 0;
  std::size_t until_clock_;       // bytes to allocate before the next look
  std::size_t refused_size_ = 0;  // the block that was refused and not granted since
  std::int64_t steps_ = 0;
  std::int64_t until_look_;
  Stop stop_ = Stop::kNone;
  int line_ = 0;
};

// The line of the script that runs; 0 if none. Neither allocates nor raises.
int current_line(lua_State* state) noexcept;

}  // namespace cairn::script
