// From what a client wrote to a root and a path below it: names only, no file is looked at.
//
// A root has two paths: as it was spelled when it was given, and as it really is, after links.
// Clients may write either. `.`, `..` and `//` are taken out before anything is compared, so a
// ClientPath holds plain names only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn {

inline constexpr std::size_t kMaxPath = 4096;
inline constexpr std::size_t kMaxName = 255;

// Without `.`, `..`, `//` and a slash at the end. REQUIRES: it begins with a slash.
std::string lexically_normal(std::string_view absolute);
// `/a` and `b` to `/a/b`; `/` and `b` to `/b`.
std::string join_path(std::string_view directory, std::string_view name);
// Whether it is the directory or below it. REQUIRES: both are lexically normal.
bool path_is_in(std::string_view path, std::string_view directory);

struct RootPath {
  std::string spelled;
  std::string real;
};

struct ClientPath {
  std::string absolute;   // lexically normal
  std::size_t root = 0;   // which one
  std::size_t below = 0;  // where in `absolute` the names below that root begin
  bool is_root() const { return below >= absolute.size(); }
  const char* rest() const { return is_root() ? "" : absolute.c_str() + below; }
};

// Threads     immutable.
class RootPaths final {
 public:
  // REQUIRES: at least one; all paths lexically normal.
  RootPaths(std::vector<RootPath> roots, std::string home);

  const RootPath& operator[](std::size_t index) const { return roots_[index]; }
  std::size_t size() const { return roots_.size(); }
  // Each as it was spelled and, when that differs, as it is; nothing twice.
  const std::vector<std::string>& all() const { return all_; }

  // PATH_OUTSIDE, INVALID_PATH.
  Result<ClientPath> parse(std::string_view text) const;
  // A lexically normal path; nullopt when it is outside.
  std::optional<ClientPath> inside(std::string absolute) const;
  // The root that has exactly this path.
  std::optional<std::size_t> at(std::string_view absolute) const;
  // `notes/a.md`, `.`; a path that is not in the first root stays as it is.
  std::string relative(std::string_view place) const;

  Failure outside(std::string_view absolute) const;
  // Does not say where the link leads.
  Failure link_outside(std::string_view absolute) const;

 private:
  std::string against_roots(std::string_view text) const;
  std::string joined() const;

  std::vector<RootPath> roots_;
  std::vector<std::string> all_;
  std::string home_;
};

}  // namespace cairn
