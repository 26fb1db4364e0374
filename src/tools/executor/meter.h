// Meter: counts calls for whoever watches the process. See exposure for the one that Prometheus
// reads.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace cairn {

class Meter {
 public:
  virtual ~Meter() = default;
  // Thread-safe and quick. The texts live as long as the process.
  virtual void called(std::string_view tool, std::string_view outcome,
                      std::chrono::nanoseconds took) = 0;
};

class NoMeter final : public Meter {
 public:
  void called(std::string_view, std::string_view, std::chrono::nanoseconds) override {}
};

}  // namespace cairn
