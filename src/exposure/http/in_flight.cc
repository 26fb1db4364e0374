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

using Sums = std::map<std::string, std::size_t>;

std::size_t bytes_of(const Sums& sums, const std::string& key) {
  const auto found = sums.find(key);
  return found == sums.end() ? 0 : found->second;
}

void take_from(Sums& sums, const std::string& key, std::size_t bytes) {
  const auto found = sums.find(key);
  found->second -= bytes;
  if (found->second == 0) sums.erase(found);
}

}  // namespace

Result<void> InFlight::check(const State& state, const Share& whose, std::size_t more) const {
  const auto own = bytes_of(state.of, whose.who) + more;
  const auto all = state.all + more;
  if (own > limits_.each) return too_much("you have", limits_.each);
  if (own <= limits_.little && all <= limits_.all + limits_.beyond) return {};
  if (bytes_of(state.of_group, whose.group) + more > limits_.of_group) {
    return too_much("your realm has", limits_.of_group);
  }
  if (all > limits_.all) return too_much("the server has", limits_.all);
  return {};
}

void InFlight::add(const Share& whose, std::size_t bytes) {
  auto state = state_.lock();
  state->of[whose.who] += bytes;
  state->of_group[whose.group] += bytes;
  state->all += bytes;
  state->peak = std::max(state->peak, state->all);
}

Result<void> InFlight::check_room(const Share& whose) {
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
  take_from(state->of, whose_.who, bytes_);
  take_from(state->of_group, whose_.group, bytes_);
  state->all -= bytes_;
  bytes_ = 0;
}

}  // namespace cairn::http
