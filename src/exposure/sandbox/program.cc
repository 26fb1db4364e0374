#include "exposure/sandbox/program.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <linux/close_range.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/disk_files.h"
#include "base/quote.h"

namespace cairn::sandbox {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr std::string_view kHome = "/tmp/home";  // not /work: programs leave their settings there
constexpr int kCannotRun = 127;

constexpr std::string_view kSystem[] = {"/usr",   "/bin",   "/sbin",  "/lib",
                                        "/lib32", "/lib64", "/libx32"};
constexpr std::string_view kSettings[] = {"/etc/alternatives", "/etc/ld.so.cache",
                                          "/etc/ld.so.conf",   "/etc/ld.so.conf.d",
                                          "/etc/localtime",    "/etc/terminfo"};

std::string environment(const char* name, std::string otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::move(otherwise) : value;
}

// An executable of that name in PATH; empty when there is none.
std::string find_program(std::string_view name) {
  std::istringstream path(environment("PATH", std::string(kPath)));
  for (std::string directory; std::getline(path, directory, ':');) {
    auto file = (std::filesystem::path(directory) / name).string();
    if (!directory.empty() && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

bool is_below(const std::filesystem::path& path, std::string_view directory) {
  return path.string().starts_with(std::string(directory) + "/");
}

std::string shell() {
  const auto own = environment("SHELL", "");
  const bool inside = own.starts_with("/usr/") || own.starts_with("/bin/");
  if (inside && ::access(own.c_str(), X_OK) == 0) return own;
  return ::access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh";
}

void add(Words& out, std::initializer_list<std::string_view> words) {
  for (const auto word : words) out.emplace_back(word);
}

// The programs of this system, as they are.
void add_system(Words& out, const std::filesystem::path& hidden) {
  std::error_code error;
  for (const auto place : kSystem) {
    const std::filesystem::path path(place);
    if (std::filesystem::is_symlink(path, error)) {
      const auto target = std::filesystem::read_symlink(path, error).string();
      add(out, {"--symlink", target, place});
    } else if (std::filesystem::exists(path, error)) {
      add(out, {"--ro-bind", place, place});
    }
  }
  for (const auto place : kSettings) add(out, {"--ro-bind-try", place, place});
  const auto real = std::filesystem::weakly_canonical(hidden, error);
  for (const auto place : kSystem) {
    if (!error && is_below(real, place)) add(out, {"--tmpfs", real.string()});
  }
}

// In the child, before another program takes its place. It gets no environment: bubblewrap is the
// first process inside, and whatever is there can read the first process's in /proc.
[[noreturn]] void become(const Words& words, std::uint64_t memory = RLIM_INFINITY) {
  const rlimit most{.rlim_cur = memory, .rlim_max = memory};
  if (memory != RLIM_INFINITY && ::setrlimit(RLIMIT_DATA, &most) != 0) ::_exit(kCannotRun);
  std::vector<char*> pointers;
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  sigset_t none{};
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  // Whatever else this process has open, or was given by its parent, stays outside.
  if (::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) != 0) ::_exit(kCannotRun);
  char* nothing[] = {nullptr};
  ::execve(pointers.front(), pointers.data(), nothing);
  ::_exit(kCannotRun);
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Watchdog::Limits watched(const SandboxLimits& limits) {
  // Bubblewrap's own first process is beside them.
  return {.time = limits.time, .processes = limits.processes + 1, .memory = limits.all_memory};
}

Ended ended(int code, const Watchdog& watchdog) {
  const auto why = watchdog.ended_for();
  return {.code = why == Watchdog::Why::kTime ? kTimeIsOver : code, .why = why};
}

Failure cannot_start() {
  return fail(Code::kUnavailable, "cannot start the sandbox: {}", std::strerror(errno));
}

// The output of a program, and how it ended.
struct Said {
  int code = 0;
  std::string text;
};
Result<Said> ask(const Words& words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return cannot_start();
  const auto child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    become(words);
  }
  ::close(ends[1]);
  Said said;
  char room[4096];
  for (ssize_t got = 0; child > 0 && (got = ::read(ends[0], room, sizeof room)) > 0;) {
    said.text.append(room, static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  if (child < 0) return cannot_start();
  said.code = wait_for(child);
  return said;
}

// Newer ones can see to it that no user namespace is made inside, where a kernel has most to hide.
bool can_forbid_namespaces(const std::string& bwrap) {
  const auto said = ask({bwrap, "--disable-userns", "--version"});
  return said && said->code == 0;
}

Words bubblewrap(const std::string& program, const SandboxDirectory& directory,
                 const std::filesystem::path& hidden, std::uint64_t memory) {
  Words out{program};
  const bool newer = can_forbid_namespaces(program);
  add(out, {"--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000", "--hostname",
            "sandbox", "--die-with-parent", "--cap-drop", "ALL", "--clearenv"});
  add(out, {"--setenv", "PATH", kPath, "--setenv", "HOME", kHome, "--setenv", "LANG", "C.UTF-8"});
  add(out, {"--setenv", "TERM", environment("TERM", "dumb")});
  add_system(out, hidden);
  for (const std::string name : {"passwd", "group"}) {
    add(out, {"--ro-bind", (directory.path() / name).string(), "/etc/" + name});
  }
  add(out, {"--proc", "/proc", "--dev", "/dev"});
  // What is in /tmp is memory too.
  if (newer) add(out, {"--size", std::to_string(memory)});
  add(out, {"--tmpfs", "/tmp", "--dir", kHome});
  add(out, {"--bind", directory.work().string(), "/work", "--chdir", "/work"});
  // For root, whose sandbox would otherwise write to /proc/sys.
  add(out, {"--remount-ro", "/proc", "--remount-ro", "/"});
  if (newer) add(out, {"--disable-userns"});
  return out;
}

// Somebody has to be there who owns the files.
Result<void> write_users(const SandboxDirectory& directory) {
  const auto user = fmt::format("user:x:1000:1000:user:{}:/bin/sh\n", kHome);
  TRY(os::replace_file(directory.path() / "passwd", user, 0644));
  return os::replace_file(directory.path() / "group", "user:x:1000:\n", 0644);
}

Result<Ended> run_without_terminal(SandboxDirectory& directory, const Words& words,
                                   const SandboxProgram& program) {
  const auto child = ::fork();
  if (child < 0) return cannot_start();
  if (child == 0) {
    if (program.output_is_ours) ::dup2(STDERR_FILENO, STDOUT_FILENO);
    become(words, program.limits.memory);
  }
  directory.set_command(child);
  const Watchdog watchdog(child, watched(program.limits));
  const auto code = wait_for(child);
  directory.set_command(0);
  return ended(code, watchdog);
}

Result<Ended> run_on_terminal(SandboxDirectory& directory, const Words& words,
                              const SandboxLimits& limits) {
  termios modes{};
  winsize size{};
  ::tcgetattr(STDIN_FILENO, &modes);
  ::ioctl(STDIN_FILENO, TIOCGWINSZ, &size);
  int leader = -1;
  const auto child = ::forkpty(&leader, nullptr, &modes, &size);
  if (child < 0) return cannot_start();
  if (child == 0) become(words, limits.memory);
  directory.set_command(child);
  const Watchdog watchdog(child, watched(limits));
  relay_terminal(leader);
  ::close(leader);
  const auto code = wait_for(child);
  directory.set_command(0);
  return ended(code, watchdog);
}

}  // namespace

Result<void> check_bubblewrap(const SandboxDirectory& directory, const SandboxProgram& program) {
  const auto bwrap = find_program("bwrap");
  if (bwrap.empty()) {
    return fail(Code::kUnavailable,
                "there is no bwrap in PATH, and the sandbox is made with it; install it, as in "
                "'apt-get install bubblewrap'");
  }
  TRY(write_users(directory));
  std::error_code error;
  std::filesystem::create_directory(directory.work(), error);
  auto words = bubblewrap(bwrap, directory, program.hidden, program.limits.memory);
  add(words, {"--new-session", "--", "/bin/sh", "-c", ":"});
  auto said = TRY(ask(words));
  if (said.code == 0) return {};
  while (said.text.ends_with('\n')) said.text.pop_back();
  return fail(Code::kUnavailable,
              "the sandbox cannot be made here ({}); the kernel has to allow user namespaces: see "
              "the settings kernel.unprivileged_userns_clone=1, user.max_user_namespaces and, on "
              "Ubuntu, kernel.apparmor_restrict_unprivileged_userns=0; a container needs to be "
              "allowed them too",
              shown(said.text, 300));
}

Result<Ended> run_sandboxed(SandboxDirectory& directory, const SandboxProgram& program) {
  auto words = bubblewrap(find_program("bwrap"), directory, program.hidden, program.limits.memory);
  const bool terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
  const bool own_terminal = terminal && !program.output_is_ours;
  if (!own_terminal) add(words, {"--new-session"});
  // The number of processes is a limit from inside: there it counts those of the sandbox alone.
  // Some shells call it -u, some -p.
  add(words, {"--", "/bin/sh", "-c",
              fmt::format("ulimit -u {0} 2>/dev/null || ulimit -p {0} 2>/dev/null; exec \"$@\"",
                          program.limits.processes),
              "sh"});
  if (program.command.empty()) {
    words.push_back(shell());
  } else {
    words.insert(words.end(), program.command.begin(), program.command.end());
  }
  if (own_terminal) return run_on_terminal(directory, words, program.limits);
  return run_without_terminal(directory, words, program);
}

}  // namespace cairn::sandbox
