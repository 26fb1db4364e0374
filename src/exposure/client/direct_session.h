// A session in this process, as the owner of a data directory.
#pragma once

#include <memory>

#include "exposure/client/session.h"

namespace cairn::client {

Result<std::unique_ptr<Session>> open_direct(std::unique_ptr<Engine> engine);

}  // namespace cairn::client
