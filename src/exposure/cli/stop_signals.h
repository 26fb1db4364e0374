// Ending a program that runs until it is told to: SIGTERM and SIGINT let it finish what it is at,
// so that what was asked is answered and the store closed. A second one ends the program at once.
//
// Threads  made in the thread that reads or waits, before it starts others.
#pragma once

#include <thread>

#include <pthread.h>

namespace cairn::cli {

// For one that serves its standard input: the input ends.
class InputEndsOnSignal final {
 public:
  InputEndsOnSignal();
  ~InputEndsOnSignal();
  InputEndsOnSignal(const InputEndsOnSignal&) = delete;
  InputEndsOnSignal& operator=(const InputEndsOnSignal&) = delete;

 private:
  void wait(pthread_t reader);

  std::thread thread_;
};

// For one that waits for other things: this is one of them.
class StopSignal final {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // Can be read when it is time to end.
  int descriptor() const { return event_; }

 private:
  void wait() const;

  int event_;
  std::thread thread_;
};

}  // namespace cairn::cli
