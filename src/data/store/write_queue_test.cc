#include "data/store/write_queue.h"

#include <latch>

#include "data/store/store_test_support.h"

namespace cairn {
namespace {

using ::testing::ElementsAre;

class QueueTest : public ::testing::Test {
 protected:
  // Runs one request, and while its group is worked on lines up `requests`, in this order.
  void run_behind_a_leader(std::span<WriteRequest> requests) {
    std::latch leading(1);
    std::latch lined_up(1);
    hold = [&] {
      leading.count_down();
      lined_up.wait();
    };
    WriteRequest first;
    std::vector<std::jthread> threads;
    threads.emplace_back([&] { EXPECT_THAT(queue.run(first), IsOk()); });
    leading.wait();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      threads.emplace_back([this, &requests, i] { requests[i].result = queue.run(requests[i]); });
      while (queue.waiting() <= i) std::this_thread::yield();
    }
    lined_up.count_down();
  }

  std::function<void()> hold;
  std::function<void()> work = [] {};
  std::vector<std::size_t> group_sizes;
  WriteQueue queue{[this](WriteQueue::Group group) {
    group_sizes.push_back(group.size());
    if (auto waiting = std::exchange(hold, nullptr)) {
      waiting();
    } else {
      work();
    }
  }};
};

TEST_F(QueueTest, TakesAllThatWaitAsOneGroup) {
  std::vector<WriteRequest> requests(5);
  run_behind_a_leader(requests);
  EXPECT_THAT(group_sizes, ElementsAre(1, 5));
}

TEST_F(QueueTest, GivesARequestThatWantsToBeAloneAGroupOfItsOwn) {
  std::vector<WriteRequest> requests(5);
  requests[2].alone = true;
  run_behind_a_leader(requests);
  EXPECT_THAT(group_sizes, ElementsAre(1, 2, 1, 2));
}

TEST_F(QueueTest, FailsTheWholeGroupWhenTheWorkThrows) {
  work = [] { throw std::runtime_error("out of luck"); };
  std::vector<WriteRequest> requests(2);
  run_behind_a_leader(requests);
  for (const auto& request : requests) EXPECT_THAT(request.result, FailsWith(Code::kInternal));
  work = [] {};
  WriteRequest next;
  EXPECT_THAT(queue.run(next), IsOk());
}

TEST_F(QueueTest, RefusesARequestFromWithinTheWorkInsteadOfWaitingForItself) {
  Result<void> inner;
  work = [&] {
    WriteRequest nested;
    inner = queue.run(nested);
  };
  WriteRequest outer;
  EXPECT_THAT(queue.run(outer), IsOk());
  EXPECT_THAT(inner, FailsWith(Code::kInternal));
}

}  // namespace
}  // namespace cairn
