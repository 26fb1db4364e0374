// A delegate as a tool answers with it, for people.
//
// Threads     plain functions of their arguments.
#pragma once

#include <string>

#include "base/clock.h"
#include "exposure/cli/output.h"
#include "tools/executor/arguments.h"

namespace cairn::cli {

std::string rights_of(const Arguments& delegate);
std::string sees(const Arguments& delegate);
std::string ends(const Arguments& delegate);
void show_delegate(Output& out, const Arguments& delegate);

// A note when less than a tenth of its life is left.
void warn_of_end(const Arguments& delegate, Millis now);

}  // namespace cairn::cli
