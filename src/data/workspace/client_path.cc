#include "data/workspace/client_path.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/os/os_error.h"

namespace cairn {
namespace {

// Taken as a name, `C:\x` would be written to the wrong place with success.
bool has_drive_letter(std::string_view text) {
  if (text.size() < 2 || !is_letter(text[0]) || text[1] != ':') return false;
  return text.size() == 2 || text[2] == '\\' || text[2] == '/';
}

Result<void> check_lengths(const std::string& absolute) {
  if (absolute.size() > kMaxPath) {
    return os::fail_at(absolute, Code::kInvalidPath,
                       "the path has {} bytes, and {} are the most; shorten it", absolute.size(),
                       kMaxPath);
  }
  for (std::string_view rest = absolute; !rest.empty();) {
    rest.remove_prefix(1);
    const auto name = rest.substr(0, rest.find('/'));
    if (name.size() > kMaxName) {
      auto failure = os::fail_at(absolute, Code::kInvalidPath,
                                 "the name '{}' has {} bytes, and {} are the most; shorten it",
                                 os::shown_path(name), name.size(), kMaxName);
      failure.error().details.insert_or_assign("errno", "ENAMETOOLONG");
      return failure;
    }
    rest.remove_prefix(name.size());
  }
  return {};
}

void add_once(std::vector<std::string>& list, const std::string& path) {
  if (std::ranges::find(list, path) == list.end()) list.push_back(path);
}

}  // namespace

std::string lexically_normal(std::string_view absolute) {
  std::string out;
  for (auto rest = absolute; !rest.empty();) {
    rest.remove_prefix(1);
    const auto name = rest.substr(0, rest.find('/'));
    rest.remove_prefix(name.size());
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      out.resize(out.empty() ? 0 : out.rfind('/'));
      continue;
    }
    out += '/';
    out += name;
  }
  return out.empty() ? "/" : out;
}

std::string join_path(std::string_view directory, std::string_view name) {
  std::string path;
  path.reserve(directory.size() + 1 + name.size());
  path = directory;
  if (!path.ends_with('/')) path += '/';
  path += name;
  return path;
}

bool path_is_in(std::string_view path, std::string_view directory) {
  if (!path.starts_with(directory)) return false;
  return path.size() == directory.size() || directory.ends_with('/') ||
         path[directory.size()] == '/';
}

RootPaths::RootPaths(std::vector<RootPath> roots, std::string home)
    : roots_(std::move(roots)), home_(std::move(home)) {
  for (const auto& root : roots_) {
    add_once(all_, root.spelled);
    add_once(all_, root.real);
  }
}

Result<ClientPath> RootPaths::parse(std::string_view text) const {
  if (text.size() > kMaxPath) {
    return fail(Code::kInvalidPath, "the path has {} bytes, and {} are the most; shorten it",
                text.size(), kMaxPath);
  }
  std::string expanded(text);
  if (text == "~" || text.starts_with("~/")) {
    if (home_.empty()) {
      return fail(Code::kInvalidPath, "there is no home directory for the '~' of '{}'; write {}",
                  os::shown_path(text), "the path without it");
    }
    expanded.replace(0, 1, home_);
  }
  if (has_drive_letter(expanded)) {
    return os::fail_at(text, Code::kPathOutside,
                       "Access denied - Windows-style path received on a POSIX host: {}",
                       os::shown_path(text));
  }
  auto absolute = expanded.starts_with('/') ? lexically_normal(expanded) : against_roots(expanded);
  if (text.contains('\0')) return outside(absolute);
  auto path = inside(absolute);
  if (!path) return outside(absolute);
  TRY(check_lengths(path->absolute));
  return *std::move(path);
}

std::string RootPaths::against_roots(std::string_view text) const {
  for (const auto& root : all_) {
    auto candidate = lexically_normal(join_path(root, text));
    if (inside(candidate)) return candidate;
  }
  return lexically_normal(join_path(all_.front(), text));
}

std::optional<ClientPath> RootPaths::inside(std::string absolute) const {
  std::optional<std::size_t> best;
  std::size_t length = 0;
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    for (const auto* root : {&roots_[i].spelled, &roots_[i].real}) {
      if (root->size() <= length || !path_is_in(absolute, *root)) continue;
      best = i;
      length = root->size();
    }
  }
  if (!best) return std::nullopt;
  // `/` has its slash already.
  const auto below = length == 1 ? 1 : length + 1;
  return ClientPath{.absolute = std::move(absolute), .root = *best, .below = below};
}

std::optional<std::size_t> RootPaths::at(std::string_view absolute) const {
  const auto found = std::ranges::find_if(roots_, [&](const RootPath& root) {
    return root.spelled == absolute || root.real == absolute;
  });
  if (found == roots_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - roots_.begin());
}

std::string RootPaths::relative(std::string_view place) const {
  const auto path = inside(std::string(place));
  // A relative path is of the first root, so that only what is there has one.
  if (!path || path->root != 0) return std::string(place);
  return path->is_root() ? "." : path->rest();
}

Failure RootPaths::outside(std::string_view absolute) const {
  return os::fail_at(absolute, Code::kPathOutside,
                     "Access denied - path outside allowed directories: {} not in {}",
                     os::shown_path(absolute), joined());
}

Failure RootPaths::link_outside(std::string_view absolute) const {
  return os::fail_at(absolute, Code::kPathOutside,
                     "Access denied - symlink target outside allowed directories: {} not in {}",
                     os::shown_path(absolute), joined());
}

std::string RootPaths::joined() const {
  std::string out;
  for (const auto& root : all_) {
    if (!out.empty()) out += ", ";
    out += os::shown_path(root);
  }
  return out;
}

}  // namespace cairn
