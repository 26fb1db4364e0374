#include "exposure/sandbox/watchdog.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/pause.h"

namespace cairn::sandbox {
namespace {

// The number behind a name in a file of /proc, which are of kilobytes there; 0: there is none.
std::uint64_t bytes_in(const std::string& file, std::string_view name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(name)) continue;
    return std::strtoull(line.c_str() + name.size(), nullptr, 10) * 1024;
  }
  return 0;
}

// Of all its threads.
std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> out;
  std::error_code error;
  const auto threads = fmt::format("/proc/{}/task", process);
  for (auto at = std::filesystem::directory_iterator(threads, error);
       !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    std::ifstream in(at->path() / "children");
    for (pid_t child = 0; in >> child;) out.push_back(child);
  }
  return out;
}

std::vector<pid_t> all_below(pid_t process) {
  std::vector<pid_t> out = children_of(process);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto below = children_of(out[i]);
    out.insert(out.end(), below.begin(), below.end());
  }
  return out;
}

}  // namespace

Usage usage_below(pid_t process, std::uint64_t enough) {
  const auto all = all_below(process);
  Usage out{.processes = all.size()};
  for (const auto one : all)
    out.memory += bytes_in(fmt::format("/proc/{}/status", one), "RssAnon:");
  if (out.memory <= enough) return out;
  // What was shared by forking is in each of them. To take it apart costs the kernel more.
  out.memory = 0;
  for (const auto one : all) {
    out.memory += bytes_in(fmt::format("/proc/{}/smaps_rollup", one), "Pss_Anon:");
  }
  return out;
}

Watchdog::Watchdog(pid_t child, const Limits& limits)
    : child_(child),
      limits_(limits),
      handle_(static_cast<int>(::syscall(SYS_pidfd_open, child, 0))) {
  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

void Watchdog::watch(const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kEvery{200};
  while (pause(kEvery, stop)) {
    const auto why = look();
    if (why == Why::kNothing) continue;
    why_ = why;
    // By its handle: the number may be another process's by now.
    ::syscall(SYS_pidfd_send_signal, handle_.fd(), SIGKILL, nullptr, 0);
    return;
  }
}

Watchdog::Why Watchdog::look() const {
  const auto passed = std::chrono::steady_clock::now() - began_;
  if (limits_.time.count() > 0 && passed >= limits_.time) return Why::kTime;
  if (limits_.processes == 0 && limits_.memory == 0) return Why::kNothing;
  const auto used = usage_below(child_, limits_.memory);
  if (limits_.processes > 0 && used.processes > limits_.processes) return Why::kProcesses;
  if (limits_.memory > 0 && used.memory > limits_.memory) return Why::kMemory;
  return Why::kNothing;
}

}  // namespace cairn::sandbox
