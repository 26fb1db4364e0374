#include "tools/scripts/meter.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace cairn::script {
namespace {

constexpr int kMaxPeriod = 200;
constexpr std::int64_t kStepsPerLook = 256;
constexpr std::size_t kBytesPerLook = 1 << 20;

// The most that one instruction may do: compare strings, at up to ten nanoseconds a byte; look in
// 2000 tables for one key, of which each may have all its keys in one chain; walk over an empty
// array.
constexpr std::size_t kStringBytesPerHook = 4'000'000;
constexpr std::size_t kHashBytesPerHook = 2'000'000;
constexpr std::size_t kOtherBytesPerHook = 16'000'000;

// A slot of the hash part of a table, in Lua 5.4 on a machine of 64 bits.
constexpr std::size_t kSlot = 24;

std::chrono::nanoseconds after(std::chrono::nanoseconds now, std::chrono::nanoseconds time) {
  constexpr auto kMax = std::chrono::nanoseconds::max();
  return time > kMax - now ? kMax : now + time;
}

// Lua doubles the hash part of a table: a new block, without a tag, for a power of two of slots.
bool is_hash(const void* block, std::size_t tag, std::size_t size) {
  return block == nullptr && tag == 0 && size % kSlot == 0 && std::has_single_bit(size / kSlot);
}

}  // namespace

struct alignas(std::max_align_t) Meter::Block {
  Block* previous;
  Block* next;
};

Meter::Meter(const Clock& clock, const Limits& limits)
    : clock_(clock),
      max_memory_(limits.memory),
      max_steps_(limits.instructions),
      deadline_(after(clock.monotonic(), limits.time)),
      token_(limits.stop),
      until_clock_(kBytesPerLook),
      until_look_(kStepsPerLook) {}

Meter::~Meter() {
  while (blocks_ != nullptr) std::free(std::exchange(blocks_, blocks_->next));
}

void* Meter::allocate(void* self, void* block, std::size_t old_size, std::size_t size) noexcept {
  auto& meter = *static_cast<Meter*>(self);
  const auto had = block == nullptr ? 0 : old_size;
  if (size == 0) {
    meter.release(block, had);
    return nullptr;
  }
  // For a new block the old size says what it is for.
  const auto tag = block == nullptr ? old_size : 0;
  if (size > had && !meter.grants(block, tag, had, size)) return nullptr;
  auto* const resized = meter.resize(block, had, size);
  if (resized != nullptr) return resized;
  if (size <= had) return block;  // Lua counts on a block that shrinks
  meter.stop(Stop::kMemory);
  return nullptr;
}

bool Meter::grants(const void* block, std::size_t tag, std::size_t had, std::size_t size) noexcept {
  if (stop_ != Stop::kNone) return false;
  const bool hash = is_hash(block, tag, size);
  if (hash && size / kSlot > kMaxKeys) {
    stop(Stop::kKeys);
    return false;
  }
  if (!within_memory(block, had, size)) return false;
  expect(size, hash                 ? kHashBytesPerHook
               : tag == LUA_TSTRING ? kStringBytesPerHook
                                    : kOtherBytesPerHook);
  if (size < until_clock_) {
    until_clock_ -= size;
    return true;
  }
  until_clock_ = kBytesPerLook;
  return look();
}

// Lua collects its garbage when it is refused, and asks again. Whatever does not fit then ends the
// run; so does what it does not ask for again (see look).
bool Meter::within_memory(const void* block, std::size_t had, std::size_t size) noexcept {
  const auto more = size - had + (block == nullptr ? sizeof(Block) : 0);
  if (more <= max_memory_ && used_ <= max_memory_ - more) {
    if (refused_size_ == size) refused_size_ = 0;
    return true;
  }
  if (refused_size_ == size) {
    stop(Stop::kMemory);
  } else {
    refused_size_ = size;
    // Each refusal costs a collection of everything: the clock is looked at after each.
    hook_every(1);
  }
  return false;
}

void Meter::expect(std::size_t size, std::size_t bytes_per_hook) noexcept {
  const auto period = std::clamp<std::size_t>(bytes_per_hook / size, 1, kMaxPeriod);
  if (static_cast<int>(period) < period_) hook_every(static_cast<int>(period));
}

void* Meter::resize(void* block, std::size_t had, std::size_t size) noexcept {
  auto* const old = block == nullptr ? nullptr : static_cast<Block*>(block) - 1;
  auto* const now = static_cast<Block*>(std::realloc(old, size + sizeof(Block)));
  if (now == nullptr) return nullptr;
  if (old == nullptr) {
    now->previous = nullptr;
    now->next = blocks_;
    used_ += sizeof(Block);
  }
  if (now->next != nullptr) now->next->previous = now;
  (now->previous == nullptr ? blocks_ : now->previous->next) = now;
  used_ = used_ - had + size;
  return now + 1;
}

void Meter::release(void* block, std::size_t size) noexcept {
  if (block == nullptr) return;
  auto* const old = static_cast<Block*>(block) - 1;
  if (old->next != nullptr) old->next->previous = old->previous;
  (old->previous == nullptr ? blocks_ : old->previous->next) = old->next;
  used_ -= size + sizeof(Block);
  std::free(old);
}

void Meter::watch(lua_State* state, lua_Hook hook) noexcept {
  state_ = state;
  hook_ = hook;
  hook_every(kMaxPeriod);
}

void Meter::hook_every(int instructions) noexcept {
  period_ = instructions;
  if (state_ != nullptr) lua_sethook(state_, hook_, LUA_MASKCOUNT, instructions);
}

bool Meter::tick() noexcept {
  steps_ += period_;
  return look();
}

bool Meter::charge(std::int64_t steps) noexcept {
  steps_ += steps;
  until_look_ -= steps;
  return (until_look_ > 0 && stop_ == Stop::kNone) || look();
}

bool Meter::look() noexcept {
  until_look_ = kStepsPerLook;
  if (stop_ != Stop::kNone) return false;
  if (refused_size_ != 0) {
    stop(Stop::kMemory);
  } else if (steps_ > max_steps_) {
    stop(Stop::kInstructions);
  } else if (clock_.monotonic() >= deadline_) {
    stop(Stop::kTime);
  } else if (token_.stop_requested()) {
    stop(Stop::kAsked);
  }
  return stop_ == Stop::kNone;
}

void Meter::stop(Stop why) noexcept {
  if (stop_ != Stop::kNone) return;
  stop_ = why;
  if (state_ == nullptr) return;
  line_ = current_line(state_);
  hook_every(1);
}

int current_line(lua_State* state) noexcept {
  lua_Debug frame{};
  for (int level = 0; lua_getstack(state, level, &frame) != 0; ++level) {
    lua_getinfo(state, "l", &frame);
    if (frame.currentline > 0) return frame.currentline;
  }
  return 0;
}

}  // namespace cairn::script
