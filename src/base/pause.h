// A pause that ends early when somebody asks the thread to stop.
#pragma once

#include <chrono>
#include <stop_token>

namespace cairn {

// Waits; false when stopped. Threads: any.
bool pause(std::chrono::milliseconds time, const std::stop_token& stop);

}  // namespace cairn
