// Trail: the way from a root down to where a walk stands, so that `..` goes back the way it came
// and never where the kernel thinks the parent is by now.
//
// Holds the last few handles only, so that a deep path does not use up the process's; what lies
// further up is walked again, by the same names and through no link.
//
// Threads     one at a time: a walk's own.
// Fails with  the errno of the system call.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "data/workspace/roots.h"

namespace cairn {

class Trail final {
 public:
  Trail(SharedHandle root, std::size_t index) : root_(std::move(root)), index_(index) {}

  std::size_t root() const { return index_; }
  bool at_root() const { return names_.empty(); }
  const std::string& name() const { return names_.back(); }
  const std::vector<std::string>& names() const { return names_; }

  void push(std::string name, os::Handle handle);
  void pop();
  // The handle of where it stands. An errno when what was walked is no longer so.
  os::Outcome<int> top();
  // Gives that handle away; the trail may then only be popped.
  os::Outcome<os::Handle> take_top();

  std::string place(const RootPaths& paths) const;

 private:
  os::Outcome<void> walk_again();

  SharedHandle root_;
  std::size_t index_;
  std::vector<std::string> names_;
  std::deque<os::Handle> handles_;  // of the last names
};

}  // namespace cairn
