#include "exposure/mcp/event_sink.h"

#include <charconv>
#include <utility>

namespace cairn::mcp {
namespace {

constexpr std::chrono::milliseconds kRetry{1000};

std::string plain_event(std::string_view message) {
  return fmt::format("event: message\ndata: {}\n\n", message);
}

}  // namespace

bool RequestStream::send(std::string message) { return stream_->push(plain_event(message)); }

void RequestStream::finish(std::string message) {
  if (!message.empty()) stream_->push(plain_event(message));
  stream_->close();
}

bool KeptBytes::take(std::size_t bytes) {
  // Added first, so that two threads cannot both find the last room.
  if (now_.fetch_add(bytes) + bytes <= most_) return true;
  now_ -= bytes;
  return false;
}

void SessionStream::keep(State& state, std::uint64_t number, const std::string& text) {
  std::size_t drop = 0;
  std::size_t dropped = 0;
  // The oldest go first: a client that comes back late asks for the newest.
  while (drop < state.kept.size() && (state.kept_bytes - dropped + text.size() > kMaxKeptBytes ||
                                      state.kept.size() - drop >= kMaxKept)) {
    dropped += state.kept[drop++].text.size();
  }
  state.kept.erase(state.kept.begin(), state.kept.begin() + static_cast<std::ptrdiff_t>(drop));
  state.kept_bytes -= dropped;
  kept_->give_back(dropped);
  if (text.size() > kMaxKeptBytes || !kept_->take(text.size())) return;
  state.kept_bytes += text.size();
  state.kept.push_back({number, text});
}

void SessionStream::add(State& state, std::string_view message) {
  const std::uint64_t number = state.next++;
  auto text = fmt::format("id: {}-{}\nevent: message\ndata: {}\n\n", number_, number, message);
  keep(state, number, text);
  // A client that does not read loses its connection, not the events: they are kept for its return.
  if (state.live && !state.live->push(std::move(text))) state.live = nullptr;
  if (state.live) state.taken = number;
}

bool SessionStream::send(std::string message) {
  auto state = state_.lock();
  if (state->done) return false;
  add(*state, message);
  return true;
}

void SessionStream::finish(std::string message) {
  std::shared_ptr<http::EventStream> live;
  {
    auto state = state_.lock();
    if (!message.empty()) add(*state, message);
    state->done = true;
    live = std::exchange(state->live, nullptr);
  }
  // Outside the lock: on_closed() may come back here.
  if (live) live->close();
}

void SessionStream::close_connection(std::chrono::milliseconds retry) {
  std::shared_ptr<http::EventStream> live;
  {
    auto state = state_.lock();
    live = std::exchange(state->live, nullptr);
  }
  if (!live) return;
  // Tells the client when to come back for the rest.
  live->push(fmt::format("retry: {}\n\n", retry.count()));
  live->close();
}

void SessionStream::attach(std::shared_ptr<http::EventStream> stream,
                           std::optional<std::uint64_t> after) {
  std::shared_ptr<http::EventStream> before;
  bool done = false;
  {
    auto state = state_.lock();
    // Without a number, from where the last connection was: what was never sent.
    const std::uint64_t from = after.value_or(state->taken);
    // Revisions that know it want an id before the first event, so that even a connection which
    // breaks at once can be resumed.
    if (primed_) {
      stream->push(fmt::format("id: {}-{}\nretry: {}\ndata: \n\n", number_, from, kRetry.count()));
    }
    for (const Event& event : state->kept) {
      if (event.number > from) stream->push(event.text);
    }
    state->taken = state->next - 1;
    before = std::exchange(state->live, stream);
    done = state->done;
    if (done) state->live = nullptr;
  }
  // Outside the lock: whoever hears of it may come back here.
  if (before) before->close();
  if (done) stream->close();
}

void SessionStream::close() {
  std::shared_ptr<http::EventStream> live = std::exchange(state_.lock()->live, nullptr);
  if (live) live->close();
}

std::optional<EventId> parse_event_id(std::string_view text) {
  EventId id;
  const char* end = text.data() + text.size();
  const auto [dash, bad_stream] = std::from_chars(text.data(), end, id.stream);
  if (bad_stream != std::errc() || dash == end || *dash != '-') return std::nullopt;
  const auto [rest, bad_event] = std::from_chars(dash + 1, end, id.event);
  if (bad_event != std::errc() || rest != end) return std::nullopt;
  return id;
}

}  // namespace cairn::mcp
