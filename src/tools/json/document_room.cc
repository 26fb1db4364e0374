#include "tools/json/document_room.h"

namespace cairn {

Result<std::unique_ptr<DocumentRoom::Hold>> DocumentRoom::take(std::size_t bytes) {
  auto state = state_.lock();
  const auto own = state->line.insert(state->line.end(), bytes);
  const bool has_room = changed_.wait_for(state.mutex(), patience_, [&] {
    return own == state->line.begin() && (state->taken == 0 || state->taken + bytes <= bytes_);
  });
  state->line.erase(own);
  changed_.notify_all();
  if (!has_room) {
    return Failure(Error(Code::kRateLimited,
                         fmt::format("other large JSON documents take all of the {} bytes that "
                                     "they may take at once; try again",
                                     bytes_))
                       .with("retryAfterMs", std::int64_t{1000}));
  }
  state->taken += bytes;
  return std::make_unique<Hold>(shared_from_this(), bytes);
}

void DocumentRoom::Hold::become(std::size_t bytes) {
  auto state = room_->state_.lock();
  state->taken = state->taken - bytes_ + bytes;
  bytes_ = bytes;
  room_->changed_.notify_all();
}

}  // namespace cairn
