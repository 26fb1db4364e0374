// Events: the client is watched while nothing is sent, so that its leaving is noticed.
#include <array>
#include <memory>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "exposure/http/event_stream.h"
#include "exposure/http/reply.h"
#include "exposure/http/wakeup.h"

namespace cairn::http {
namespace {

struct Watch {
  Wakeup wakeup;
  bool left = false;  // the client has, or nobody watches it any more
};

// Whatever the client says now has no meaning; when it says too much it is sent away.
Task<void> watch_client(Wire& wire, std::shared_ptr<Watch> watch) {
  constexpr std::size_t kMaxSaid = 64 * 1024;
  std::array<char, 512> rubbish;
  error_code error;
  std::size_t count = 0;
  for (std::size_t said = 0; !error && said < kMaxSaid; said += count) {
    std::tie(error, count) = co_await wire.read_some(asio::buffer(rubbish));
  }
  watch->left = true;
  watch->wakeup.notify();
}

}  // namespace

Task<Reply::Outcome> Reply::send_events(Response& response, const RequestHead& request,
                                        HeadChoices choices, InFlight::Hold& held) {
  const auto stream = std::move(std::get<EventBody>(response.body).stream);
  // EventStream::make is the only maker.
  auto& queue = static_cast<EventQueue&>(*stream);
  const bool only_head = request.method == Method::kHead || bodiless(response.status);
  if (bodiless(response.status)) choices.chunked = false;
  put_head(out_, response, choices);
  Outcome outcome = co_await write({});
  if (outcome == Outcome::kSent && !only_head) {
    events_ = stream;
    if (shared_.stopping) stream->close();
    outcome = co_await pass_events_on(queue, choices.chunked, held);
    events_ = nullptr;
  }
  queue.leave();
  co_return outcome;
}

Task<Reply::Outcome> Reply::pass_events_on(EventQueue& queue, bool chunked, InFlight::Hold& held) {
  const auto watch = std::make_shared<Watch>();
  const auto executor = wire_.executor();
  wire_.probe_peer();
  wire_.never_expire();
  asio::co_spawn(executor, watch_client(wire_, watch), asio::detached);
  queue.attach([watch, executor] { asio::post(executor, [watch] { watch->wakeup.notify(); }); });
  Outcome outcome = Outcome::kSent;
  auto state = EventQueue::State::kOpen;
  while (outcome == Outcome::kSent && state == EventQueue::State::kOpen && !watch->left) {
    const EventQueue::Taken taken = queue.take();
    state = taken.state;
    if (!taken.bytes.empty()) {
      held.count(taken.bytes.size());
      outcome = co_await write_portion(taken.bytes, chunked);
      held.give_back();
      wire_.never_expire();
    } else if (state == EventQueue::State::kOpen) {
      co_await watch->wakeup.wait();
    }
  }
  if (state != EventQueue::State::kEnded || watch->left) outcome = Outcome::kBroken;
  if (outcome == Outcome::kSent && chunked) {
    out_ = "0\r\n\r\n";
    outcome = co_await write({});
  }
  wire_.expire();
  while (!watch->left) co_await watch->wakeup.wait();
  co_return outcome;
}

void Reply::end_events() {
  if (events_) events_->close();
}

}  // namespace cairn::http
