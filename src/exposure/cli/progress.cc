#include "exposure/cli/progress.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <utility>

#include <signal.h>
#include <unistd.h>

#include "base/pause.h"
#include "exposure/cli/output.h"

namespace cairn::cli {

EndsOnInterrupt::EndsOnInterrupt(Progress& progress)
    : signals_({SIGINT, SIGTERM}, [&progress](int signal) {
        if (progress.stop.exchange(true)) ::_exit(128 + signal);
      }) {}

ProgressLine::ProgressLine(const Progress& progress, std::string doing)
    : progress_(progress), doing_(std::move(doing)) {
  if (::isatty(STDERR_FILENO) != 1) return;
  draw(0);  // at once: what is over soon was still seen
  thread_ = std::jthread([this](const std::stop_token& stop) { show(stop); });
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

void ProgressLine::draw(std::size_t turn) const {
  constexpr std::string_view kSpinner = "|/-\\";
  fmt::print(stderr, "\r\x1b[K{} {}: {}, {}", kSpinner[turn % kSpinner.size()], doing_,
             counted(static_cast<std::int64_t>(progress_.files), "file"),
             human_size(static_cast<std::int64_t>(progress_.bytes)));
  std::fflush(stderr);
}

void ProgressLine::show(const std::stop_token& stop) {
  for (std::size_t turn = 1; pause(std::chrono::milliseconds(100), stop); ++turn) draw(turn);
}

}  // namespace cairn::cli
