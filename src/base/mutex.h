// Mutex, and the marks by which clang's thread-safety analysis knows what is guarded by what.
//
// With clang and -Wthread-safety it is an error to touch what is GUARDED_BY a mutex without holding
// it, to call what REQUIRES it, to lock it twice or to forget to unlock it; tests/thread_safety
// shows what is found. For g++ the marks are empty.
//
// Data is better off in a Guarded (guarded.h). A Mutex is for what one thread at a time should do;
// a comment beside it says what that is. Both cost what a std::mutex does. To wait, a
// std::condition_variable_any takes the Mutex itself, and a std::condition_variable the mutex() of
// a Guarded's Access.
#pragma once

#include <mutex>

#ifdef __clang__
#define CAIRN_CHECKED(mark) __attribute__((mark))
// Of a function: what it returns should not be used for longer than the object lives.
#define LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define CAIRN_CHECKED(mark)
#define LIFETIME_BOUND
#endif

// Of a class: its objects can be held.
#define CAPABILITY(name) CAIRN_CHECKED(capability(name))
// Of a class: its objects hold one of those as long as they live.
#define SCOPED_CAPABILITY CAIRN_CHECKED(scoped_lockable)
// Of a variable: it is used with the mutex held.
#define GUARDED_BY(mutex) CAIRN_CHECKED(guarded_by(mutex))
// Of a function: it is called with the mutex held.
#define REQUIRES(...) CAIRN_CHECKED(requires_capability(__VA_ARGS__))
// Of a function: it is never called with the mutex held, often since it locks it itself.
#define EXCLUDES(...) CAIRN_CHECKED(locks_excluded(__VA_ARGS__))
// Of a function: it locks the mutex, and leaves it locked.
#define ACQUIRE(...) CAIRN_CHECKED(acquire_capability(__VA_ARGS__))
// Of a function: it unlocks the mutex.
#define RELEASE(...) CAIRN_CHECKED(release_capability(__VA_ARGS__))
// Of a function: the analysis does not understand its body. Say why.
#define NO_THREAD_SAFETY_ANALYSIS CAIRN_CHECKED(no_thread_safety_analysis)

namespace cairn {

// Threads  any; unlocked by the thread that locked it.
template <typename Inner>
class CAPABILITY("mutex") BasicMutex final {
 public:
  BasicMutex() = default;
  BasicMutex(const BasicMutex&) = delete;
  BasicMutex& operator=(const BasicMutex&) = delete;

  void lock() ACQUIRE() { inner_.lock(); }
  void unlock() RELEASE() { inner_.unlock(); }

 private:
  Inner inner_;
};

using Mutex = BasicMutex<std::mutex>;
// The thread that holds it may lock it again, but not in the same function: there the analysis
// takes it for a mistake.
using RecursiveMutex = BasicMutex<std::recursive_mutex>;

// Holds a mutex as long as it lives.
template <typename Held>
class SCOPED_CAPABILITY MutexLock final {
 public:
  explicit MutexLock(Held& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex.lock(); }
  ~MutexLock() RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Held& mutex_;
};

}  // namespace cairn
