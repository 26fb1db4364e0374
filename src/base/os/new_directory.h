// NewDirectory: a directory that was made, or was empty, and is being filled.
//
// Threads     may be used from any thread, each for directories of its own.
// Fails with  TARGET_EXISTS when something is in it at the beginning; IO_ERROR.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "base/os/system.h"
#include "base/result.h"

namespace cairn::os {

class NewDirectory final {
 public:
  // With those above it.
  static Result<NewDirectory> make(const std::filesystem::path& target, const Kernel& kernel = {});

  // REQUIRES, of both: a path from the directory, without `.`, `..` or an empty name; what it is in
  // was added before.
  Result<void> add_directory(const std::string& path) const;
  // Makes a file and hands out where its bytes go. What `fill` fails with is passed on. It has its
  // name when it is whole: until then it is a part beside it.
  using Sink = std::function<Result<void>(ByteView portion)>;
  using Fill = std::function<Result<void>(const Sink& sink)>;
  Result<void> add_file(const std::string& path, const Fill& fill) const;
  // Removes all that is in it, so that it can be filled again: what came to nothing.
  void clear() const;
  static constexpr const char* kPart = ".cairn-part-";

 private:
  Result<Handle> make_part(const std::filesystem::path& full, std::filesystem::path& part) const;
  NewDirectory(std::filesystem::path target, const Kernel& kernel)
      : target_(std::move(target)), kernel_(kernel) {}

  std::filesystem::path target_;
  Kernel kernel_;
};

}  // namespace cairn::os
