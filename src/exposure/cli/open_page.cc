#include "exposure/cli/open_page.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

namespace cairn::cli {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string opener() {
  // A list of programs, each with or without arguments: the first, if it is only a name.
  auto browser = environment("BROWSER");
  browser.resize(std::min(browser.size(), browser.find(':')));
  if (!browser.empty() && browser.find_first_of(" %") == std::string::npos) return browser;
  const bool desktop = !environment("DISPLAY").empty() || !environment("WAYLAND_DISPLAY").empty();
  return desktop ? "xdg-open" : "";
}

}  // namespace

bool open_page(const std::string& url) {
  auto program = opener();
  if (program.empty()) return false;
  auto page = url;
  char* const arguments[] = {program.data(), page.data(), nullptr};
  posix_spawn_file_actions_t quiet;
  if (::posix_spawn_file_actions_init(&quiet) != 0) return false;
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_RDWR, 0);
  }
  pid_t child = 0;
  const bool begun =
      ::posix_spawnp(&child, program.c_str(), &quiet, nullptr, arguments, ::environ) == 0;
  ::posix_spawn_file_actions_destroy(&quiet);
  return begun;
}

}  // namespace cairn::cli
