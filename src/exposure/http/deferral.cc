#include "exposure/http/deferral.h"

#include <utility>

#include <boost/asio/async_result.hpp>

#include "exposure/http/contained.h"

namespace cairn::http {
namespace {

Response unanswered() {
  Response response = error_response(Error(Code::kInternal, "the request could not be handled"));
  response.log_cause = "it was let go of without an answer";
  return response;
}

}  // namespace

class Deferral::Handle final : public Responder {
 public:
  explicit Handle(std::shared_ptr<Deferral> deferral) : deferral_(std::move(deferral)) {}
  ~Handle() override {
    // Whoever drops a responder without answering would otherwise leave the client waiting for
    // ever.
    if (deferral_) deferral_->answer(unanswered());
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void answer(Response response) override {
    if (const auto to = std::exchange(deferral_, nullptr)) to->answer(std::move(response));
  }

 private:
  std::shared_ptr<Deferral> deferral_;
};

Task<Response> Deferral::run(std::shared_ptr<Pending> pending) {
  begin(std::move(pending));
  if (!is_answered()) {
    Timer patience(here_);
    patience.expires_after(patience_);
    patience.async_wait([self = shared_from_this()](error_code stopped) {
      if (!stopped) self->become_late();
    });
    const auto keep = [this](auto handler) { call_when_answered(std::move(handler)); };
    co_await asio::async_initiate<const asio::use_awaitable_t<Executor>, void()>(
        keep, asio::use_awaitable_t<Executor>{});
  }
  over_ = true;
  co_return std::move(*state_.lock()->response);
}

void Deferral::begin(std::shared_ptr<Pending> pending) {
  pending_ = pending;
  auto failed = contained([&]() -> std::optional<Response> {
    pending->begin(std::make_unique<Handle>(shared_from_this()));
    return std::nullopt;
  });
  // Replaces the answer that the responder gave when the exception destroyed it.
  if (failed) state_.lock()->response = std::move(failed);
}

void Deferral::become_late() {
  if (over_) return;
  late_ = true;
  tell(&Pending::late);
}

void Deferral::look_for(Wire& client) {
  // A client may close its sending side right after the request; that it has left is asked only
  // once the answer is late.
  if (late_ && !left_ && client.peer_left()) leave();
}

void Deferral::leave() {
  if (over_ || std::exchange(left_, true)) return;
  tell(&Pending::left);
}

void Deferral::tell(void (Pending::*what)()) {
  const auto pending = pending_.lock();
  if (!pending) return;
  auto failed = contained([&]() -> std::optional<Response> {
    ((*pending).*what)();
    return std::nullopt;
  });
  if (failed) answer(std::move(*failed));
}

// Posted outside the lock: the connection goes on, and may be gone, as soon as it is told.
void Deferral::answer(Response response) {
  Resume resume;
  {
    auto state = state_.lock();
    // Only the first answer counts: a late one may come from another thread at the same time.
    if (state->response) return;
    state->response = std::move(response);
    resume = std::exchange(state->resume, nullptr);
  }
  if (resume) asio::post(here_, std::move(resume));
}

void Deferral::call_when_answered(Resume resume) {
  {
    auto state = state_.lock();
    if (!state->response) {
      state->resume = std::move(resume);
      return;
    }
  }
  asio::post(here_, std::move(resume));
}

}  // namespace cairn::http
