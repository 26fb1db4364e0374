// DocumentRoom: the bytes that large documents may take together while they are parsed and used,
// besides those that are kept. Who finds no room waits for it, in the order of coming; one alone
// always has room, however large it is.
//
// Threads     every function may be called from any thread; a Hold may be dropped on any.
// Fails with  RATE_LIMITED when there is still no room after `patience`.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>

#include "base/guarded.h"
#include "base/result.h"

namespace cairn {

class DocumentRoom final : public std::enable_shared_from_this<DocumentRoom> {
 public:
  DocumentRoom(std::size_t bytes, std::chrono::milliseconds patience)
      : bytes_(bytes), patience_(patience) {}
  DocumentRoom(const DocumentRoom&) = delete;
  DocumentRoom& operator=(const DocumentRoom&) = delete;

  // Some bytes of it, until it is destroyed.
  class Hold final {
   public:
    Hold(std::shared_ptr<DocumentRoom> room, std::size_t bytes)
        : room_(std::move(room)), bytes_(bytes) {}
    ~Hold() { become(0); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    // It turned out to be as much.
    void become(std::size_t bytes);

   private:
    std::shared_ptr<DocumentRoom> room_;
    std::size_t bytes_;
  };

  Result<std::unique_ptr<Hold>> take(std::size_t bytes);

  std::size_t taken() { return state_.lock()->taken; }
  // How many wait for room.
  std::size_t waiting() { return state_.lock()->line.size(); }

 private:
  struct State {
    std::size_t taken = 0;
    std::list<std::size_t> line;  // what those who wait want; the first comes next
  };

  const std::size_t bytes_;
  const std::chrono::milliseconds patience_;
  Guarded<State> state_;
  std::condition_variable changed_;
};

}  // namespace cairn
