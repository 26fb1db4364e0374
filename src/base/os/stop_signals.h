// Ending a program that runs until it is told to: SIGTERM and SIGINT let it finish what it is at,
// so that what was asked is answered and the store closed. A second one ends the program at once,
// with 128 and its number.
//
// Threads     made in the thread that reads or waits, before it starts others.
#pragma once

#include <pthread.h>

#include "base/os/handle.h"
#include "base/os/signal_thread.h"

namespace cairn::os {

// For one that serves its standard input: the input ends.
class InputEndsOnSignal final {
 public:
  InputEndsOnSignal();

 private:
  void end_input();

  pthread_t reader_;
  bool ending_ = false;
  SignalThread signals_;
};

// For one that waits for other things: this is one of them.
class StopSignal final {
 public:
  StopSignal();

  // Can be read when it is time to end.
  int descriptor() const { return event_.fd(); }
  // Until then.
  void wait() const;

 private:
  Handle event_;
  bool ending_ = false;
  SignalThread signals_;
};

}  // namespace cairn::os
