// NewDirectory: a directory that was made, or was empty, and is being filled. It is held open, and
// everything in it is reached by names that are no links: what somebody else puts in the place of a
// directory meanwhile leads nowhere.
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
  // It, or a directory that was made in it, held open: names are looked up from there, whatever the
  // depth. For one thread at a time; others may work in other directories.
  class Folder final {
   public:
    // REQUIRES, of both: a name as a directory has it.
    Result<Folder> add_directory(const std::string& name) const;
    Result<void> add_file(const std::string& name, const Fill& fill) const;
    // One whose bytes are all there: in a third less time, because it is made under its own name.
    // It is removed when they cannot be written; a process that is killed may leave it empty.
    Result<void> add_file(const std::string& name, ByteView content) const;
    // One that is there. IO_ERROR for a link.
    Result<Folder> open(const std::string& name) const;

   private:
    friend class NewDirectory;
    Folder(Handle handle, std::filesystem::path path, const Kernel& kernel)
        : handle_(std::move(handle)), path_(std::move(path)), kernel_(kernel) {}

    Handle handle_;
    std::filesystem::path path_;  // for messages
    Kernel kernel_;
  };
  Result<Folder> open() const;
  // Removes all that is in it, so that it can be filled again: what came to nothing.
  void clear() const;
  static constexpr const char* kPart = ".cairn-part-";

 private:
  NewDirectory(Handle handle, std::filesystem::path target, const Kernel& kernel)
      : handle_(std::move(handle)), target_(std::move(target)), kernel_(kernel) {}
  // The folder that a path is in.
  Result<Folder> above(const std::filesystem::path& path) const;

  Handle handle_;
  std::filesystem::path target_;
  Kernel kernel_;
};

}  // namespace cairn::os
