// The names in a directory, straight from the kernel.
//
// Threads     a NameReader is for one thread.
// Fails with  the errno.
// Cost        one call into the kernel for some thousand names; none for a single name.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "base/os/system.h"

namespace cairn::os {

struct RawName {
  std::string_view name;   // until the next call
  unsigned char type = 0;  // DT_…; DT_UNKNOWN on some file systems
};

class NameReader final {
 public:
  // `directory` may be an O_PATH handle.
  static Outcome<NameReader> open(int directory, const Kernel& kernel = {});
  // Takes a directory that is open for reading.
  explicit NameReader(Handle handle, const Kernel& kernel = {});

  // Without `.` and `..`; nothing at the end.
  Outcome<std::optional<RawName>> next();
  // The directory, readable.
  int fd() const { return handle_.fd(); }

 private:
  Outcome<bool> refill();

  Handle handle_;
  Kernel kernel_;
  std::unique_ptr<char[]> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

// The kind of an entry, DT_…, asking for it where the listing does not say; DT_UNKNOWN: it is gone,
// or nobody may know.
unsigned char type_of(int directory, const RawName& entry, const Kernel& kernel = {});

}  // namespace cairn::os
