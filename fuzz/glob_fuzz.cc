// Of both dialects: any pattern parses or is refused, with a message that can be shown. Of Glob, a
// path that matches lies below directories that may have a match, and an escaped path matches
// itself.
//
// Input: the pattern, a line feed, the path.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "data/text/glob.h"
#include "data/text/shell_glob.h"

namespace {

using cairn::Glob;
using cairn::ShellGlob;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_pruning(const Glob& glob, std::string_view path) {
  if (!glob.matches(path)) return;
  require(glob.may_match_below(""));
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (path[i] == '/') require(glob.may_match_below(path.substr(0, i)));
  }
}

std::string escaped(std::string_view path) {
  std::string pattern = "/";
  for (char c : path) {
    if (std::string_view("*?[]{},\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

void check_literal(std::string_view path) {
  auto glob = Glob::parse(escaped(path));
  if (!glob) return;  // empty, relative or too long
  require(glob->matches(path));
  require(!glob->matches(std::string(path) + "x"));
}

void check_shell(std::string_view pattern, std::string_view path) {
  auto glob = ShellGlob::parse(pattern);
  if (!glob) return require(cairn::valid_utf8(glob.error().message));
  bool matches = glob->matches(path);
  if (pattern.empty() || pattern[0] == '#') return;
  auto opposite = ShellGlob::parse("!" + std::string(pattern));
  if (opposite) require(opposite->matches(path) != matches);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  auto cut = input.find('\n');
  auto path = cut == std::string_view::npos ? std::string_view() : input.substr(cut + 1);
  auto glob = Glob::parse(input.substr(0, cut));
  if (glob) {
    check_pruning(*glob, path);
    glob->may_match_below(path);
  } else {
    require(cairn::valid_utf8(glob.error().message));
  }
  check_literal(path);
  check_shell(input.substr(0, cut), path);
  return 0;
}
