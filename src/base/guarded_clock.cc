#include "base/guarded_clock.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace cairn {
namespace {

// To the nearest: the two clocks are not read at the same instant, and a year less a millisecond is
// a year.
std::string span(Millis length) {
  constexpr Millis kMinute = 60'000, kHour = 60 * kMinute, kDay = 24 * kHour;
  const auto nearest = [&](Millis unit) { return (length + unit / 2) / unit; };
  if (nearest(kDay) >= 2) return fmt::format("{} days", nearest(kDay));
  if (nearest(kHour) >= 2) return fmt::format("{} hours", nearest(kHour));
  return fmt::format("{} minutes", nearest(kMinute));
}

}  // namespace

GuardedClock::GuardedClock(const Clock& machine, Tell tell)
    : machine_(machine), tell_(std::move(tell)) {
  auto state = state_.lock();
  state->time = machine_.now();
  state->pace = machine_.monotonic();
}

template <typename T>
T GuardedClock::seen(T (*what)(const State& state)) const {
  auto state = state_.lock();
  advance(*state);
  T out = what(*state);
  const auto to_tell = std::exchange(state->to_tell, {});
  state.unlock();
  for (const auto& text : to_tell) {
    if (tell_) tell_(text);
  }
  return out;
}

void GuardedClock::remember(const Memory& memory) {
  {
    auto state = state_.lock();
    const auto machine = machine_.now();
    state->pace = machine_.monotonic();
    state->time = std::max(machine, memory.seen);
    state->ahead_since.reset();
    // Still on trial, or a new jump.
    if (memory.since != 0) {
      state->behind = std::min(memory.settled, state->time);
      state->since = memory.since;
    }
    if (machine - memory.seen > kRest.count()) {
      state->to_tell.push_back(
          fmt::format("the machine's clock is {} ahead of what was seen last; nothing is removed "
                      "for its age until a day has passed",
                      span(machine - memory.seen)));
      if (!state->behind) state->behind = memory.seen;
      state->since = state->time;
    }
  }
  now();  // tells
}

GuardedClock::Memory GuardedClock::memory() const {
  return seen<Memory>([](const State& state) {
    return Memory{.seen = state.time,
                  .settled = state.behind.value_or(state.time),
                  .since = state.behind ? state.since : 0};
  });
}

Millis GuardedClock::now() const {
  return seen<Millis>([](const State& state) { return state.time; });
}

Millis GuardedClock::Settled::now() const {
  return owner_.seen<Millis>(
      [](const State& state) { return std::min(state.time, state.behind.value_or(state.time)); });
}

void GuardedClock::advance(State& state) const {
  const auto machine = machine_.now();
  const auto passed =
      std::max<Millis>(0, (machine_.monotonic() - state.pace) / std::chrono::milliseconds(1));
  const auto own = state.time + passed;
  // Whole milliseconds only: what is left over counts the next time.
  state.pace += std::chrono::milliseconds(passed);
  if (state.behind) state.behind = *state.behind + passed;

  if (machine > own + kSlack.count()) {
    if (!state.ahead_since) {
      state.ahead_since = own;
      state.to_tell.push_back(fmt::format(
          "the machine's clock was set {} ahead; time goes on as before until the new one has "
          "stood for a day",
          span(machine - own)));
    }
    const bool stood = own - *state.ahead_since >= kTrial.count();
    state.time = stood ? machine : own;
    if (stood) state.ahead_since.reset();
  } else {
    if (std::exchange(state.ahead_since, std::nullopt)) {
      state.to_tell.emplace_back("the machine's clock was set right again");
    }
    const bool back = machine + kSlack.count() < own;
    if (back != std::exchange(state.back, back)) {
      state.to_tell.push_back(
          back ? fmt::format("the machine's clock is {} behind what was seen last; time goes on "
                             "from there until it has caught up",
                             span(own - machine))
               : "the machine's clock has caught up");
    }
    // Small differences are the machine's to put right, but for going back.
    state.time = std::max(state.time, back ? own : machine);
  }
  if (state.behind && state.time - state.since >= kTrial.count()) state.behind.reset();
}

}  // namespace cairn
