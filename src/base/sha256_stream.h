// SHA-256 of what comes in portions.
//
// Threads     one at a time.
#pragma once

#include <memory>
#include <string>

#include "base/bytes.h"

namespace cairn {

class Sha256Stream final {
 public:
  Sha256Stream();
  ~Sha256Stream();
  Sha256Stream(const Sha256Stream&) = delete;
  Sha256Stream& operator=(const Sha256Stream&) = delete;

  void append(ByteView portion);
  // In hexadecimal digits, as sha256sum writes it. The last call.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cairn
