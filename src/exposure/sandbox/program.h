// Runs a command where it reaches nothing but one directory: in bubblewrap.
//
// Inside there is the directory at /work, the system's programs read-only, an empty /tmp, a /proc
// and a /dev of its own, and nothing else: no network, no home, no sockets, no other processes,
// none of the caller's environment, and a user without rights.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "exposure/sandbox/directory.h"
#include "exposure/sandbox/watchdog.h"

namespace cairn::sandbox {

// What the command may take of this machine.
struct SandboxLimits {
  std::uint64_t memory = std::uint64_t{4} << 30;  // bytes that each process may write to
  std::uint64_t all_memory = 0;                   // of all of them together; 0: any
  std::uint64_t processes = 1024;                 // at once
  std::chrono::seconds time{0};                   // 0: any
};

struct SandboxProgram {
  std::vector<std::string> command;  // empty: a shell
  std::filesystem::path hidden;      // the data directory, should the system's directories hold it
  bool output_is_ours = false;       // its standard output goes to standard error
  SandboxLimits limits = {};
};

// Fails with UNAVAILABLE when bubblewrap is not there or the kernel does not let it work, and says
// what to do.
Result<void> check_bubblewrap(const SandboxDirectory& directory, const SandboxProgram& program);

// The command's exit code; 128 and the number of the signal that ended it; kTimeIsOver. And which
// limit it was ended for.
//
// On a terminal it has one of its own, through which everything is passed: job control works, and
// nothing it does to its terminal (TIOCSTI) types into the caller's. Otherwise it is in a session
// without terminal.
inline constexpr int kTimeIsOver = 124;  // as timeout(1) says it
struct Ended {
  int code = 0;
  Watchdog::Why why = Watchdog::Why::kNothing;
};
Result<Ended> run_sandboxed(SandboxDirectory& directory, const SandboxProgram& program);

// Passes everything between this terminal and the other, until that one's last user is gone.
void relay_terminal(int other);

}  // namespace cairn::sandbox
