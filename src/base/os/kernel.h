// Kernel: the operating system as a caller wants to have it. Everything in base/os goes through
// one, so it is the one seam where a test lets calls fail.
//
// Threads     a Kernel is a value; Faults may be asked from any thread that makes calls.
#pragma once

#include <cstddef>

namespace cairn::os {

enum class Call {
  kOpen,
  kClose,
  kStat,
  kRead,
  kWrite,
  kSync,
  kLock,
  kSetMode,
  kRename,
  kLink,
  kRemove,
  kMakeDirectory,
  kList,
};

// Stands between a call and the kernel. For tests.
class Faults {
 public:
  virtual ~Faults() = default;

  // 0: the call is made. An errno: it fails with that, and nothing is done.
  virtual int before(Call call) = 0;
  // How many bytes a call that reads or writes so many is allowed at most; at least 1.
  virtual std::size_t portion(Call, std::size_t size) { return size; }
};

struct Kernel {
  // None: every call is made. REQUIRES: they outlive whatever has a copy of this.
  Faults* faults = nullptr;

  // The features of the kernel to use. False is as if it had none of them.
  bool openat2 = true;
  bool proc = true;
  bool rename_noreplace = true;
};

}  // namespace cairn::os
