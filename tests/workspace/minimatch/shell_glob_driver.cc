// Reads lines "pattern TAB path" and answers each with a line: 1 if the path matches, 0 if it does
// not, or why the pattern is refused; until its input ends. Where a path matches, a walk has to
// enter every directory above it.
#include <iostream>
#include <string>
#include <string_view>

#include "data/text/shell_glob.h"

namespace {

using cairn::Result;
using cairn::ShellGlob;

bool has_empty_name(std::string_view path) {
  return path.empty() || path.starts_with('/') || path.ends_with('/') ||
         path.find("//") != std::string_view::npos;
}

bool walk_arrives(const ShellGlob& glob, std::string_view path) {
  if (!glob.may_match_below("")) return false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '/' && !glob.may_match_below(path.substr(0, i))) return false;
  }
  return true;
}

std::string answered(const Result<ShellGlob>& glob, std::string_view path) {
  if (!glob) return glob.error().message;
  if (!glob->matches(path)) return "0";
  if (!has_empty_name(path) && !walk_arrives(*glob, path)) return "a walk would not enter";
  return "1";
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
