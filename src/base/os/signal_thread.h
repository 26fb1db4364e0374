// SignalThread: a thread of its own takes signals, instead of whichever thread they happen to
// reach.
//
// From when it is made, the signals are blocked in the thread that makes it and in all that thread
// starts; they stay so.
//
// Threads     made before other threads are started. The function runs on its own thread, one
//             signal after the other, and no longer once the destructor has returned.
#pragma once

#include <functional>
#include <initializer_list>
#include <thread>

#include <signal.h>

namespace cairn::os {

class SignalThread final {
 public:
  SignalThread(std::initializer_list<int> signals, std::function<void(int signal)> on_signal);
  ~SignalThread();
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;

 private:
  void run();

  std::function<void(int signal)> on_signal_;
  sigset_t waited_for_{};
  std::thread thread_;
};

}  // namespace cairn::os
