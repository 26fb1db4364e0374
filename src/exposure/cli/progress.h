// How far an import or export has come, as a line on standard error that goes away at the end.
//
// Threads  one of its own draws it; made and destroyed by the same thread.
#pragma once

#include <cstddef>
#include <string>
#include <thread>

#include "base/os/signal_thread.h"
#include "data/realm/import.h"

namespace cairn::cli {

// As a shell reports a program that SIGINT ended.
inline constexpr int kInterrupted = 130;

// While it lives, Ctrl-C lets the work end in order; a second one ends the program. Made before
// anything that has threads of its own.
class EndsOnInterrupt final {
 public:
  explicit EndsOnInterrupt(Progress& progress);

 private:
  os::SignalThread signals_;
};

// Shows nothing unless standard error is a terminal.
class ProgressLine final {
 public:
  ProgressLine(const Progress& progress, std::string doing);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void draw(std::size_t turn) const;
  void show(const std::stop_token& stop);

  const Progress& progress_;
  std::string doing_;
  std::jthread thread_;
};

}  // namespace cairn::cli
