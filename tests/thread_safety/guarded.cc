// What is wrong with a Guarded value, and should not compile.
#include "base/guarded.h"

#include <map>
#include <memory>

namespace cairn {

using Numbers = std::map<int, int>;

class Book final {
 public:
  void lock_twice() {
    auto once = numbers_.lock();
    auto twice = numbers_.lock();  // expected-error {{'numbers_' that is already held}}
  }

  std::size_t lock_twice_for_a_moment() {
    auto numbers = numbers_.lock();
    return numbers_.lock()->size();  // expected-error {{'numbers_' that is already held}}
  }

  void lock_twice_in_one_expression() {
    // expected-error@+1 {{acquiring guarded value 'numbers_' that is already held}}
    numbers_.lock()->emplace(1, numbers_.lock()->size());
  }

  void lock_twice_what_is_shared() {
    auto once = shared_->lock();
    auto twice = shared_->lock();  // expected-error {{'shared_' that is already held}}
  }

  void call_what_locks() {
    if (auto numbers = numbers_.lock(); numbers->empty()) {
      add(1);  // expected-error {{cannot call function 'add' while guarded value}}
    }
  }

  void call_without_lock(Numbers& numbers) {
    count(numbers);  // expected-error {{calling function 'count' requires holding guarded value}}
  }

  void unlock_twice() {
    auto numbers = numbers_.lock();
    numbers.unlock();
    numbers.unlock();  // expected-error {{releasing guarded value 'numbers_' that was not held}}
  }

  void lock_again_without_unlock() {
    auto numbers = numbers_.lock();
    numbers.lock();  // expected-error {{acquiring guarded value 'numbers_' that is already held}}
  }

  int name_what_is_unlocked_at_once() {
    auto& numbers = *numbers_.lock();  // expected-error {{temporary bound to local reference}}
    return numbers[1];
  }

  // Where it is unlocked is clear to the compilers, and not to the analysis.
  void walk_what_is_unlocked_at_once(int& sum) NO_THREAD_SAFETY_ANALYSIS {
    // expected-error@+1 {{temporary implicitly bound to local reference will be destroyed}}
    for (const auto& [key, value] : *numbers_.lock()) sum += value;
  }

  void add(int number) EXCLUDES(numbers_) { numbers_.lock()->emplace(number, 1); }

 private:
  void count(Numbers& numbers) REQUIRES(numbers_) { ++numbers[0]; }

  Guarded<Numbers> numbers_;
  std::shared_ptr<Guarded<Numbers>> shared_;
};

}  // namespace cairn
