// The directory a sandboxed command works in, which goes away however the program ends.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>

#include <sys/types.h>
#include <termios.h>

#include "base/os/signal_thread.h"
#include "base/result.h"

namespace cairn::sandbox {

// A directory of nobody else, below $XDG_RUNTIME_DIR or /tmp. SIGINT, SIGTERM and SIGHUP end the
// program at once, with the command that runs in it, after removing it; only SIGKILL leaves it.
//
// Threads  made before others are started: they inherit which signals are blocked.
class SandboxDirectory final {
 public:
  static Result<std::unique_ptr<SandboxDirectory>> make();
  ~SandboxDirectory();
  SandboxDirectory(const SandboxDirectory&) = delete;
  SandboxDirectory& operator=(const SandboxDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Where the tree is.
  std::filesystem::path work() const { return path_ / "work"; }

  // The process that a signal ends first; 0: none.
  void set_command(pid_t command) { command_ = command; }
  // It stays, also after signals.
  void keep() { kept_ = true; }

 private:
  explicit SandboxDirectory(std::filesystem::path path);
  [[noreturn]] void end(int signal);

  std::filesystem::path path_;
  std::optional<termios> terminal_;  // as it was
  std::atomic<pid_t> command_ = 0;
  std::atomic<bool> kept_ = false;
  std::optional<os::SignalThread> signals_;
};

// Lets its owner read and change everything below, whatever modes were set there.
void make_reachable(const std::filesystem::path& directory);

}  // namespace cairn::sandbox
