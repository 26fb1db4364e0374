#include "exposure/http/in_flight.h"

#include <algorithm>

namespace cairn::http {
namespace {

// Less is not worth the walk through the heap.
constexpr std::size_t kBurst = std::size_t{32} << 20;

Failure too_much(std::string_view what, std::size_t most) {
  return Failure(Error(Code::kRateLimited,
                       fmt::format("{} {} bytes of requests and answers on their way; read the "
                                   "answers, and try again",
                                   what, most))
                     .with("retryAfterMs", std::int64_t{1000}));
}

}  // namespace

Result<void> InFlight::check(State& state, std::string_view whose, std::size_t more) const {
  const auto found = state.of.find(whose);
  const std::size_t own = found == state.of.end() ? 0 : found->second;
  if (own + more > limits_.each) return too_much("you have", limits_.each);
  if (state.all + more > limits_.all) return too_much("the server has", limits_.all);
  return {};
}

void InFlight::add(const std::string& whose, std::size_t bytes) {
  auto state = state_.lock();
  state->of[whose] += bytes;
  state->all += bytes;
  state->peak = std::max(state->peak, state->all);
}

Result<void> InFlight::check_room(std::string_view whose) {
  auto state = state_.lock();
  return check(*state, whose, 0);
}

bool InFlight::burst_is_over() {
  auto state = state_.lock();
  if (state->peak < kBurst || state->all > state->peak / 8) return false;
  state->peak = state->all;
  return true;
}

Result<void> InFlight::Hold::grow(std::size_t bytes) {
  {
    auto state = of_.state_.lock();
    TRY(of_.check(*state, whose_, bytes));
  }
  count(bytes);
  return {};
}

void InFlight::Hold::count(std::size_t bytes) {
  if (bytes == 0) return;
  of_.add(whose_, bytes);
  bytes_ += bytes;
}

void InFlight::Hold::give_back() {
  if (bytes_ == 0) return;
  auto state = of_.state_.lock();
  const auto found = state->of.find(whose_);
  found->second -= bytes_;
  if (found->second == 0) state->of.erase(found);
  state->all -= bytes_;
  bytes_ = 0;
}

}  // namespace cairn::http
