// The names in a directory, straight from the kernel.
//
// Threads     a NameReader is for one thread.
// Cost        one call into the kernel for some thousand names; none for a single name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "data/workspace/system.h"

namespace cairn {

struct RawName {
  std::string_view name;   // until the next call
  unsigned char type = 0;  // DT_…; DT_UNKNOWN on some file systems
};

class NameReader final {
 public:
  // `directory` may be an O_PATH handle.
  static os::Outcome<NameReader> open(int directory);

  // Without `.` and `..`; nothing at the end.
  os::Outcome<std::optional<RawName>> next();
  // The directory, readable.
  int fd() const { return handle_.fd(); }
  os::Outcome<void> rewind();

 private:
  explicit NameReader(Handle handle);

  Handle handle_;
  std::unique_ptr<char[]> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

// The name in the directory that is the same after Unicode normalisation (NFC). Where there are
// several, `ambiguous`.
struct Equivalent {
  std::optional<std::string> name;
  bool ambiguous = false;
};
Equivalent equivalent_name(int directory, const std::string& name);
// False when no other name can be equivalent: no need to look.
bool may_have_equivalent(std::string_view name);

// The nearest of the first thousand names; empty when none is near.
std::string nearest_name(int directory, const std::string& name);

}  // namespace cairn
