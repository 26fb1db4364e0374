// The metrics that Prometheus reads.
//
// Threads     every function may be called from any thread.
#pragma once

#include <memory>
#include <string>

#include "base/memory_budget.h"
#include "exposure/http/server.h"
#include "tools/executor/meter.h"
#include "tools/executor/table.h"

namespace cairn {

class Metrics final : public Meter {
 public:
  Metrics();
  ~Metrics() override;
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void called(std::string_view tool, std::string_view outcome,
              std::chrono::nanoseconds took) override;
  void requested(const http::RequestLog& request);
  void connections(int open);
  void budget(const MemoryBudget& budget);

  // In Prometheus's text format.
  std::string render() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cairn
