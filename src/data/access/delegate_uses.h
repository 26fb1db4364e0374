// DelegateUses: when a token of each delegate was last used, to the minute.
//
// Uses are gathered in memory and written down from time to time, so that calls do not wait for it:
// a process that is killed forgets those that were not yet.
// Threads  every function may be called from any thread.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/id.h"
#include "base/result.h"
#include "data/store/key_value.h"

namespace cairn {

class DelegateUses final {
 public:
  static constexpr Millis kGrain = 60'000;

  // REQUIRES: both outlive it.
  DelegateUses(KeyValueStore& kv, const Clock& clock) : kv_(kv), clock_(clock) {}
  DelegateUses(const DelegateUses&) = delete;
  DelegateUses& operator=(const DelegateUses&) = delete;

  // Now.
  void note(const RealmId& realm, const DelegateId& delegate);
  // The beginning of the minute; nothing: never.
  Result<std::optional<Millis>> last(const RealmId& realm, const DelegateId& delegate) const;
  // Writes down what was noted since; what could not be written is kept for the next time.
  Result<void> keep();
  Result<void> remove_all(const RealmId& realm);

 private:
  using Noted = std::map<std::pair<RealmId, DelegateId>, Millis>;

  KeyValueStore& kv_;
  const Clock& clock_;
  mutable Guarded<Noted> noted_;
};

}  // namespace cairn
