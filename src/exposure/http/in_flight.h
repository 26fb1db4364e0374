// InFlight: the bytes that a server holds for its clients: bodies that are arriving or being worked
// on, and answers that wait to be read. One client may have a part of them, those of one group (its
// realm) a larger part, all together no more than all. Clients with little are let in beyond that:
// whoever has much leaves everybody room for ordinary calls.
//
// Threads  any. A Hold belongs to one at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "base/fair_queue.h"
#include "base/guarded.h"
#include "base/result.h"

namespace cairn::http {

class InFlight final {
 public:
  struct Limits {
    std::size_t each = std::size_t{64} << 20;
    std::size_t of_group = std::size_t{128} << 20;
    std::size_t all = std::size_t{256} << 20;
    std::size_t little = std::size_t{256} << 10;  // of one client
    std::size_t beyond = std::size_t{32} << 20;   // all, for those who have little
  };

  explicit InFlight(Limits limits) : limits_(limits) {}
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

  // Some bytes of one client, given back with it.
  class Hold final {
   public:
    Hold(InFlight& of, Share whose) : of_(of), whose_(std::move(whose)) {}
    ~Hold() { give_back(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    // RATE_LIMITED when the client, or all together, would have too many.
    Result<void> grow(std::size_t bytes);
    // What is there already is counted, however much it is: the client's next requests feel it.
    void count(std::size_t bytes);
    void give_back();

   private:
    InFlight& of_;
    const Share whose_;
    std::size_t bytes_ = 0;
  };

  // RATE_LIMITED for a client that has its share, and for all when all is taken.
  Result<void> check_room(const Share& whose);
  // Once after much was held and nearly all of it was given back: the time to give memory back to
  // the machine.
  bool burst_is_over();

  std::size_t now() { return state_.lock()->all; }

 private:
  struct State {
    std::map<std::string, std::size_t> of;
    std::map<std::string, std::size_t> of_group;
    std::size_t all = 0;
    std::size_t peak = 0;
  };
  Result<void> check(const State& state, const Share& whose, std::size_t more) const;
  void add(const Share& whose, std::size_t bytes);

  const Limits limits_;
  Guarded<State> state_;
};

}  // namespace cairn::http
