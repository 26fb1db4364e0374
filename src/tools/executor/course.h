// Course: one call from its admission to its entry in the audit log, whatever its tool answers
// with: a reply, an intake or rows. The one frame around all of them.
//
// Invariants  exactly one entry for each call. The first outcome counts: after a failure nothing
//             more is noted, and a course that is dropped without any was ABANDONED.
// Threads     one at a time.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "tools/executor/executor.h"

namespace cairn {

class Course final {
 public:
  // REQUIRES: executor, tool and body outlive it.
  Course(Executor& executor, const Caller& caller, const Tool& tool, json::Value arguments,
         ByteView body, std::stop_token stop);
  ~Course() { note({"ABANDONED"}); }
  Course(const Course&) = delete;
  Course& operator=(const Course&) = delete;

  // Before anything else.
  Result<void> admit();
  // Some work of the tool, after admit(). A defect of one tool is an answer to one caller, and does
  // not end the thread it ran on: what it throws is INTERNAL.
  template <typename Work>
  auto step(Work work) -> decltype(work(std::declval<Call&>(), std::declval<Arguments&>())) {
    Arguments arguments(arguments_.get_object());
    return ended_by([&] { return work(*call_, arguments); });
  }
  // Between two steps: they may take longer than the right to make them lasts.
  Result<void> check_again() {
    return ended_by([&] { return executor_.check_unchanged(call_->caller()); });
  }
  void takes(std::uint64_t bytes) { bytes_in_ += bytes; }
  void done(std::uint64_t bytes_out = 0) { note({"ok"}, bytes_out); }
  // The reply as the caller gets it: of a dry run, with what does not exist marked as such.
  Reply told(Reply reply) const {
    return rehearsal_ ? rehearsed(std::move(reply), *rehearsal_) : std::move(reply);
  }

 private:
  template <typename Work>
  auto ended_by(Work work) -> decltype(work()) {
    auto outcome = [&]() -> decltype(work()) {
      try {
        return work();
      } catch (const std::exception& error) {
        return fail(Code::kInternal, "{} failed: {}", tool_.name, error.what());
      }
    }();
    if (!outcome) note({outcome.error().name(), outcome.error().message});
    return outcome;
  }
  void note(const Executor::Ended& ended, std::uint64_t bytes_out = 0);
  Result<void> rehearse();

  struct Request {
    std::stop_source& source;
    void operator()() const { source.request_stop(); }
  };

  Executor& executor_;
  const Tool& tool_;
  json::Value arguments_;
  // What the log shows of the arguments, which the tool may take.
  Executor::Shown shown_;
  std::uint64_t bytes_in_;
  std::chrono::nanoseconds began_;
  bool noted_ = false;
  // Whichever comes first: nobody waits for the answer any more, or the process ends.
  std::stop_source either_;
  std::stop_callback<Request> given_;
  std::stop_callback<Request> ending_;
  ByteView body_;
  // Outlives the call that runs in it.
  std::unique_ptr<Rehearsal> rehearsal_;
  std::optional<Call> call_;
};

}  // namespace cairn
