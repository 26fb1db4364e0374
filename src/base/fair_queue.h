// FairQueue: jobs that wait for a thread, in an order in which nobody waits for another's many.
//
// A job belongs to a share: somebody (a delegate, an endpoint) in a group (its realm). Groups take
// turns, and within a group its shares do. A share has a window: so many of its jobs run at once.
// It begins with few; each job that ends quickly widens it by one, up to a part of all threads; one
// that takes long halves it. So short calls run as wide as they like, and long ones leave threads
// and cores to others. A group has such a window too. Jobs without a share are the program's own:
// they take turns as one more group, which has no window.
//
// Invariants  jobs of one share begin in their order; some threads are never taken by one group.
// Threads     one at a time: its owner has a lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>

namespace cairn {

struct Share {
  std::string group = {};
  std::string who = {};

  bool none() const { return group.empty() && who.empty(); }
  bool operator==(const Share&) const = default;
};

class FairQueue final {
 public:
  using Job = std::move_only_function<void()>;
  using Time = std::chrono::steady_clock::time_point;

  // A job that ended in this time was short, one that runs for that time is long.
  static constexpr std::chrono::milliseconds kShort{50};
  static constexpr std::chrono::milliseconds kLong{250};
  static constexpr unsigned kLeastOfShare = 4;
  static constexpr unsigned kLeastOfGroup = 8;

  explicit FairQueue(unsigned threads);
  FairQueue(FairQueue&&) = default;  // before it is used
  FairQueue& operator=(FairQueue&&) = delete;

  class Line;  // the jobs of one share
  struct Taken {
    Job job;
    Line* line = nullptr;
    Time began;
  };

  void push(const Share& share, Job job);
  // The next job that may begin now; nothing: there is none, or all wait for a window.
  std::optional<Taken> pop(Time now);
  // REQUIRES: once for each that was taken.
  void done(Line& line, Time began, Time now);
  // Whether pop() may find one.
  bool ready() const { return !groups_ready_.empty(); }
  bool empty() const { return waiting_ == 0; }

 private:
  struct Window {
    unsigned now = 0;
    unsigned least = 0;
    unsigned most = 0;

    void learn(std::chrono::nanoseconds took);
  };
  struct Group {
    Window window;
    unsigned running = 0;
    std::list<Line*> ready;
    bool listed = false;
    std::map<std::string, Line> lines = {};
  };

  Line& line_of(const Share& share);
  void list(Line& line);
  void list(Group& group);
  void forget_idle();

  const unsigned most_;
  std::size_t waiting_ = 0;
  std::size_t lines_ = 0;
  std::map<std::string, Group> groups_;
  std::list<Group*> groups_ready_;
};

class FairQueue::Line final {
 private:
  friend class FairQueue;
  Window window;
  Group* group = nullptr;
  std::deque<Job> waiting = {};
  std::deque<Time> running = {};  // when each began, the first first
  bool listed = false;
};

}  // namespace cairn
