// Reads lines "pattern TAB path" and answers each with a line: 1 if the path matches, 0 if it does
// not, or why the pattern is refused; until its input ends.
#include <iostream>
#include <string>
#include <string_view>

#include "data/text/shell_glob.h"

namespace {

using cairn::Result;
using cairn::ShellGlob;

std::string answered(const Result<ShellGlob>& glob, std::string_view path) {
  if (!glob) return glob.error().message;
  return glob->matches(path) ? "1" : "0";
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  std::string read;
  auto glob = ShellGlob::parse(read);
  for (std::string pattern, path; std::getline(std::cin, pattern, '\t');) {
    std::getline(std::cin, path);
    if (read != pattern) glob = ShellGlob::parse(pattern);
    read = pattern;
    std::cout << answered(glob, path) << '\n';
  }
  return 0;
}
