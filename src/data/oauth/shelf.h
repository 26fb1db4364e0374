// Shelf: records that wait for a while and go by themselves: requests, codes, device codes.
//
// Invariants  an id is 256 random bits behind the time; only its hash is stored. Whatever is older
//             than the shelf's lifetime is not there any more. There are never more than `most`:
//             the oldest go.
// Threads     every function may be called from any thread.
// Fails with  what the store fails with.
// Costs       every so often a put looks at all records of the shelf.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "data/store/key_value.h"

namespace cairn::oauth {

struct ShelfRules {
  char letter = 'r';
  std::chrono::milliseconds lifetime{};
  std::size_t most = 10'000;
};

class Shelf final {
 public:
  Shelf(KeyValueStore& kv, const Clock& clock, Random& random, const ShelfRules& rules)
      : kv_(kv), clock_(clock), random_(random), rules_(rules) {}

  struct Place {
    std::string id;
    Bytes key;
  };
  // For a record that is put with a batch of the caller's; REQUIRES: make_room() before it.
  Place place() const;
  Result<void> make_room();

  // Where it lies; nothing: no such id can be.
  std::optional<Bytes> key_of(std::string_view id) const;
  // Nothing: there is none of that id.
  Result<std::optional<Bytes>> get(std::string_view id) const;
  // The same by where it lies.
  Result<std::optional<Bytes>> get_at(ByteView key) const;
  // When it was put there. REQUIRES: a key of this shelf.
  static Millis time_of(ByteView key);
  std::chrono::milliseconds lifetime() const { return rules_.lifetime; }

  // Removes those that are too old.
  Result<void> tidy() { return sweep(rules_.most); }

 private:
  Result<void> sweep(std::size_t most);
  Bytes prefix() const { return Bytes("O") + rules_.letter; }

  KeyValueStore& kv_;
  const Clock& clock_;
  Random& random_;
  ShelfRules rules_;
  // Puts since they were counted; more than there may be: they never were.
  std::atomic<std::size_t> since_ = SIZE_MAX / 2;
};

}  // namespace cairn::oauth
