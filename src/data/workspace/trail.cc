#include "data/workspace/trail.h"

namespace cairn {
namespace {

constexpr std::size_t kKept = 32;

}  // namespace

void Trail::push(std::string name, os::Handle handle) {
  names_.push_back(std::move(name));
  handles_.push_back(std::move(handle));
  if (handles_.size() > kKept) handles_.pop_front();
}

void Trail::pop() {
  names_.pop_back();
  if (!handles_.empty()) handles_.pop_back();
}

os::Outcome<int> Trail::top() {
  if (names_.empty()) return root_->fd();
  if (handles_.empty()) {
    if (const auto walked = walk_again(); !walked) return std::unexpected(walked.error());
  }
  return handles_.back().fd();
}

os::Outcome<os::Handle> Trail::take_top() {
  if (names_.empty()) return os::open_name(root_->fd(), ".", O_PATH | O_DIRECTORY);
  if (const auto there = top(); !there) return std::unexpected(there.error());
  return std::move(handles_.back());
}

os::Outcome<void> Trail::walk_again() {
  int from = root_->fd();
  for (const auto& name : names_) {
    auto handle = os::open_name(from, name, O_PATH | O_DIRECTORY);
    if (!handle) {
      handles_.clear();
      return std::unexpected(handle.error());
    }
    handles_.push_back(*std::move(handle));
    from = handles_.back().fd();
    if (handles_.size() > kKept) handles_.pop_front();
  }
  return {};
}

std::string Trail::place(const RootPaths& paths) const {
  auto place = paths[index_].real;
  for (const auto& name : names_) {
    if (!place.ends_with('/')) place += '/';
    place += name;
  }
  return place;
}

}  // namespace cairn
