// Waits for what a watching mirror acts on: a change in its directory (inotify), a time, the end.
//
// A directory is added just before it is listed: whatever changes in it after it was looked at
// wakes the next wait. A queue that overflows is a change like any other, for after each the whole
// directory is looked at.
//
// Threads     one at a time.
#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"
#include "exposure/mirror/directory.h"

namespace cairn::mirror {

class MirrorWatch final {
 public:
  // `stop` can be read when it is time to end.
  MirrorWatch(const Clock& clock, int stop);

  // Watching a directory again changes nothing.
  void add(int directory);
  // Why some directories are not watched, and what to do; empty: all are.
  const std::string& trouble() const { return trouble_; }

  enum class Woken { kStop, kChange, kTime };
  // After a change, until it is quiet for a moment, or not for long.
  Woken wait(std::chrono::milliseconds at_most);

 private:
  static constexpr std::chrono::milliseconds kQuiet{200};
  static constexpr std::chrono::milliseconds kLongest{2000};

  enum class Event { kStop, kChange, kNothing };
  Event next(std::chrono::milliseconds at_most);
  // Whether any of what happened matters.
  bool drain() const;

  const Clock& clock_;
  int stop_;
  os::Handle inotify_;
  std::string trouble_;
};

}  // namespace cairn::mirror
