// From tokens to a program; private to the module's own sources.
#pragma once

#include "base/result.h"
#include "data/json/jmespath/program.h"

namespace cairn::jmespath {

// Fills the program for its text. Fails with INVALID_QUERY.
Result<void> parse(Program& program);

}  // namespace cairn::jmespath
