// Something one coroutine waits for and anybody on its thread can cause.
#pragma once

#include <functional>
#include <utility>

#include <boost/asio/async_result.hpp>

#include "exposure/http/asio.h"

namespace cairn::http {

class Wakeup final {
 public:
  // Returns after the next notify(), or at once when there was one since the last wait().
  Task<void> wait() {
    if (!std::exchange(notified_, false)) {
      const auto keep = [this](auto handler) {
        waiter_ = [resume = std::move(handler)]() mutable { asio::post(std::move(resume)); };
      };
      co_await asio::async_initiate<const asio::use_awaitable_t<Executor>, void()>(
          keep, asio::use_awaitable_t<Executor>{});
    }
  }

  void notify() {
    if (auto waiter = std::exchange(waiter_, nullptr)) {
      waiter();
    } else {
      notified_ = true;
    }
  }

 private:
  std::move_only_function<void()> waiter_;
  bool notified_ = false;
};

}  // namespace cairn::http
