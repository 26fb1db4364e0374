#include "exposure/serve/metrics.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>

#include "base/guarded.h"
#include "base/os/disk_files.h"

namespace cairn {
namespace {

const prometheus::Histogram::BucketBoundaries kSeconds{0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05,
                                                       0.1,    0.5,    1,     5,     10};

// The second number of statm, in pages; 0 where there is no /proc.
double resident_bytes() {
  const auto text = os::read_file("/proc/self/statm").value_or("");
  const auto space = text.find(' ');
  std::uint64_t pages = 0;
  if (space != std::string::npos) {
    std::from_chars(text.data() + space + 1, text.data() + text.size(), pages);
  }
  return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

struct Metrics::Parts {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& calls = prometheus::BuildCounter()
                                                       .Name("cairn_calls_total")
                                                       .Help("Calls of tools, by outcome")
                                                       .Register(registry);
  prometheus::Family<prometheus::Histogram>& seconds = prometheus::BuildHistogram()
                                                           .Name("cairn_call_seconds")
                                                           .Help("How long calls took")
                                                           .Register(registry);
  prometheus::Family<prometheus::Counter>& requests = prometheus::BuildCounter()
                                                          .Name("cairn_http_requests_total")
                                                          .Help("HTTP requests, by class of status")
                                                          .Register(registry);
  prometheus::Gauge& open = prometheus::BuildGauge()
                                .Name("cairn_http_connections")
                                .Help("Open HTTP connections")
                                .Register(registry)
                                .Add({});
  prometheus::Gauge& resident = prometheus::BuildGauge()
                                    .Name("process_resident_memory_bytes")
                                    .Help("Resident memory")
                                    .Register(registry)
                                    .Add({});
  prometheus::Family<prometheus::Gauge>& budget =
      prometheus::BuildGauge()
          .Name("cairn_memory_budget_bytes")
          .Help("How the memory that may be used is shared out")
          .Register(registry);
  std::array<prometheus::Counter*, 6> by_class{};

  // The library looks a metric up by all its labels; this finds it by two words, which are names
  // of tools and codes and live as long as the process.
  Guarded<std::map<std::pair<std::string_view, std::string_view>, prometheus::Counter*>> counters;
  Guarded<std::map<std::string_view, prometheus::Histogram*>> histograms;
};

Metrics::Metrics() : parts_(std::make_unique<Parts>()) {
  const char* names[] = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};
  for (std::size_t i = 0; i < parts_->by_class.size(); ++i) {
    parts_->by_class[i] = &parts_->requests.Add({{"status", names[i]}});
  }
}

Metrics::~Metrics() = default;

void Metrics::called(std::string_view tool, std::string_view outcome,
                     std::chrono::nanoseconds took) {
  prometheus::Counter* counter = nullptr;
  {
    auto counters = parts_->counters.lock();
    auto found = counters->find({tool, outcome});
    if (found == counters->end()) {
      auto& made =
          parts_->calls.Add({{"tool", std::string(tool)}, {"outcome", std::string(outcome)}});
      found = counters->emplace(std::pair(tool, outcome), &made).first;
    }
    counter = found->second;
  }
  counter->Increment();
  prometheus::Histogram* histogram = nullptr;
  {
    auto histograms = parts_->histograms.lock();
    auto found = histograms->find(tool);
    if (found == histograms->end()) {
      auto& made = parts_->seconds.Add({{"tool", std::string(tool)}}, kSeconds);
      found = histograms->emplace(tool, &made).first;
    }
    histogram = found->second;
  }
  histogram->Observe(std::chrono::duration<double>(took).count());
}

void Metrics::requested(const http::RequestLog& request) {
  const auto kind = static_cast<std::size_t>(request.status / 100);
  parts_->by_class[kind < parts_->by_class.size() ? kind : 0]->Increment();
}

void Metrics::connections(int open) { parts_->open.Set(open); }

void Metrics::budget(const MemoryBudget& budget) {
  for (const auto& [share, bytes] : budget.shares()) {
    parts_->budget.Add({{"share", std::string(share)}}).Set(static_cast<double>(bytes));
  }
}

std::string Metrics::render() const {
  parts_->resident.Set(resident_bytes());
  return prometheus::TextSerializer().Serialize(parts_->registry.Collect());
}

}  // namespace cairn
