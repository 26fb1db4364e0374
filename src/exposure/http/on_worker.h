// Running a function on a worker, and waiting for it without holding up the connection's thread.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include <boost/asio/async_result.hpp>

#include "base/workers.h"
#include "exposure/http/asio.h"

namespace cairn::http {

// `work` must not throw; the share outlives it.
template <typename Work>
Task<std::invoke_result_t<Work&>> on_worker(Workers& workers, Executor here, Work work,
                                            const Share* share = nullptr) {
  std::optional<std::invoke_result_t<Work&>> result;
  const auto start = [&](auto handler) {
    workers.run(share == nullptr ? Share() : *share,
                [&result, &work, here, resume = std::move(handler)]() mutable {
                  result.emplace(work());
                  asio::post(here, std::move(resume));
                });
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<Executor>, void()>(
      start, asio::use_awaitable_t<Executor>{});
  co_return std::move(*result);
}

}  // namespace cairn::http
