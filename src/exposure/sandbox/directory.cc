#include "exposure/sandbox/directory.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <initializer_list>
#include <system_error>
#include <thread>
#include <utility>

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/os_error.h"

namespace cairn::sandbox {
namespace {

constexpr int kTries = 40;
constexpr std::chrono::milliseconds kBetween{50};

constexpr std::initializer_list<int> kEnding = {SIGINT, SIGTERM, SIGHUP};

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
    return os::io_error("make a directory as", pattern, errno);
  }
  return std::unique_ptr<SandboxDirectory>(new SandboxDirectory(pattern));
}

SandboxDirectory::SandboxDirectory(std::filesystem::path path) : path_(std::move(path)) {
  termios state{};
  if (::tcgetattr(STDIN_FILENO, &state) == 0) terminal_ = state;
  signals_.emplace(kEnding, [this](int signal) { end(signal); });
}

SandboxDirectory::~SandboxDirectory() {
  signals_.reset();
  if (!kept_) remove_tree(path_);
  sigset_t set{};
  sigemptyset(&set);
  for (const int signal : kEnding) sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void SandboxDirectory::end(int signal) {
  if (const auto command = command_.load(); command > 0) ::kill(command, SIGKILL);
  if (terminal_) ::tcsetattr(STDIN_FILENO, TCSANOW, &*terminal_);
  if (!kept_) remove_tree(path_);
  ::_exit(128 + signal);
}

// Links are not followed: directory_iterator does not, and rights are only added to what is not a
// link.
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

}  // namespace cairn::sandbox
