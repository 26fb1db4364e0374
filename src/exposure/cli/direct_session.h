// A session in this process, as the owner of a data directory.
#pragma once

#include <memory>

#include "exposure/cli/session.h"

namespace cairn::cli {

Result<std::unique_ptr<Session>> open_direct(std::unique_ptr<Engine> engine);

}  // namespace cairn::cli
