#include "exposure/cli/sandbox_directory.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quote.h"

namespace cairn::cli {
namespace {

// Ends the thread that waits.
constexpr int kWake = SIGUSR1;
constexpr int kTries = 40;
constexpr std::chrono::milliseconds kBetween{50};

sigset_t waited_for() {
  sigset_t set{};
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, kWake}) sigaddset(&set, number);
  return set;
}

std::filesystem::path parent() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/' && ::access(runtime, W_OK | X_OK) == 0) {
    return runtime;
  }
  return "/tmp";
}

// A command that was just killed may write for a moment longer.
void remove_tree(const std::filesystem::path& directory) {
  std::error_code error;
  for (int i = 0; i < kTries; ++i) {
    make_reachable(directory);
    std::filesystem::remove_all(directory, error);
    if (!error && !std::filesystem::exists(directory, error)) return;
    std::this_thread::sleep_for(kBetween);
  }
}

void add_rights(const std::filesystem::path& path, std::filesystem::perms rights) {
  std::error_code error;
  std::filesystem::permissions(path, rights, std::filesystem::perm_options::add, error);
}

}  // namespace

Result<std::unique_ptr<SandboxDirectory>> SandboxDirectory::make() {
  auto pattern = (parent() / "cairn-sandbox-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return fail(Code::kIoError, "cannot make a directory as '{}': {}", shown(pattern),
                std::strerror(errno));
  }
  return std::unique_ptr<SandboxDirectory>(new SandboxDirectory(pattern));
}

SandboxDirectory::SandboxDirectory(std::filesystem::path path) : path_(std::move(path)) {
  termios state{};
  if (::tcgetattr(STDIN_FILENO, &state) == 0) terminal_ = state;
  const sigset_t set = waited_for();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { wait(); });
}

SandboxDirectory::~SandboxDirectory() {
  pthread_kill(thread_.native_handle(), kWake);
  thread_.join();
  if (!kept_) remove_tree(path_);
  sigset_t set = waited_for();
  sigdelset(&set, kWake);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void SandboxDirectory::wait() {
  const sigset_t set = waited_for();
  int number = 0;
  sigwait(&set, &number);
  if (number == kWake) return;
  if (const auto command = command_.load(); command > 0) ::kill(command, SIGKILL);
  if (terminal_) ::tcsetattr(STDIN_FILENO, TCSANOW, &*terminal_);
  if (!kept_) remove_tree(path_);
  ::_exit(128 + number);
}

// Links are not followed: a directory_iterator does not, and rights are only added to what is none.
void make_reachable(const std::filesystem::path& directory) {
  using std::filesystem::perms;
  std::error_code error;
  add_rights(directory, perms::owner_all);
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    const auto status = at->symlink_status(error);
    if (std::filesystem::is_directory(status)) make_reachable(at->path());
    if (std::filesystem::is_regular_file(status)) add_rights(at->path(), perms::owner_read);
  }
}

}  // namespace cairn::cli
