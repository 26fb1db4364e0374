// What is wrong with a Mutex, and should not compile.
#include "base/mutex.h"

namespace cairn {

class Account final {
 public:
  int read_without_lock() const {
    return balance_;  // expected-error {{reading variable 'balance_' requires holding mutex}}
  }

  void write_without_lock() {
    balance_ = 1;  // expected-error {{writing variable 'balance_' requires holding mutex 'mutex_'}}
  }

  void call_without_lock() {
    add(1);  // expected-error {{calling function 'add' requires holding mutex 'mutex_'}}
  }

  void call_with_the_lock_of_another(Account& other) {
    const MutexLock lock(mutex_);
    other.add(1);  // expected-error {{requires holding mutex 'other.mutex_' exclusively}}
  }

  void lock_twice() {
    const MutexLock once(mutex_);
    const MutexLock twice(mutex_);  // expected-error {{'mutex_' that is already held}}
  }

  void call_what_locks() {
    const MutexLock lock(mutex_);
    pay(1);  // expected-error {{cannot call function 'pay' while mutex 'mutex_' is held}}
  }

  void forget_to_unlock() {
    mutex_.lock();
    balance_ = 0;
  }  // expected-error {{mutex 'mutex_' is still held at the end of function}}

  bool forget_to_unlock_on_one_way() {
    mutex_.lock();
    if (balance_ == 0) return false;
    mutex_.unlock();
    return true;
  }  // expected-error {{mutex 'mutex_' is not held on every path through here}}

  void unlock_twice() {
    mutex_.lock();
    mutex_.unlock();
    mutex_.unlock();  // expected-error {{releasing mutex 'mutex_' that was not held}}
  }

  void use_after_unlock() {
    mutex_.lock();
    mutex_.unlock();
    balance_ = 1;  // expected-error {{writing variable 'balance_' requires holding mutex 'mutex_'}}
  }

  void call_later_without_lock() {
    const MutexLock lock(mutex_);
    const auto later = [this] {
      add(1);  // expected-error {{calling function 'add' requires holding mutex 'mutex_'}}
    };
    later();
  }

  void pay(int amount) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    add(amount);
  }

 private:
  void add(int amount) REQUIRES(mutex_) { balance_ += amount; }

  mutable Mutex mutex_;
  int balance_ GUARDED_BY(mutex_) = 0;
};

}  // namespace cairn
