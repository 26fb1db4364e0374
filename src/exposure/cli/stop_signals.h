// Ending a program that serves its standard input: SIGTERM and SIGINT make the input end, so that
// what was asked is answered and the store closed. A second one ends the program at once.
//
// Threads  made in the thread that reads the input, before it starts others.
#pragma once

#include <thread>

#include <pthread.h>

namespace cairn::cli {

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

}  // namespace cairn::cli
