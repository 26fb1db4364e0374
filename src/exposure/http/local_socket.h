// A unix socket by its path, however long: an address has room for 107 bytes. Only for this
// module's sources.
//
// Threads     plain functions of their arguments.
// Fails with  UNAVAILABLE
#pragma once

#include <filesystem>

#include "base/os/handle.h"
#include "base/result.h"
#include "exposure/http/asio.h"

namespace cairn::http {

// Good as long as it is kept: a long path is reached through a handle of its directory.
struct LocalAddress {
  os::Handle directory;
  Local::endpoint endpoint;

  static Result<LocalAddress> of(const std::filesystem::path& path);
};

// Listens there, with mode 0600, in the place of what stands there.
Result<LocalAcceptor> listen_locally(asio::io_context& io, const std::filesystem::path& path);

// Whether the process at the other end is of this process's user, or root's.
bool is_own_user(int socket);

}  // namespace cairn::http
