// The roots of a workspace, held open: where every access begins.
//
// A root whose directory was deleted or moved away, and made again, is opened again by its real
// path, on which no link is followed. One that is gone is not found.
//
// Threads     every function may be called from any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/os/system.h"
#include "data/workspace/client_path.h"

namespace cairn {

using SharedHandle = std::shared_ptr<const os::Handle>;

class Roots final {
 public:
  // PATH_NOT_FOUND, NOT_A_DIRECTORY, FORBIDDEN, IO_ERROR: one cannot be opened.
  // REQUIRES: the directories are lexically normal.
  static Result<std::unique_ptr<Roots>> open(const std::vector<std::string>& directories,
                                             std::string home, const os::Kernel& kernel);

  const RootPaths& paths() const { return paths_; }
  const os::Kernel& kernel() const { return kernel_; }
  // O_PATH. An errno when it was deleted and is not there again.
  os::Outcome<SharedHandle> handle(std::size_t root) const;

  // Where a handle is. Nullopt where the kernel does not tell, or where it was carried out of every
  // root meanwhile: nothing outside is ever told. The way to it is then the best answer.
  std::optional<std::string> place_of(int fd) const;

 private:
  Roots(RootPaths paths, std::vector<SharedHandle> handles, const os::Kernel& kernel);
  os::Outcome<SharedHandle> opened_again(std::size_t root) const;

  RootPaths paths_;
  os::Kernel kernel_;
  mutable Guarded<std::vector<SharedHandle>> handles_;
};

}  // namespace cairn
