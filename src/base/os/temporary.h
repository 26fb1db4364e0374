// Temporary names beside what is being made: `.cairn-<16 hex digits>.tmp`, of which the first
// eight are of one TemporaryNames.
//
// Threads     every function may be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/os/system.h"
#include "base/random.h"

namespace cairn::os {

class TemporaryNames final {
 public:
  explicit TemporaryNames(Random& random);

  std::string next();
  // Whether this object made it up. Those that a killed process left behind are ordinary files.
  bool mine(std::string_view name) const;

 private:
  std::string beginning_;
  std::atomic<std::uint32_t> counter_;
};

// A file or directory under a temporary name, removed with all in it unless it was put in place.
class Draft final {
 public:
  // REQUIRES: both outlive it.
  Draft(int directory, TemporaryNames& names, const Kernel& kernel = {})
      : directory_(directory), names_(names), kernel_(kernel), name_(names.next()) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft();

  const std::string& name() const { return name_; }
  void keep() { kept_ = true; }

 private:
  int directory_;
  TemporaryNames& names_;
  Kernel kernel_;
  std::string name_;
  bool kept_ = false;
};

}  // namespace cairn::os
