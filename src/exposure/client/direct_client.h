// A client in this process, as the owner of a data directory.
#pragma once

#include <memory>

#include "exposure/client/client.h"

namespace cairn::client {

Result<std::unique_ptr<Client>> open_direct(std::unique_ptr<Engine> engine);

}  // namespace cairn::client
